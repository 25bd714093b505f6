// SPDX-License-Identifier: Apache-2.0
#include "daemon/one_shot.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <utility>

#include "core/history/history.h"
#include "daemon/evidence/places.h"
#include "daemon/scheduler.h"
#include "daemon/setup.h"

namespace roceready::daemon {
namespace {

rules::ReportPtr judge(const History& history, rules::JudgeOptions options, const SampleSource& source) {
  options.source_kind = source.kind();
  options.source_detail = source.detail();
  return rules::Engine(std::move(options)).judge(history);
}

}  // namespace

rules::ReportPtr judge_live(SampleSource& source, rules::JudgeOptions options, std::int64_t window_ns,
                            std::int64_t interval_ns, const std::function<bool()>& each) {
  History history(rules::needed_signals());
  history.add(source.next());
  bool stop = each && each();
  // The window begins when the first sample is complete: that one reads every slow surface and may take long.
  const std::int64_t start = monotonic_now_ns();
  std::int64_t due = start;
  while (!stop) {
    if (due > start) {
      history.add(source.next());
      if (each && each()) break;
    }
    if (due >= start + window_ns) break;
    Pace pace(due, interval_ns);
    pace.ticked(monotonic_now_ns());
    due = std::min(pace.due_ns(), start + window_ns);
    const std::int64_t left = due - monotonic_now_ns();
    if (left > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(left));
  }
  return judge(history, std::move(options), source);
}

Result<rules::ReportPtr> judge_recorded_host(const std::string& directory,
                                             const std::optional<std::string>& config_file,
                                             const std::map<std::string, std::string>& overrides,
                                             std::optional<std::int64_t> window_ns) {
  const auto info = read_host_info(directory);
  if (!info) return info.error();
  const auto configuration = load_recorded_configuration(directory, *info, config_file, overrides);
  if (!configuration) return configuration.error();
  const config::Settings& settings = configuration->loaded.settings;
  const auto source = recorded_source(directory, *info, sampler_options(settings));
  if (!source) return source.error();
  History history(rules::needed_signals());
  std::deque<SnapshotPtr> last;  // with a window: what lies in it so far
  while (SnapshotPtr snapshot = (*source)->next()) {
    if (!window_ns) {
      history.add(std::move(snapshot));
      continue;
    }
    last.push_back(std::move(snapshot));
    const std::int64_t begin = last.back()->before.monotonic_ns - *window_ns;
    while (last.front()->before.monotonic_ns < begin) last.pop_front();
  }
  for (SnapshotPtr& snapshot : last) history.add(std::move(snapshot));
  return with_places(judge(history, judge_options(settings, true), **source), directory);
}

}  // namespace roceready::daemon
