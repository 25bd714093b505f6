// SPDX-License-Identifier: Apache-2.0
#include "rules/firmware.h"

#include "core/base/text.h"

namespace roceready::rules {
namespace {

/// "MT_0000000359" of "22.39.2048 (MT_0000000359)".
std::string psid_of(const std::string& firmware) {
  const auto open = firmware.find('('), close = firmware.find(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  return firmware.substr(open + 1, close - open - 1);
}

}  // namespace

std::optional<FirmwareVersion> firmware_version(std::string_view firmware) {
  firmware = firmware.substr(0, firmware.find_first_not_of("0123456789."));
  FirmwareVersion out;
  for (const std::string_view part : split(firmware, '.')) {
    const auto number = parse_u64(part);
    if (!number) break;
    out.push_back(*number);
  }
  while (!out.empty() && out.size() > 1 && out.back() == 0) out.pop_back();
  if (out.empty()) return std::nullopt;
  return out;
}

std::vector<std::string> versions_for(const Evidence& seen, const std::string& driver, const std::string& firmware,
                                      const std::vector<std::string>& entries) {
  const PciFunction* nic = seen.pci();
  std::vector<std::string> out;
  for (const std::string& entry : entries) {
    const auto blank = entry.find(' ');
    if (blank == std::string::npos) continue;
    const std::string match = entry.substr(0, blank);
    const bool by_id = nic != nullptr && nic->vendor_device && *nic->vendor_device == match;
    if (by_id || match == driver || match == psid_of(firmware)) out.push_back(entry.substr(blank + 1));
  }
  return out;
}

std::optional<std::string> least_firmware_missed(const Evidence& seen, const std::string& driver,
                                                 const std::string& firmware) {
  const auto runs = firmware_version(firmware);
  if (!runs) return std::nullopt;
  for (const std::string& version : versions_for(seen, driver, firmware, seen.demands().firmware_min)) {
    const auto wanted = firmware_version(version);
    if (wanted && *runs < *wanted) return version;
  }
  return std::nullopt;
}

}  // namespace roceready::rules
