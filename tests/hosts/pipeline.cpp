// SPDX-License-Identifier: Apache-2.0
#include "tests/hosts/pipeline.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "collectors/sampler.h"
#include "core/snapshot/snapshot_json.h"
#include "rules/open_choices.h"
#include "rules/profile_changes.h"
#include "rules/rule.h"
#include "rules/settings.h"
#include "tests/source_dir.h"

namespace roceready::hosts {
namespace {

using rules::Outcome;

/// The report holds no passes, so the rules are asked once more, each alone.
void ask(const History& history, const rules::Rule& rule, const rules::JudgeOptions& options, const rules::Past* past,
         const rules::Profile* profile, const RdmaPort* port, const Netdev* member,
         std::map<std::string, Outcome>& out) {
  Subject subject;
  if (port != nullptr) {
    subject.device = port->device;
    subject.port = port->port;
    subject.netdev = member != nullptr ? member->link.name : port->netdev.value_or("");
    if (member != nullptr && port->members.size() > 1) subject.member = member->link.name;
  }
  rules::Outcomes said(subject);
  const bool every_mode = (rule.modes & rules::kRoceModes) == rules::kRoceModes;
  if (rule.status == rules::Status::Planned || (profile == nullptr && !every_mode)) {
    said.not_looked_at("", "", "");
  } else if (profile != nullptr && (rule.modes & profile->mode) == 0) {
    said.not_applicable("");
  } else if (rule.scope == rules::Scope::Member && member == nullptr) {
    said.unknown({});
  } else {
    const std::map<std::string, double> limits;
    const rules::Evidence seen({&history, history.now().get(), port, member, profile, &rule, &limits, options.one_shot,
                                &options.rdma_units, past, &options.demands});
    rule.judge(seen, said);
  }
  for (const rules::Judgement& one : said.entries()) out[std::string(rule.id) + "@" + one.subject.key()] = one.outcome;
}

/// site.json of a host: what its site says beside the name of the profile. No such file: nothing.
Result<rules::JudgeOptions> options_of(const std::filesystem::path& directory, const std::string& profile) {
  rules::JudgeOptions out;
  out.profile = profile;
  const auto path = directory / "site.json";
  if (!std::filesystem::exists(path)) return out;
  std::ifstream in(path);
  const nlohmann::json site = nlohmann::json::parse(in, nullptr, false);
  if (!site.is_object()) return Error{ErrorCode::Malformed, "is no JSON object", path.string()};
  out.profile_changes.role = site.value("role", "");
  out.profile_changes.overrides = site.value("overrides", std::map<std::string, std::string>());
  out.demands.gid_index = site.value("gid_index", std::int64_t{-1});
  return out;
}

/// The profile of this name as it holds here; nothing where there is no such profile.
std::optional<rules::Profile> effective(const std::string& name, const rules::JudgeOptions& options,
                                        const Snapshot& now) {
  const rules::Profile* named = rules::profile_named(name);
  if (named == nullptr) return std::nullopt;
  const rules::Profile stated = rules::apply(*named, options.profile_changes).profile;
  return rules::with_choices(stated, rules::look_at_choices(stated, now, {}));
}

std::map<std::string, Outcome> outcomes_of(const History& history, const rules::JudgeOptions& options,
                                           const rules::Past* past) {
  std::map<std::string, Outcome> out;
  const Snapshot& now = *history.now();
  for (const rules::Rule* rule : rules::catalogue()) {
    const std::optional<rules::Profile> stated = effective(options.profile, options, now);
    if (rule->scope == rules::Scope::Node)
      ask(history, *rule, options, past, stated ? &*stated : nullptr, nullptr, nullptr, out);
    for (const RdmaPort& port : now.ports) {
      if (!port.in_scope || rule->scope == rules::Scope::Node) continue;
      std::string named = options.profile;
      if (named.empty() && port.function == FunctionKind::Software) named = "not-roce";
      const std::optional<rules::Profile> of_port = effective(named, options, now);
      const rules::Profile* profile = of_port ? &*of_port : nullptr;
      bool any = false;
      for (const std::string& name : port.members) {
        const Netdev* member = rule->scope == rules::Scope::Member ? now.netdev(name) : nullptr;
        if (member == nullptr) continue;
        ask(history, *rule, options, past, profile, &port, member, out);
        any = true;
      }
      if (!any) ask(history, *rule, options, past, profile, &port, nullptr, out);
    }
  }
  return out;
}

}  // namespace

Selection selection_of(const RecordedHostInfo& info) {
  Selection out;
  out.include = info.include;
  out.exclude = info.exclude;
  out.expected = info.expected;
  return out;
}

std::vector<Snapshot> sample_all(const Recording& recording) {
  RecordedHost recorded(recording);
  Host host = recorded.host();
  SamplerOptions options;
  options.selection = selection_of(recording.info);
  Sampler sampler(options);
  std::vector<Snapshot> out;
  for (std::size_t i = 0; i < recording.samples.size(); ++i) {
    recorded.select(i);
    out.push_back(sampler.sample(host));
  }
  return out;
}

Judged judge(const std::vector<Snapshot>& snapshots, rules::JudgeOptions options) {
  History history(rules::needed_signals());
  for (const Snapshot& snapshot : snapshots) history.add(std::make_shared<const Snapshot>(snapshot));
  options.source_kind = "recorded";
  rules::Engine engine(options);
  return {engine.judge(history), outcomes_of(history, options, nullptr)};
}

Judged judge_as_daemon(const std::vector<Snapshot>& snapshots, rules::JudgeOptions options) {
  constexpr double kAcceptSeconds = 3600;
  options.one_shot = false;
  History history(rules::needed_signals());
  rules::Engine engine(options);
  rules::Settings settings;
  rules::Past past;
  past.settings_kept = true;
  rules::ReportPtr report;
  for (const Snapshot& snapshot : snapshots) {
    history.add(std::make_shared<const Snapshot>(snapshot));
    past.drift = settings.drift();
    engine.set_past(past);
    report = engine.judge(history);
    (void)settings.take(*report, kAcceptSeconds);
  }
  return {report, outcomes_of(history, options, &past)};
}

Judged judge(const std::vector<Snapshot>& snapshots, const std::string& profile) {
  rules::JudgeOptions options;
  options.profile = profile;
  return judge(snapshots, std::move(options));
}

Judged judge(const Recording& recording) {
  return judge(sample_all(recording), recording.info.profile);
}

Result<Replay> replay(const std::filesystem::path& directory) {
  const auto info = read_host_info(directory);
  if (!info) return info.error();
  Replay out;
  if (info->layout == "snapshot") {
    auto snapshots = read_snapshots(directory);
    if (!snapshots) return snapshots.error();
    auto options = options_of(directory, info->profile);
    if (!options) return options.error();
    out.snapshots = std::move(*snapshots);
    out.options = std::move(*options);
    return out;
  }
  const auto recording = read_recording(directory);
  if (!recording) return recording.error();
  out.snapshots = sample_all(*recording);
  out.options.profile = recording->info.profile;
  return out;
}

Result<Judged> judge(const std::filesystem::path& directory) {
  auto held = replay(directory);
  if (!held) return held.error();
  return judge(held->snapshots, std::move(held->options));
}

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Pass:
      return "pass";
    case Outcome::Fail:
      return "fail";
    case Outcome::Unknown:
      return "unknown";
    case Outcome::NotApplicable:
      return "not_applicable";
    case Outcome::NotLookedAt:
      return "not_looked_at";
    case Outcome::Attested:
      return "attested";
  }
  return "?";
}

std::vector<std::filesystem::path> host_directories() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(ROCEREADY_SOURCE_DIR) / "tests/hosts"))
    if (std::filesystem::exists(entry.path() / "host.json")) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace roceready::hosts
