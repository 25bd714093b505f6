// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/settings_drift.h"

namespace roceready::rules {
namespace {

/// Members whose PFC somebody set on this host: not what a switch or the NIC's firmware negotiates.
std::string set_by_hand(const Evidence& seen) {
  constexpr std::uint32_t kManagedByFirmware = 2;
  std::string names;
  for (const std::string& name : seen.port().members) {
    const Netdev* member = seen.now().netdev(name);
    if (member == nullptr || !member->dcb.pfc || member->dcb.pfc->enabled == 0) continue;
    const bool managed = member->dcb.dcbx && (*member->dcb.dcbx & kManagedByFirmware) != 0;
    const bool willing = member->dcb.ets && member->dcb.ets->willing.value_or(false);
    if (!managed && !willing) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

void judge(const Evidence& seen, Outcomes& out) {
  Outcomes kept(Subject{});
  std::vector<EvidenceItem> evidence;
  const bool compared = settings_are_kept(seen, kept);
  if (compared) {
    const std::string lost = drift_words(seen, evidence, [](const SettingDrift& drift) { return drift.after_reboot; });
    if (!evidence.empty()) {
      out.fail(Severity::Warning, "The reboot lost settings, and nothing set them again: " + lost + ".",
               std::move(evidence));
      return;
    }
  }
  const auto& setters = seen.now().host.qos_setters;
  const std::string members = setters && setters->empty() ? set_by_hand(seen) : "";
  if (!members.empty()) {
    out.fail(Severity::Info,
             "PFC is set on " + members + ", and no unit, udev rule or script was found that sets it at a boot.",
             {seen.item("files that set QoS at boot", 0, "count", "==", 0, "/etc/systemd/system, /etc/udev/rules.d…")});
  } else if (compared) {
    out.pass();
  } else {
    (void)settings_are_kept(seen, out);
  }
}

}  // namespace

extern const Rule kHostQosNotPersistent;
constinit const Rule kHostQosNotPersistent{
    .id = "host-qos-not-persistent",
    .since = "0.2",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Port,
    .title = "QoS settings did not survive the reboot",
    .what =
        "Compares trust, priority maps, PFC, ETS, buffers and traffic class after a reboot with what the daemon had "
        "accepted before it. Warning when one differs two minutes later. Info where PFC is set and no file was found "
        "that sets it at a boot.",
    .why =
        "NICs forget these settings: after each reboot the node drops what it should pause for, until somebody looks.",
    .next = "Reapply the settings at each boot: a systemd unit, a udev rule, or the NIC's operator.",
    .likely_causes = {"settings were made by hand",
                      "the unit that makes them failed or runs before the driver is there",
                      "the NIC was renamed, and the script names the old one"},
    .fix = {Recipe::Pfc, Recipe::Trust, Recipe::DscpMap},
    .traps = {"Units may set them a little after boot: it counts two minutes later.",
              "A first boot has nothing to compare with: that passes.",
              "A setting that stands long enough is accepted, see qos-config-drift.",
              "What a container or a script that other scripts name sets is not seen: that is info alone.",
              "PFC that DCBX or the NIC's firmware negotiates needs no file."},
    .facts = {"nic-qos-not-persistent"},
    .hold_seconds = 120,
    .judge = judge,
};

}  // namespace roceready::rules
