// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "daemon/cli/command.h"
#include "daemon/export/config_json.h"
#include "daemon/export/port_json.h"
#include "daemon/setup.h"
#include "daemon/source.h"
#include "rules/inference.h"

namespace roceready::daemon::cli {
namespace {

constexpr int kNothingToSuggest = 1;

Result<SnapshotPtr> present_state(const config::Settings& settings, const std::string& host) {
  if (host.empty()) return live_source(sampler_options(settings))->next();
  const auto info = read_host_info(host);
  if (!info) return info.error();
  const auto own = load_recorded_configuration(host, *info, std::nullopt, {});
  if (!own) return own.error();
  auto source = recorded_source(host, *info, sampler_options(own->loaded.settings));
  if (!source) return source.error();
  SnapshotPtr last;
  while (SnapshotPtr next = (*source)->next()) last = std::move(next);
  if (!last) return Error{ErrorCode::Malformed, "the recording has no sample", host, 0};
  return last;
}

int suggest_profile(const config::Settings& settings, const std::string& host, bool json, Terminal& terminal) {
  const auto state = present_state(settings, host);
  if (!state) return fail(terminal, state.error());
  rules::Inference seen = rules::infer_profile(**state);
  if (seen.profile && seen.profile->name == rules::kUnconfigured) {
    seen.why_not = "RoCE QoS was never configured here (" + seen.profile->why + ")";
    seen.profile.reset();
  }
  if (json) {
    Json out;
    out["profile"] = seen.profile ? json_text(seen.profile->name) : Json();
    out["profile_overrides"] = Json::object();
    if (seen.profile)
      for (const auto& [key, value] : seen.profile->overrides) out["profile_overrides"][key] = json_text(value);
    out["confidence"] = json_number(seen.profile ? seen.profile->confidence : 0);
    out["why"] = json_text(seen.profile ? seen.profile->why : seen.why_not);
    terminal.out(json_dump(out));
  } else if (!seen.profile) {
    terminal.out("# No profile can be suggested: " + clean_text(seen.why_not) + ".\n");
  } else {
    std::string text =
        "# As the present state of this host shows it (confidence " + short_number(seen.profile->confidence) +
        "): " + clean_text(seen.profile->why) +
        ".\n# A fault looks like a design: check it before you state it.\nprofile: " + seen.profile->name + "\n";
    if (!seen.profile->overrides.empty()) text += "profile_overrides:\n";
    for (const auto& [key, value] : seen.profile->overrides) text += "  " + key + ": " + value + "\n";
    terminal.out(text);
  }
  return seen.profile ? kOk : kNothingToSuggest;
}

}  // namespace

int run_print_config(const Words& words, Terminal& terminal) {
  std::string file, profile, host, format = "text";
  bool suggest = false;
  const std::vector<OptionSpec> options = {
      {"--config", "configuration file", &file, false, "FILE"},
      {"--profile", "as on the command line of other commands", &profile, false, "NAME"},
      {"--format", "text (YAML) or json", &format, false, "FORMAT"},
      {"--suggest", "the profile that the present state of the host shows, as configuration", &suggest, true},
      {"--host", "with --suggest: a recorded host instead of this one", &host, false, "DIR"},
  };
  if (const auto code =
          parse({"print-config", "The effective configuration, and where each value came from.", run_print_config},
                options, words, terminal))
    return *code;
  const auto json = wants_json(format);
  if (!json) return fail(terminal, json.error());
  if (!suggest && !host.empty()) return usage(terminal, "--host: only together with --suggest");
  std::map<std::string, std::string> overrides;
  if (!profile.empty()) overrides["profile"] = profile;
  const auto configuration =
      load_configuration(file.empty() ? std::nullopt : std::optional<std::string>(file), overrides);
  if (!configuration) return fail(terminal, configuration.error());
  if (suggest) return suggest_profile(configuration->loaded.settings, host, *json, terminal);
  const config::Loaded& loaded = configuration->loaded;
  if (!*json) {
    terminal.out(config::print(loaded, all_options()));
    return kOk;
  }
  terminal.out(json_dump(config_json(loaded.values, loaded.origin)));
  return kOk;
}

}  // namespace roceready::daemon::cli
