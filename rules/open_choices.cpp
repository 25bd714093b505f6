// SPDX-License-Identifier: Apache-2.0
#include "rules/open_choices.h"

#include <bit>
#include <vector>

#include "rules/ecn/cc_files.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

struct Place {
  const RdmaPort* port;
  const Netdev* member;
};

std::vector<Place> members_in_scope(const Snapshot& now) {
  std::vector<Place> out;
  for (const RdmaPort& port : now.ports) {
    if (!port.in_scope || port.function == FunctionKind::Software) continue;
    for (const std::string& name : port.members)
      if (const Netdev* member = now.netdev(name)) out.push_back({&port, member});
  }
  return out;
}

/// The lossless priority that all members show; nothing where one shows another set, or none shows any.
std::optional<std::uint8_t> priority_shown(const std::vector<Place>& places, std::uint8_t choices,
                                           std::optional<std::uint8_t> before) {
  std::optional<std::uint8_t> out;
  for (const Place& place : places) {
    const Reading<PfcFacts>& pfc = place.member->dcb.pfc;
    if (!pfc || pfc->enabled == 0) continue;
    const bool one_of_them = std::has_single_bit(pfc->enabled) && (pfc->enabled & ~std::uint32_t{choices}) == 0;
    if (!one_of_them) return before;
    const auto priority = static_cast<std::uint8_t>(std::countr_zero(pfc->enabled));
    if (out && *out != priority) return before;
    out = priority;
  }
  return out ? out : before;
}

bool congestion_control_shown_off(const std::vector<Place>& places, bool before) {
  bool off = false, unread = false;
  for (const Place& place : places) {
    const std::optional<bool> on = congestion_control_on(*place.port, *place.member);
    if (on.value_or(false)) return false;
    off = off || on.has_value();
    unread = unread || !on;
  }
  return unread ? before : off;
}

}  // namespace

OpenChoices look_at_choices(const Profile& profile, const Snapshot& now, const OpenChoices& before) {
  OpenChoices out;
  if (profile.priority_choices == 0 && !profile.congestion_control_optional) return out;
  const std::vector<Place> places = members_in_scope(now);
  if (profile.priority_choices != 0) out.priority = priority_shown(places, profile.priority_choices, before.priority);
  if (profile.congestion_control_optional)
    out.without_congestion_control = congestion_control_shown_off(places, before.without_congestion_control);
  return out;
}

Profile with_choices(Profile profile, const OpenChoices& choices) {
  if (choices.priority) {
    profile.roce_priority = *choices.priority;
    profile.pfc_priorities = static_cast<std::uint8_t>(1U << *choices.priority);
  }
  if (choices.without_congestion_control) {
    profile.congestion_control = CongestionControl::Off;
    profile.ecn = Ecn::Any;
  }
  return profile;
}

std::string choice_words(const OpenChoices& choices) {
  std::vector<std::string> words;
  if (choices.priority) words.push_back("PFC on priority " + std::to_string(*choices.priority));
  if (choices.without_congestion_control) words.emplace_back("no congestion control");
  return words.empty() ? "" : ", and of what it leaves open these NICs have " + joined(words);
}

}  // namespace roceready::rules
