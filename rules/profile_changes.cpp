// SPDX-License-Identifier: Apache-2.0
#include "rules/profile_changes.h"

#include <algorithm>
#include <bit>
#include <set>

#include "core/base/text.h"
#include "rules/rule.h"

namespace roceready::rules {
namespace {

const ProfileModifier* named(const std::vector<ProfileModifier>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const ProfileModifier& one) { return name == one.name; });
  return found == all.end() ? nullptr : &*found;
}

/// Classes are a vendor's habit, whatever the fabric does with loss.
void take_classes(Profile& to, const Profile& from) {
  to.vendor = from.vendor;
  to.trust = from.trust;
  to.roce_dscp = from.roce_dscp;
  to.roce_priority = from.roce_priority;
  to.cnp_dscp = from.cnp_dscp;
  to.cnp_priority = from.cnp_priority;
  to.cnp_strict = from.cnp_strict;
  to.roce_ets_min_percent = from.roce_ets_min_percent;
  to.host_mtu = from.host_mtu;
  to.switch_mtu = from.switch_mtu;
}

/// Spraying says how packets travel; all else is as the fabric below it.
Profile sprayed(const Profile& spray, Profile base) {
  base.name = spray.name;
  base.title = spray.title;
  base.adaptive_routing = true;
  return base;
}

Profile on_base(const Profile& profile, const std::string& name) {
  const Profile* base = takes_base(profile.name) ? profile_named(name) : nullptr;
  if (base == nullptr) return profile;
  if (profile.name == "spray-ar") return sprayed(profile, *base);
  Profile out = profile;
  take_classes(out, *base);
  return out;
}

/// What the site states is open no more, and of two cells that belong together one may be stated alone.
void close_choices(Profile& profile, const std::map<std::string, std::string>& stated) {
  if (stated.contains("congestion_control")) profile.congestion_control_optional = false;
  const bool priority = stated.contains("roce_priority"), pfc = stated.contains("pfc_priorities");
  if (profile.priority_choices == 0 || (!priority && !pfc)) return;
  const std::uint32_t own = 1U << profile.roce_priority;
  if (!pfc && (profile.priority_choices & own) != 0) profile.pfc_priorities = static_cast<std::uint8_t>(own);
  if (!priority && std::has_single_bit(profile.pfc_priorities))
    profile.roce_priority = static_cast<std::uint8_t>(std::countr_zero(profile.pfc_priorities));
  profile.priority_choices = 0;
}

}  // namespace

const std::vector<ProfileModifier>& profile_modifiers() {
  static const std::vector<ProfileModifier> all = {
      {"dedicated-nic", "the NIC carries RoCE alone: ETS is not judged, TCP in the lossless class is a warning",
       [](Profile& p) { p.dedicated_nic = true; }},
      {"converged", "the NIC is shared with other traffic: ETS is judged", [](Profile& p) { p.converged = true; }},
      {"lag", "bonds belong to the design: one without RoCE LAG is a fault on any NIC, sums over members are no news",
       [](Profile& p) { p.lag = true; }},
      {"overlay",
       "VXLAN or Geneve: 50 bytes less MTU in the commands; that the DSCP reaches the outer header, probes show",
       [](Profile& p) {
         p.overlay = true;
         p.host_mtu -= 50;
       }},
      {"long-haul", "more than 300 m: headroom is reckoned for that, and a port is not ready while it is unknown",
       [](Profile& p) { p.long_haul = true; }},
      {"macsec", "links are encrypted: the switch's LLDP must say that PFC passes MACsec (not asked for yet)",
       [](Profile& p) { p.macsec = true; }},
      {"benchmark-window", "somebody loads the fabric on purpose: shares of pause and PCIe rates are info only",
       [](Profile& p) { p.benchmark_window = true; }},
  };
  return all;
}

const std::vector<ProfileModifier>& profile_roles() {
  static const std::vector<ProfileModifier> all = {
      {"gpu", "GPU rules are on", [](Profile& p) { p.role = Role::Gpu; }},
      {"storage-target", "many senders to one receiver are normal: three times the pause, congestion is info",
       [](Profile& p) {
         p.role = Role::StorageTarget;
         p.pause_warn = std::min(1.0, 3 * p.pause_warn);
       }},
      {"vm-host", "virtual machines use the NIC: isolation is wanted, counters belong to functions",
       [](Profile& p) { p.role = Role::VmHost; }},
  };
  return all;
}

bool takes_base(std::string_view profile) {
  return profile == "lossy-ecn" || profile == "semi-lossless" || profile == "spray-ar";
}

std::vector<std::string> base_profile_names() {
  std::vector<std::string> out;
  for (const Profile& profile : profiles())
    if (profile.mode != kNotRoce && !profile.adaptive_routing && profile.name != "lfc-simple")
      out.push_back(profile.name);
  return out;
}

EffectiveProfile apply(const Profile& named_profile, const ProfileChanges& changes) {
  EffectiveProfile out{on_base(named_profile, changes.base), {}};
  if (const ProfileModifier* role = named(profile_roles(), changes.role)) role->apply(out.profile);
  for (const std::string& name : std::set<std::string>(changes.modifiers.begin(), changes.modifiers.end()))
    if (const ProfileModifier* modifier = named(profile_modifiers(), name)) modifier->apply(out.profile);
  for (const auto& [name, text] : changes.overrides)
    if (const ProfileKey* key = profile_key_named(name)) key->set(out.profile, text);
  close_choices(out.profile, changes.overrides);
  for (const ProfileKey& key : profile_keys()) {
    const std::string value = key.get(out.profile), otherwise = key.get(named_profile);
    if (value != otherwise) out.changed.push_back({key.name, value, otherwise});
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> problems_of(const std::string& name, const ProfileChanges& changes) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto has = [&](const char* modifier) {
    return std::find(changes.modifiers.begin(), changes.modifiers.end(), modifier) != changes.modifiers.end();
  };
  if (has("dedicated-nic") && has("converged"))
    out.emplace_back("profile_modifiers", "dedicated-nic and converged exclude each other; keep one");
  const Profile* profile = profile_named(name);
  if (profile == nullptr) return out;
  if (!changes.base.empty() && !takes_base(name))
    out.emplace_back("profile_base", "\"" + changes.base + "\" has no meaning for profile " + name +
                                         ", which brings its own classes; remove it, or name profile lossy-ecn, "
                                         "semi-lossless or spray-ar");
  const Profile effective = apply(*profile, changes).profile;
  const bool without_pfc = on_base(*profile, changes.base).pfc_priorities == 0;
  if (without_pfc && effective.pfc_priorities != 0)
    out.emplace_back("profile_overrides.pfc_priorities",
                     profile_key_named("pfc_priorities")->get(effective) + " asks for PFC, and profile " + name +
                         " is a design without; name a lossless profile (nvidia-lossless)");
  if (!without_pfc && effective.pfc_priorities == 0)
    out.emplace_back("profile_overrides.pfc_priorities",
                     "[] takes PFC from profile " + name + "; for a design without it name profile lossy-ecn");
  if (effective.pfc_priorities != 0 && !effective.is_lossless(effective.roce_priority))
    out.emplace_back(changes.overrides.contains("roce_priority") ? "profile_overrides.roce_priority"
                                                                 : "profile_overrides.pfc_priorities",
                     "RoCE on priority " + std::to_string(effective.roce_priority) +
                         " would not be lossless: pfc_priorities are " +
                         profile_key_named("pfc_priorities")->get(effective) + "; make roce_priority one of them");
  if (effective.loss_crit < effective.loss_warn)
    out.emplace_back("profile_overrides.loss_crit", number_text(effective.loss_crit) + " is below loss_warn, " +
                                                        number_text(effective.loss_warn) + "; raise it or lower that");
  return out;
}

std::optional<std::string> why_info_only(const Rule& rule, const Profile& profile) {
  const std::string_view id = rule.id;
  if (profile.benchmark_window && (id.ends_with("-pause-high") || id == "pcie-backpressure"))
    return "Info only: the profile says benchmark-window.";
  if (profile.role == Role::StorageTarget && id == "ecn-congested")
    return "Info only: many senders to one receiver are normal for role storage-target.";
  return std::nullopt;
}

}  // namespace roceready::rules
