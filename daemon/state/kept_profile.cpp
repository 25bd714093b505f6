// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/kept_profile.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "rules/inference.h"
#include "rules/remembered.h"

namespace roceready::daemon {

std::string kept_profile_text(const rules::KeptProfile& profile) {
  return rules::as_text({{"name", profile.name},
                         {"since_wall_ns", profile.since_wall_ns},
                         {"confidence", profile.confidence},
                         {"why", profile.why},
                         {"overrides", profile.overrides}});
}

std::optional<rules::KeptProfile> kept_profile_from(const std::string& text) {
  constexpr std::size_t kMostOverrides = 256;
  const nlohmann::json json = rules::parsed(text);
  rules::Recalled read(json);
  rules::KeptProfile out;
  out.name = read.text("name");
  out.since_wall_ns = read.integer("since_wall_ns", 0, std::numeric_limits<std::int64_t>::max());
  out.confidence = read.number("confidence");
  out.why = read.text("why");
  const nlohmann::json* overrides = read.member("overrides");
  if (overrides == nullptr || !overrides->is_object() || overrides->size() > kMostOverrides) return {};
  rules::Recalled values(*overrides);
  for (const auto& [key, value] : overrides->items()) out.overrides[key] = values.text(key.c_str());
  const bool sound = read.good() && values.good() && out.confidence >= 0 && out.confidence <= 1;
  if (!sound || rules::profile_named(out.name) == nullptr) return {};
  return out;
}

std::optional<rules::KeptProfile> inferred_in(const rules::Report& report) {
  const rules::ProfileUse& use = report.profile;
  // A node that nobody configured has no design yet: what it gets later must not be held against it.
  if (use.origin != rules::ProfileOrigin::Inferred || use.name.empty() || use.name == rules::kUnconfigured) return {};
  return rules::KeptProfile{use.name, use.since_wall_ns.value_or(report.at.wall_ns), use.confidence, use.why,
                            use.guess_overrides};
}

}  // namespace roceready::daemon
