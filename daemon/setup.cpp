// SPDX-License-Identifier: Apache-2.0
#include "daemon/setup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "daemon/probing/probe_terms.h"
#include "rules/profile.h"
#include "rules/rule.h"

namespace roceready::daemon {
namespace {

/// Then this program is one that runs RDMA, too (rules.md 1.6.3).
bool probes_to_peers(const config::Settings& settings) {
  return !settings.probes.peers.empty() || !settings.probes.peers_file.empty() || !settings.probes.peers_dns.empty();
}

config::OptionType type_of(const rules::Limit& limit) {
  return std::string_view(limit.unit) == "share" ? config::OptionType::Share : config::OptionType::Number;
}

Result<void> check_profile(const std::string& name, const std::string& where) {
  const std::vector<std::string> known = rules::profile_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  const std::string near = name.size() > 100 ? "" : nearest_of(name, known);
  std::string what = "the profile \"" + clean_text(name) + "\" is unknown to this version";
  what += near.empty() ? "; name another one with --profile" : "; did you mean " + near + "?";
  return Error{ErrorCode::Malformed, what, clean_text(where), 0};
}

Result<Configuration> load_from(const std::optional<std::string>& file,
                                const std::map<std::string, std::string>& overrides) {
  if (file)
    if (auto readable = check_readable(*file); !readable) return readable.error();
  config::LoadOutcome outcome = load_options(file, overrides);
  if (outcome.loaded) return Configuration{std::move(*outcome.loaded), file.value_or("")};
  std::string text;
  for (const config::Problem& problem : outcome.problems) text += (text.empty() ? "" : "\n") + problem.message;
  return Error{ErrorCode::Usage, text, "", 0};
}

}  // namespace

Result<void> check_readable(const std::string& file) {
  const auto refused = [&](const std::string& why, int value) {
    return Error{ErrorCode::Io, "cannot read the configuration: " + why, clean_text(file), value};
  };
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  const int fd = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return refused(std::strerror(errno), errno);
  struct stat facts {};
  const int failed = ::fstat(fd, &facts) == 0 ? 0 : errno;
  ::close(fd);
  if (failed != 0) return refused(std::strerror(failed), failed);
  if (S_ISDIR(facts.st_mode)) return refused("it is a directory", 0);
  if (!S_ISREG(facts.st_mode)) return refused("it is a pipe or a device, not a file", 0);
  return {};
}

namespace {

config::Option option_of(const rules::ProfileKey& key) {
  using From = rules::ProfileKeyType;
  config::Option out;
  out.key = std::string("profile_overrides.") + key.name;
  out.unit = key.unit;
  out.choices = key.choices;
  out.help = key.help;
  out.optional = true;
  switch (key.type) {
    case From::Number:
      out.type = config::OptionType::Integer;
      break;
    case From::Share:
      out.type = config::OptionType::Share;
      break;
    case From::Words:
      out.type = config::OptionType::Text;
      break;
    case From::Priorities:
      out.type = config::OptionType::TextList;
      break;
    case From::Boolean:
      out.type = config::OptionType::Boolean;
      break;
  }
  if (key.max > key.min) {
    out.min = key.min;
    out.max = key.max;
  }
  return out;
}

/// Rules that are mandatory in one of these modes, over a distance or for link-level pause; all rules for none.
std::vector<std::string> rule_ids(std::uint8_t mandatory) {
  std::vector<std::string> out;
  for (const rules::Rule* rule : rules::catalogue())
    if (mandatory == 0 || (rule->mandatory & mandatory) != 0 || rule->mandatory_over_distance ||
        rule->mandatory_for_link_pause)
      out.emplace_back(rule->id);
  return out;
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& list) {
  std::vector<std::string> out;
  for (const T& one : list) out.emplace_back(one.name);
  return out;
}

}  // namespace

std::vector<config::Option> all_options() {
  std::vector<config::Option> out = config::program_options(
      {rules::profile_names(), rules::base_profile_names(), names_of(rules::profile_modifiers()),
       names_of(rules::profile_roles()), rule_ids(0), rule_ids(rules::kRoceModes)});
  for (const rules::ProfileKey& key : rules::profile_keys()) out.push_back(option_of(key));
  for (const rules::Rule* rule : rules::catalogue())
    for (const rules::Limit& limit : rule->limits) {
      config::Option option;
      option.key = std::string("rules.") + rule->id + "." + limit.name;
      option.type = type_of(limit);
      option.unit = limit.unit;
      option.default_value = number_text(limit.value);
      option.min = limit.min;
      option.max = limit.max;
      option.help = limit.help;
      out.push_back(std::move(option));
    }
  return out;
}

config::LoadOutcome load_options(const std::optional<std::string>& file,
                                 const std::map<std::string, std::string>& overrides) {
  const auto check = [](const config::Settings& settings) {
    std::vector<config::Problem> out;
    for (auto& [key, message] : rules::problems_of(settings.profile, profile_changes(settings)))
      out.push_back({key, message});
    for (auto& [key, message] : probe_problems(settings)) out.push_back({key, message});
    return out;
  };
  return config::load(file ? std::optional<std::filesystem::path>(*file) : std::nullopt, all_options(), overrides,
                      check);
}

Result<Configuration> load_configuration(const std::optional<std::string>& file,
                                         const std::map<std::string, std::string>& overrides) {
  if (file) return load_from(file, overrides);
  std::error_code error;
  const bool there = std::filesystem::exists(kDefaultConfigFile, error);
  return load_from(there ? std::optional<std::string>(kDefaultConfigFile) : std::nullopt, overrides);
}

Result<Configuration> load_foreign_configuration(const std::optional<std::string>& file,
                                                 const std::map<std::string, std::string>& overrides) {
  return load_from(file, overrides);
}

Result<Configuration> load_recorded_configuration(const std::string& directory, const RecordedHostInfo& info,
                                                  const std::optional<std::string>& file,
                                                  std::map<std::string, std::string> overrides) {
  std::optional<std::string> chosen = file;
  const std::string own = (std::filesystem::path(directory) / "config.yaml").string();
  std::error_code error;
  if (!chosen && std::filesystem::exists(own, error)) chosen = own;
  auto out = load_from(chosen, overrides);
  if (!out) return out;
  config::Settings& settings = out->loaded.settings;
  const auto is_default = [&](const std::string& key) {
    const auto origin = out->loaded.origin.find(key);
    return origin == out->loaded.origin.end() || origin->second == "default";
  };
  if (is_default("profile") && !info.profile.empty()) {
    if (auto known = check_profile(info.profile, directory + "/host.json"); !known) return known.error();
    overrides["profile"] = info.profile;
    out = load_from(chosen, overrides);
    if (!out) return out;
  }
  if (is_default("ports.include")) settings.ports_include = info.include;
  if (is_default("ports.exclude")) settings.ports_exclude = info.exclude;
  if (is_default("ports.expected")) settings.ports_expected = info.expected;
  return out;
}

rules::ProfileChanges profile_changes(const config::Settings& settings) {
  return {settings.profile_base, settings.role, settings.profile_modifiers, settings.profile_overrides};
}

SamplerOptions sampler_options(const config::Settings& settings) {
  SamplerOptions out;
  out.selection.include = settings.ports_include;
  out.selection.exclude = settings.ports_exclude;
  out.selection.expected = settings.ports_expected;
  if (!settings.rdma_units.empty()) out.selection.rdma_units = settings.rdma_units;
  if (probes_to_peers(settings)) out.selection.rdma_units.emplace_back("roceready");
  out.statistics_share = settings.statistics_share;
  return out;
}

rules::JudgeOptions judge_options(const config::Settings& settings, bool one_shot) {
  rules::JudgeOptions out;
  out.profile = settings.profile;
  out.profile_changes = profile_changes(settings);
  for (const config::WaiverSetting& one : settings.waivers)
    out.waivers.push_back({one.finding, one.reason, one.expires_wall_ns});
  for (const config::AttestSetting& one : settings.attest)
    out.attestations.push_back({one.check, one.port, one.by, one.reason, one.expires_wall_ns});
  out.limits = settings.limits;
  out.one_shot = one_shot;
  out.initializing_seconds = settings.initializing_seconds;
  out.hold_down_seconds = settings.hold_down_seconds;
  if (!settings.rdma_units.empty()) out.rdma_units = settings.rdma_units;
  out.demands = {settings.firmware_min, settings.firmware_bad, settings.gid_index};
  return out;
}

}  // namespace roceready::daemon
