// SPDX-License-Identifier: Apache-2.0
// Files of an RDMA device: below /sys/class/infiniband/DEVICE, rdma_cm's in configfs, the drivers' congestion control.
#include <array>

#include "collectors/evidence/counter_names.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/sysfs_facts.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::size_t kMaxText = 4096;

std::string owner(const About& about) {
  return about.device + "/" + std::to_string(about.port == 0 ? 1 : about.port);
}

/// Why a file could not be read, by the message of the tool that tried.
Absent refusal(std::string_view message) {
  const std::string text = lower(message);
  const auto says = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  Why why = Why::Malformed;
  if (says("permission denied") || says("not permitted")) why = Why::Denied;
  if (says("no such file") || says("no such device")) why = Why::NotPresent;
  if (says("not supported") || says("invalid argument")) why = Why::NotSupported;
  return {why, std::string(message)};
}

/// gids/3, gid_attrs/types/3, gid_attrs/ndevs/3. An empty slot is all zeros and has no attributes.
Kept keep_gid(RdmaPort& port, const PathLine& file) {
  const auto index = parse_u64(file.last());
  constexpr std::uint64_t kMostSlots = 65536;
  if (!index || *index >= kMostSlots) return Kept::Senseless;
  const bool invalid = file.value == "EINVAL" || file.value.find("nvalid argument") != std::string_view::npos;
  if ((file.refused || invalid) && !(invalid && file.has("types"))) return Kept::Yes;
  GidPart part;
  part.index = static_cast<std::uint32_t>(*index);
  if (invalid) {
    part.netdev = Absent{Why::OtherNamespace, "the kernel refuses to tell its type (EINVAL)"};
    merge_gid(port, std::move(part));
    return Kept::Yes;
  }
  if (file.has("types")) {
    part.type = gid_type_word(file.value);
    if (part.type.empty()) return Kept::Senseless;
  } else if (file.has("ndevs")) {
    if (!is_netdev_name(file.value)) return Kept::Senseless;
    part.netdev = std::string(file.value);
  } else {
    const auto gid = gid_text(file.value);
    if (!gid) return file.value.find_first_not_of("0:") == std::string_view::npos ? Kept::Yes : Kept::Senseless;
    part.gid = *gid;
  }
  merge_gid(port, std::move(part));
  return Kept::Yes;
}

/// "Global tclass=106"; an empty file: none is set.
Kept keep_traffic_class(RdmaPort& port, const PathLine& file) {
  if (file.refused) {
    port.forced_traffic_class = refusal(file.value);
    return Kept::Yes;
  }
  constexpr std::string_view kKey = "Global tclass=";
  port.vendor_files["tc/" + std::to_string(port.port) + "/traffic_class"] = std::string(file.value.substr(0, kMaxText));
  const auto at = file.value.find(kKey);
  if (at == std::string_view::npos) {
    port.forced_traffic_class = Absent{Why::NotPresent, "no global traffic class is set"};
    return Kept::Yes;
  }
  const std::string_view digits = file.value.substr(at + kKey.size());
  const auto number = parse_u64(digits.substr(0, digits.find_first_not_of("0123456789")));
  if (!number || *number > 255) return Kept::Senseless;
  port.forced_traffic_class = static_cast<std::uint32_t>(*number);
  return Kept::Yes;
}

Kept keep_port_word(RdmaPort& port, const PathLine& file) {
  if (file.refused) return Kept::NoFact;
  const std::string_view name = file.last();
  if (name == "state") {
    const auto word = port_state_word(file.value);
    port.state = word ? Reading<std::string>(*word) : Absent{Why::Malformed, std::string(file.value)};
  } else if (name == "phys_state") {
    const auto word = physical_state_word(file.value);
    port.physical_state = word ? Reading<std::string>(*word) : Absent{Why::Malformed, std::string(file.value)};
  } else if (name == "link_layer") {
    if (file.value != "Ethernet" && file.value != "InfiniBand") return Kept::Senseless;
    port.link_layer = std::string(file.value);
  } else {
    return Kept::NoFact;
  }
  return Kept::Yes;
}

/// Below a port or the device itself: counters, GIDs, words.
Kept keep_device_file(Draft& draft, const PathLine& file, const About& about, const Section& section,
                      std::uint32_t line) {
  RdmaPort& port = named_port(draft, about.device, about.port);
  if (!about.pci.empty()) port.pci_address = about.pci;
  if (file.has("hw_counters") || file.has("counters")) {
    if (file.refused) return Kept::Yes;
    const CounterSet set = file.has("hw_counters") ? CounterSet::Hardware : CounterSet::Port;
    return keep_counter(draft, about, set, file.last(), file.value, section, line) ? Kept::Yes : Kept::Senseless;
  }
  draft.cite("RDMA port " + owner(about), section, line);
  if (file.has("gids") || file.has("gid_attrs")) {
    draft.cite("GID table of " + owner(about), section, line);
    if (file.has("types"))
      draft.cite("GID table of " + owner(about), "gid_attrs/types/" + std::string(file.last()), section, line);
    const auto index = file.has("gids") ? parse_u64(file.last()) : std::nullopt;
    constexpr std::uint64_t kMostSlots = 65536;
    if (index && *index < kMostSlots && !file.refused) draft.gid_slot(owner(about), static_cast<std::uint32_t>(*index));
    return keep_gid(port, file);
  }
  if (file.last() == "traffic_class") {
    draft.cite("traffic class of " + owner(about), section, line);
    return keep_traffic_class(port, file);
  }
  if (file.has("ports")) return keep_port_word(port, file);
  if (file.refused) return Kept::NoFact;
  if (file.last() == "fw_ver") return port.firmware = std::string(file.value), Kept::Yes;
  if (file.last() == "parent" && is_netdev_name(file.value)) return port.netdev = std::string(file.value), Kept::Yes;
  return Kept::NoFact;
}

Kept keep_cma_file(Draft& draft, const PathLine& file, const About& about, const Section& section, std::uint32_t line) {
  RdmaPort& port = named_port(draft, about.device, about.port);
  draft.cite("configfs rdma_cm " + owner(about), section, line);
  if (file.last() == "default_roce_tos") {
    const auto tos = parse_u64(file.value);
    if (!file.refused && (!tos || *tos > 255)) return Kept::Senseless;
    port.cma_default_tos = file.refused ? Reading<std::uint32_t>(refusal(file.value))
                                        : Reading<std::uint32_t>(static_cast<std::uint32_t>(*tos));
    return Kept::Yes;
  }
  if (file.last() != "default_roce_mode") return Kept::NoFact;
  port.cma_default_mode = file.refused ? Reading<std::string>(refusal(file.value)) : std::string(file.value);
  return Kept::Yes;
}

/// The port of a PCI function, made nameless where no file named it: a bundle that has but one port means that one.
RdmaPort& port_of_function(Draft& draft, const std::string& address) {
  std::string device;
  for (const RdmaPort& port : draft.snapshot().ports) {
    const Netdev* netdev = port.netdev ? draft.snapshot().netdev(*port.netdev) : nullptr;
    const bool own = port.pci_address && *port.pci_address == address;
    if (own || (netdev != nullptr && netdev->link.parent_device.value_or("") == address)) device = port.device;
  }
  RdmaPort& port = draft.port(device, 1);
  if (device.empty() && !address.empty()) port.pci_address = address;
  return port;
}

/// `whole`: the line is about the directory itself.
Kept keep_congestion_control(RdmaPort& port, std::string_view directory, bool whole, const PathLine& file) {
  if (whole && !file.refused) return Kept::NoFact;
  const std::string key = std::string(directory) + (whole ? "" : "/" + std::string(file.last()));
  if (file.refused)
    port.vendor_files[key] = refusal_of_vendor_file(file.value);
  else
    port.vendor_files[key] = std::string(file.value.substr(0, kMaxText));
  return Kept::Yes;
}

}  // namespace

Absent refusal_of_vendor_file(std::string_view message) {
  Absent out = refusal(message);
  if (out.why == Why::NotPresent) out.why = Why::NotSupported;
  return out;
}

Kept keep_rdma_file(Draft& draft, const PathLine& file, const About& about, const Section& section,
                    std::uint32_t line) {
  if (file.last() == "infiniband") {
    // Below one device it speaks of that alone.
    const bool of_host = file.has("class") && !file.has("net") && !file.has("device");
    if (!of_host || !file.refused || refusal(file.value).why != Why::NotPresent) return Kept::NoFact;
    draft.has_no_rdma_devices();
    return Kept::Yes;
  }
  for (const std::string_view directory : {"cc_params", "cc_config"}) {
    if (!file.has(directory)) continue;
    return keep_congestion_control(port_of_function(draft, about.pci), directory, file.last() == directory, file);
  }
  if (file.has("irdma") && file.has("config")) {
    const std::string device(file.after("irdma"));
    return keep_congestion_control(named_port(draft, device, 1), "irdma", file.last() == device, file);
  }
  if (file.has("rdma_cm")) return keep_cma_file(draft, file, about, section, line);
  return keep_device_file(draft, file, about, section, line);
}

}  // namespace roceready::evidence
