// SPDX-License-Identifier: Apache-2.0
// ethtool -i NETDEV: "driver: mlx5_core", "version: …", "firmware-version: …", "bus-info: 0000:3b:00.0".
#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "ethtool") return false;
  auto netdev = word_after(words, "-i");
  if (!netdev) netdev = word_after(words, "--driver");
  if (!netdev) return false;
  if (is_netdev_name(*netdev)) about.netdev = *netdev;
  return true;
}

Fit fit(std::string_view line, About&) {
  const auto pair = key_value(line);
  if (!pair || indent_of(line) > 0) return Fit::No;
  if (pair->key == "driver" && is_device_name(pair->value)) return Fit::Begins;
  if (pair->key == "firmware-version" || pair->key == "bus-info" || pair->key == "expansion-rom-version" ||
      pair->key.starts_with("supports-"))
    return Fit::Certain;
  return pair->key == "version" ? Fit::Possible : Fit::No;
}

void parse(const Section& section, Draft& draft) {
  Netdev& netdev = draft.netdev(section.about.netdev);
  DriverInfo info = netdev.ethtool.driver ? *netdev.ethtool.driver : DriverInfo{};
  for (const Line& line : section.lines) {
    const auto pair = key_value(line.text);
    if (!pair) {
      if (!trim(line.text).empty()) draft.unread(section, line);
      continue;
    }
    draft.cite("ethtool -i " + section.about.netdev, section, line.number);
    if (pair->key == "driver")
      info.driver = pair->value;
    else if (pair->key == "version")
      info.version = pair->value;
    else if (pair->key == "firmware-version")
      info.firmware = pair->value;
    else if (pair->key == "bus-info")
      info.bus_info = pair->value;
  }
  if (const auto address = pci_address(info.bus_info)) netdev.link.parent_device = *address;
  netdev.ethtool.driver = info;
}

}  // namespace

extern const Format kEthtoolDriver;
constinit const Format kEthtoolDriver{"ethtool -i", "ethtool -i NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
