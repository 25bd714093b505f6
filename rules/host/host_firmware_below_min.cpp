// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <optional>
#include <string>
#include <vector>

#include "rules/firmware.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const HostDemands& demands = seen.demands();
  if (demands.firmware_min.empty() && demands.firmware_bad.empty())
    return out.not_looked_at("not_configured", "no least firmware is configured",
                             "host.firmware_min in the configuration");
  const Reading<DriverInfo>& driver = seen.member().ethtool.driver;
  if (!driver) return out.unknown(driver.absent());
  const std::vector<std::string> least = versions_for(seen, driver->driver, driver->firmware, demands.firmware_min);
  const std::vector<std::string> bad = versions_for(seen, driver->driver, driver->firmware, demands.firmware_bad);
  if (least.empty() && bad.empty())
    return out.not_looked_at("not_configured", "no entry of host.firmware_min or host.firmware_bad means this NIC",
                             "host.firmware_min in the configuration");
  const std::string source = "driver information of " + netdev_name(seen);
  const std::optional<FirmwareVersion> runs = firmware_version(driver->firmware);
  if (!runs) return out.unknown({Why::Malformed, "the firmware is \"" + driver->firmware + "\""});
  const std::string begin =
      "The NIC of " + netdev_name(seen) + " (" + driver->driver + ") runs firmware " + driver->firmware + ", ";
  for (const std::string& version : bad)
    if (firmware_version(version) == runs)
      return (void)out.fail(Severity::Critical, begin + "which host.firmware_bad says is known to be bad.",
                            {seen.word("firmware", driver->firmware, "!=", version, source)});
  if (const auto missed = least_firmware_missed(seen, driver->driver, driver->firmware))
    return (void)out.fail(Severity::Warning,
                          begin + "older than " + *missed + ", the least that host.firmware_min allows.",
                          {seen.word("firmware", driver->firmware, ">=", *missed, source)});
  out.pass();
}

}  // namespace

extern const Rule kHostFirmwareBelowMin;
constinit const Rule kHostFirmwareBelowMin{
    .id = "host-firmware-below-min",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "NIC firmware is older than allowed, or known to be bad",
    .what =
        "Compares the firmware of the NIC with host.firmware_min (older is a warning) and host.firmware_bad (exactly "
        "this version is critical).",
    .why = "Firmware decides how congestion is handled and counted; known faults come back with an old version.",
    .next = "Install the firmware that the fleet uses, and reset the NIC or reboot.",
    .likely_causes = {"a spare card with the factory's firmware", "the update waits for a reset of the card"},
    .fix = {Recipe::Firmware},
    .traps = {"No least version is built in: without configuration nothing is said.",
              "A NIC that no entry means is not judged.",
              "Versions are compared number by number; what stands behind a blank or a slash is ignored."},
    .facts = {"nic-firmware-strings"},
    .judge = judge,
};

}  // namespace roceready::rules
