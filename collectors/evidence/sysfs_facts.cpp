// SPDX-License-Identifier: Apache-2.0
// Files of a netdev, of a PCI function and of the host below /sys and /proc/sys.
#include "collectors/evidence/sysfs_facts.h"

#include <array>

#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "collectors/node_parse.h"
#include "collectors/pci_parse.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::size_t kMaxText = 4096;

Reading<std::uint32_t> number_reading(std::string_view text, std::string_view what) {
  const auto number = parse_u64(trim(text));
  if (!number || *number > UINT32_MAX)
    return Absent{Why::Malformed, std::string(what) + " is \"" + std::string(text) + "\""};
  return static_cast<std::uint32_t>(*number);
}

/// "100000" megabits per second; -1 and 4294967295 say that there is no link.
Kept keep_speed(Netdev& netdev, std::string_view text) {
  LinkModes modes = netdev.ethtool.link_modes ? *netdev.ethtool.link_modes : LinkModes{};
  const auto megabits = parse_i64(trim(text));
  constexpr std::int64_t kUnknown = UINT32_MAX, kMega = 1'000'000;
  if (!megabits) return Kept::Senseless;
  if (*megabits <= 0 || *megabits >= kUnknown)
    modes.speed_bits_per_second = Absent{Why::NotPresent, "no speed while there is no link"};
  else
    modes.speed_bits_per_second = static_cast<std::uint64_t>(*megabits * kMega);
  netdev.ethtool.link_modes = std::move(modes);
  return Kept::Yes;
}

Kept keep_carrier(Netdev& netdev, const PathLine& file) {
  if (file.refused) {  // EINVAL while the netdev is administratively down
    netdev.link.carrier = Absent{Why::NotPresent, std::string(file.value)};
    return Kept::Yes;
  }
  if (file.value != "0" && file.value != "1") return Kept::Senseless;
  netdev.link.carrier = file.value == "1";
  return Kept::Yes;
}

/// Files whose text is the fact.
/// By the names of the items of evidence that rest on the file.
void cite_plain_netdev_file(Draft& draft, const PathLine& file, const std::string& netdev, const Section& section,
                            std::uint32_t line) {
  if (file.last() == "speed") draft.cite("ethtool " + netdev, "negotiated speed", section, line);
  if (file.last() != "mtu") return;
  for (const std::string& name : {std::string("netdev MTU"), std::string("RDMA MTU"), "MTU of " + netdev})
    draft.cite("rtnetlink " + netdev, name, section, line);
}

Kept keep_plain_netdev_file(Netdev& netdev, const PathLine& file) {
  NetLink& link = netdev.link;
  const std::string_view name = file.last();
  if (name == "carrier") return keep_carrier(netdev, file);
  if (file.refused) return Kept::NoFact;
  const std::string text(file.value);
  if (name == "mtu")
    link.mtu = number_reading(text, "mtu");
  else if (name == "operstate")
    link.oper_state = text;
  else if (name == "carrier_down_count")
    link.carrier_down_count = number_reading(text, name);
  else if (name == "carrier_up_count")
    link.carrier_up_count = number_reading(text, name);
  else if (name == "phys_port_name")
    link.phys_port_name = text;
  else if (name == "phys_switch_id")
    link.phys_switch_id = text;
  else if (name == "ifindex")
    link.index = number_reading(text, name).value_or(0);
  else if (name == "speed")
    return keep_speed(netdev, text);
  else
    return Kept::NoFact;
  return Kept::Yes;
}

Kept keep_aer(PciFunction& function, const PathLine& file) {
  constexpr std::string_view kTotal = "TOTAL_ERR_";
  const std::string kind(file.last().substr(std::string_view("aer_dev_").size()));
  const auto words = words_of(file.value);
  if (words.size() != 2) return Kept::Senseless;
  const auto number = parse_u64(words[1]);
  if (!number) return Kept::Senseless;
  if (!words[0].starts_with(kTotal)) return Kept::Yes;  // one kind of error; the total holds it
  if (!function.aer) function.aer = std::map<std::string, std::uint64_t>();
  (*function.aer)[kind] = *number;
  return Kept::Yes;
}

std::string without_0x(std::string_view text) {
  return std::string(text.starts_with("0x") ? text.substr(2) : text);
}

/// vendor and device are two files; the fact is "vendor:device".
void keep_id(PciFunction& function, bool vendor, std::string_view text) {
  const std::string known = function.vendor_device.value_or(":");
  const auto colon = known.find(':');
  const std::string id = without_0x(text);
  function.vendor_device = vendor ? id + known.substr(colon) : known.substr(0, colon + 1) + id;
}

Kept keep_numa_node(PciFunction& function, std::string_view text) {
  const auto node = parse_i64(text);
  function.numa_node =
      node ? Reading<std::int64_t>(*node) : Absent{Why::Malformed, "numa_node is \"" + std::string(text) + "\""};
  return Kept::Yes;
}

}  // namespace

Kept keep_netdev_file(Draft& draft, const PathLine& file, const About& about, const Section& section,
                      std::uint32_t line) {
  Netdev& netdev = draft.netdev(about.netdev);
  if (!about.pci.empty()) netdev.link.parent_device = about.pci;
  for (const std::string_view directory : {"qos", "ecn"}) {
    if (!file.has(directory)) continue;
    std::string key;
    bool inside = false;
    for (const std::string_view part : file.parts) {
      inside = inside || part == directory;
      if (inside) key += (key.empty() ? "" : "/") + std::string(part);
    }
    if (file.refused) {
      netdev.vendor_files[key] = refusal_of_vendor_file(file.value);
      return Kept::Yes;
    }
    netdev.vendor_files[key] = std::string(file.value.substr(0, kMaxText));
    if (key == "qos/trust") netdev.dcb.trust = std::string(file.value);
    draft.cite("/sys/class/net/" + about.netdev + "/" + key, section, line);
    if (key == "qos/trust") draft.cite("DCB netlink " + about.netdev, "trust", section, line);
    return Kept::Yes;
  }
  draft.cite((file.last() == "speed" ? "ethtool " : "rtnetlink ") + about.netdev, section, line);
  const bool own = !file.has("statistics") && !file.has("queues") && !file.has("power") && !file.has("device");
  if (own && !file.refused) cite_plain_netdev_file(draft, file, about.netdev, section, line);
  return own ? keep_plain_netdev_file(netdev, file) : Kept::NoFact;
}

Kept keep_pci_file(Draft& draft, const PathLine& file, const About& about, const Section& section, std::uint32_t line) {
  PciFunction& function = draft.function(about.pci);
  const std::string name(file.last());
  const std::string base = "/sys/bus/pci/devices/" + about.pci;
  draft.cite(base, section, line);
  draft.cite(base + "/" + (file.has("iommu_group") ? "iommu_group/" + name : name), section, line);
  if (file.refused) return Kept::NoFact;
  for (std::size_t i = 0; i + 1 < file.parts.size(); ++i) {
    if (is_pci_address(file.parts[i]) && is_pci_address(file.parts[i + 1]) && lower(file.parts[i + 1]) == about.pci)
      function.parent = lower(file.parts[i]);
  }
  if (name == "current_link_speed")
    function.current_speed = parse_pci_speed(file.value);
  else if (name == "max_link_speed")
    function.max_speed = parse_pci_speed(file.value);
  else if (name == "current_link_width")
    function.current_width = parse_pci_width(file.value);
  else if (name == "max_link_width")
    function.max_width = parse_pci_width(file.value);
  else if (name == "numa_node")
    return keep_numa_node(function, file.value);
  else if (name == "vendor" || name == "device")
    keep_id(function, name == "vendor", file.value);
  else if (name == "type" && file.has("iommu_group"))
    function.iommu_group_type = std::string(file.value);
  else if (name == "aer_dev_correctable" || name == "aer_dev_nonfatal" || name == "aer_dev_fatal")
    return keep_aer(function, file);
  else
    return Kept::NoFact;
  return Kept::Yes;
}

Kept keep_host_file(Draft& draft, const PathLine& file, const Section& section, std::uint32_t line) {
  HostFacts& host = draft.host();
  const std::string_view name = file.last();
  const std::string text(file.value);
  draft.cite("/" + std::string(file.path.substr(file.path.starts_with("/") ? 1 : 0)), section, line);
  if (file.refused) return Kept::NoFact;
  if (name == "numa_balancing")
    host.numa_balancing = number_reading(text, name);
  else if (name == "scaling_governor")
    host.cpu_governor = text;
  else if (name == "scaling_driver")
    host.cpu_frequency_driver = text;
  else if (file.has("iommu_groups"))
    host.iommu_present = true;
  else if (name == "hostname" && file.has("kernel"))
    draft.node().hostname = text;
  else if (name == "osrelease" && file.has("kernel"))
    draft.node().kernel = text;
  else if (name == "boot_id")
    draft.node().boot_id_hash = hash_text(text);
  else
    return Kept::NoFact;
  return Kept::Yes;
}

Kept keep_file(Draft& draft, const PathLine& file, const About& section_about, const Section& section,
               std::uint32_t line) {
  About about = about_of_path(file);
  const bool of_rdma = file.has("infiniband") || file.has("rdma_cm") || file.has("hw_counters") ||
                       file.has("gid_attrs") || file.has("gids") || file.has("cc_params") || file.has("cc_config") ||
                       (file.has("irdma") && file.has("config")) || (file.has("counters") && !file.has("net"));
  if (of_rdma) {
    if (about.device.empty()) about.device = section_about.device;
    if (about.port == 0) about.port = section_about.port;
    return keep_rdma_file(draft, file, about, section, line);
  }
  if (!about.netdev.empty()) return keep_netdev_file(draft, file, about, section, line);
  if (!about.pci.empty()) return keep_pci_file(draft, file, about, section, line);
  return keep_host_file(draft, file, section, line);
}

}  // namespace roceready::evidence
