// SPDX-License-Identifier: Apache-2.0
// A day in a few seconds: every healthy raw host goes on for 24 h as its recording began, and nobody is called.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rules/engine.h"
#include "tests/hosts/expectation.h"
#include "tests/hosts/pipeline.h"

namespace roceready::hosts {
namespace {

constexpr std::int64_t kStepSeconds = 10, kJudgeSeconds = 180, kDaySeconds = 24 * 3600, kSecond = 1'000'000'000;

/// Counters of one owner one step later: each grows at its recorded rate, modulo its width.
void grow(CounterReadings& now, const CounterReadings& first, const CounterReadings& last, double factor) {
  for (CounterValue& value : now.values) {
    if (info_of(value.id).kind != CounterKind::Counter) continue;
    const CounterValue* from = first.find(value.id, value.lane);
    const CounterValue* to = last.find(value.id, value.lane);
    if (from == nullptr || to == nullptr || to->raw <= from->raw) continue;
    const auto more = static_cast<std::uint64_t>(std::llround(static_cast<double>(to->raw - from->raw) * factor));
    value.raw += more;
    if (value.width < 64) value.raw &= (std::uint64_t{1} << value.width) - 1;
  }
  now.at_monotonic_ns += kStepSeconds * kSecond;
}

/// What the recording saw between its first and its last sample, going on.
class Day {
 public:
  explicit Day(std::vector<Snapshot> recorded) : recorded_(std::move(recorded)), now_(recorded_.back()) {
    const double watched = seconds_between(midpoint(recorded_.front()), midpoint(recorded_.back()));
    factor_ = watched > 0 ? static_cast<double>(kStepSeconds) / watched : 0;
  }
  SnapshotPtr step() {
    const Snapshot &first = recorded_.front(), &last = recorded_.back();
    for (Instant* at : {&now_.before, &now_.after}) {
      at->monotonic_ns += kStepSeconds * kSecond;
      at->wall_ns += kStepSeconds * kSecond;
    }
    if (now_.node.uptime_seconds) *now_.node.uptime_seconds += static_cast<double>(kStepSeconds);
    for (std::size_t i = 0; i < now_.netdevs.size(); ++i) {
      const Netdev* before = first.netdev(now_.netdevs[i].link.name);
      if (before != nullptr) grow(now_.netdevs[i].counters, before->counters, last.netdevs[i].counters, factor_);
    }
    for (std::size_t i = 0; i < now_.ports.size() && i < first.ports.size(); ++i)
      grow(now_.ports[i].counters, first.ports[i].counters, last.ports[i].counters, factor_);
    return std::make_shared<const Snapshot>(now_);
  }

 private:
  std::vector<Snapshot> recorded_;
  Snapshot now_;
  double factor_ = 0;
};

bool is_healthy(const nlohmann::json& expect) {
  return expect.contains("verdict") && expect["verdict"] == nlohmann::json::array({"ready"});
}

std::vector<std::filesystem::path> healthy_recordings() {
  std::vector<std::filesystem::path> out;
  for (const auto& directory : host_directories()) {
    const auto info = read_host_info(directory);
    const auto expect = read_expectation(directory);
    if (info && expect && info->layout == "raw" && is_healthy(*expect)) out.push_back(directory);
  }
  return out;
}

class QuietDay : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(QuietDay, calls_nobody) {
  const auto recording = read_recording(GetParam());
  ASSERT_TRUE(recording) << recording.error().text();
  rules::JudgeOptions options;
  options.profile = recording->info.profile;
  options.one_shot = false;
  rules::Engine engine(options);
  History history(rules::needed_signals());
  Day day(sample_all(*recording));
  std::size_t judged = 0;
  for (std::int64_t second = kStepSeconds; second <= kDaySeconds; second += kStepSeconds) {
    history.add(day.step());
    if (second % kJudgeSeconds != 0) continue;
    const rules::ReportPtr report = engine.judge(history);
    ++judged;
    for (const rules::Finding& finding : report->findings)
      ASSERT_EQ(finding.severity, rules::Severity::Info) << "after " << second << " s: " << finding.seen;
    if (second <= 600) continue;
    ASSERT_EQ(report->verdict, rules::Verdict::Ready) << "after " << second << " s: " << report->summary;
    ASSERT_DOUBLE_EQ(report->score.value_or(0), 100);
  }
  EXPECT_EQ(judged, 480U);
}

INSTANTIATE_TEST_SUITE_P(Hosts, QuietDay, testing::ValuesIn(healthy_recordings()),
                         [](const testing::TestParamInfo<std::filesystem::path>& host) {
                           std::string name = host.param.filename().string();
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace roceready::hosts
