// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/mlx5_host.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>

#include "collectors/module_eeprom.h"
#include "core/host/answer_key.h"
#include "tests/doubles/mlx5_files.h"
#include "tests/doubles/mlx5_names.h"
#include "tests/doubles/mlx5_payloads.h"

namespace roceready::doubles {
namespace {

constexpr std::uint32_t kFirstVirtualIndex = 1000;

std::uint64_t number_of(const Numbers& numbers, const std::string& name) {
  const auto at = numbers.find(name);
  return at == numbers.end() ? 0 : at->second;
}

Answer data(std::string bytes) {
  Answer out;
  out.data = std::move(bytes);
  return out;
}

Answer list_of(std::vector<std::string> items) {
  Answer out;
  out.kind = Answer::Kind::List;
  out.items = std::move(items);
  return out;
}

Answer refusal(int number, const std::string& key) {
  Answer out;
  out.kind = Answer::Kind::Refused;
  out.error = os_error(number, "refused", key);
  return out;
}

std::string virtual_name(std::size_t i) {
  return "ens0v" + std::to_string(i);
}

/// Everything about one sample goes in here.
class Builder {
 public:
  Builder(const Mlx5Host& host, std::size_t sample, RecordedSample& out) : host_(host), sample_(sample), out_(out) {}

  void build() {
    for (const Mlx5Member& member : host_.members) add_member(member);
    add_links();
    if (host_.rdma_loaded) add_rdma();
    for (const auto& [path, text] : files_of(host_, sample_)) put(answer_key::file(path), data(text));
    for (const auto& [path, target] : symbolic_links_of(host_)) put(answer_key::link(path), data(target));
    for (const auto& [path, names] : directories_of(host_)) put(answer_key::list(path), list_of(names));
    for (const char* gpu : {"amdgpu", "habanalabs", "nvidia"}) {
      const std::string key = answer_key::list(std::string("/sys/bus/pci/drivers/") + gpu);
      put(key, refusal(ENOENT, key));
    }
    for (const auto& [path, text] : host_.files) put(answer_key::file(path), data(text));
    for (const auto& [key, number] : host_.refuse) put(key, refusal(number, key));
    for (const std::string& key : host_.remove) out_.answers.erase(key);
  }

 private:
  void put(const std::string& key, Answer answer) { out_.answers[key] = std::move(answer); }

  void add_member(const Mlx5Member& member) {
    const std::string& name = member.netdev;
    put(answer_key::ethtool("driver_info", name), data(driver_info(member)));
    put(answer_key::ethtool("pfc_prevention_timeout", name), data(std::string("\x40\x1f", 2)));  // 8000 ms
    std::vector<std::string> names =
        member.nic != nullptr ? member.nic->names(member.nic->statistics)
                              : mlx5_statistics_names(member.pfc, member.pause_rx || member.pause_tx, member.channels);
    names.insert(names.end(), member.extra_statistics.begin(), member.extra_statistics.end());
    std::vector<std::uint64_t> values;
    for (const std::string& one : names) values.push_back(member.statistics.value(one, sample_));
    put(answer_key::ethtool("statistics_names", name), data(statistics_names(names)));
    put(answer_key::ethtool("statistics_values", name), data(statistics_values(values)));
    put(answer_key::ethtool(EthtoolMessage::LinkInfo, name), data(link_info(member)));
    put(answer_key::ethtool(EthtoolMessage::LinkModes, name), data(link_modes(member)));
    put(answer_key::ethtool(EthtoolMessage::LinkState, name), data(link_state(member)));
    const std::string module_key = answer_key::module_eeprom(name, kModuleHead);
    put(module_key, refusal(host_.privileged ? EOPNOTSUPP : EPERM, module_key));
    put(answer_key::ethtool(EthtoolMessage::Rings, name), data(rings(member)));
    put(answer_key::ethtool(EthtoolMessage::Pause, name), data(pause(member, sample_)));
    const std::string fec_key = answer_key::ethtool(EthtoolMessage::Fec, name);
    const bool fec_shown = member.nic == nullptr || member.nic->fec_shown;
    put(fec_key, fec_shown ? data(fec(member, sample_)) : refusal(EOPNOTSUPP, fec_key));
    if (member.nic != nullptr && !member.nic->dcb) {
      for (const std::string& key : {answer_key::dcb_ieee(name), answer_key::dcb_dcbx(name)})
        put(key, refusal(EOPNOTSUPP, key));
      return;
    }
    put(answer_key::dcb_ieee(name), data(dcb_ieee(member, sample_)));
    put(answer_key::dcb_dcbx(name), data(dcb_dcbx(member)));
  }

  void add_links() {
    LinkMessage loopback;
    loopback.name = "lo";
    loopback.hardware = 772;
    loopback.mtu = 65536;
    loopback.mac = "00:00:00:00:00:00";
    LinkMessage management;
    management.name = "eno1";
    management.index = 2;
    management.pci = "0000:01:00.0";
    std::vector<std::string> links{link_message(loopback), link_message(management)};
    std::vector<std::string> addresses{address_message(1, "127.0.0.1", 8, "lo"), address_message(1, "::1", 128, "lo"),
                                       address_message(2, "192.168.7.17", 24, "eno1")};
    for (const Mlx5Member& member : host_.members) add_member_link(member, links, addresses);
    if (host_.bond) add_bond_link(links, addresses);
    for (std::uint32_t i = 0; i < host_.virtual_functions; ++i) links.push_back(link_message(virtual_link(i)));
    std::uint32_t index = 900;
    for (const std::string& name : host_.more_links) {
      LinkMessage link;
      link.name = name;
      link.index = ++index;
      link.kind = "dummy";
      links.push_back(link_message(link));
    }
    put(answer_key::kLinks, list_of(std::move(links)));
    put(answer_key::kAddresses, list_of(std::move(addresses)));
    put(answer_key::kRules, list_of({}));
  }

  void add_member_link(const Mlx5Member& member, std::vector<std::string>& links, std::vector<std::string>& addresses) {
    LinkMessage link;
    link.name = member.netdev;
    link.index = member.index;
    link.mtu = member.mtu;
    link.carrier = member.carrier;
    link.admin_up = member.admin_up;
    link.carrier_downs = member.carrier_downs;
    link.physical_port = member.physical_port;
    link.pci = member.pci;
    link.mac = member.mac;
    link.hardware = is_infiniband(member) ? 32 : 1;
    if (host_.bond) link.master = host_.bond->index;
    links.push_back(link_message(link));
    if (host_.bond) return;
    if (!member.address.empty()) addresses.push_back(address_message(member.index, member.address, 24, member.netdev));
    addresses.push_back(address_message(member.index, link_local_address(member.mac), 64, member.netdev));
  }

  void add_bond_link(std::vector<std::string>& links, std::vector<std::string>& addresses) {
    LinkMessage link;
    link.name = host_.bond->name;
    link.index = host_.bond->index;
    link.bond = true;
    link.bond_mode = host_.bond->mode;
    link.mtu = host_.members.front().mtu;
    link.mac = host_.members.front().mac;
    link.carrier = std::any_of(host_.members.begin(), host_.members.end(), [](const auto& one) { return one.carrier; });
    links.push_back(link_message(link));
    addresses.push_back(address_message(link.index, host_.bond->address, 24, link.name));
    addresses.push_back(address_message(link.index, link_local_address(link.mac), 64, link.name));
  }

  LinkMessage virtual_link(std::uint32_t i) const {
    LinkMessage link;
    link.name = virtual_name(i);
    link.index = kFirstVirtualIndex + i;
    link.pci = virtual_pci(host_.members.front().pci, i);
    link.carrier = host_.members.front().carrier;
    char mac[18];
    std::snprintf(mac, sizeof mac, "ce:00:00:00:01:%02x", i & 0xffU);
    link.mac = mac;
    return link;
  }

  bool is_infiniband(const Mlx5Member& member) const {
    return std::any_of(host_.devices.begin(), host_.devices.end(),
                       [&](const Mlx5Device& device) { return device.infiniband && device.pci == member.pci; });
  }

  const Mlx5Member& member_of(const Mlx5Device& device) const {
    for (const Mlx5Member& member : host_.members)
      if (member.pci == device.pci) return member;
    assert(!"every device has a member with its PCI function");
    return host_.members.front();
  }

  void add_rdma() {
    std::vector<std::string> devices;
    std::uint32_t index = 0;
    for (const Mlx5Device& device : host_.devices) devices.push_back(add_device(index++, device));
    for (std::uint32_t i = 0; i < host_.virtual_functions; ++i) {
      Mlx5Device device;
      device.name = virtual_device(host_, i);
      device.netdev = virtual_name(i);
      devices.push_back(rdma_device(index, device, host_.members.front().firmware));
      put(answer_key::rdma_port(device.name, 1), data(rdma_port(index++, device, kFirstVirtualIndex + i)));
    }
    put(answer_key::kRdmaDevices, list_of(std::move(devices)));
  }

  std::string add_device(std::uint32_t index, const Mlx5Device& device) {
    const Mlx5Member& member = member_of(device);
    const std::uint32_t netdev_index = device.infiniband ? 0 : host_.bond ? host_.bond->index : member.index;
    std::vector<Gid> gids{{link_local_address(member.mac), false}, {link_local_address(member.mac), true}};
    const std::string address = host_.bond ? host_.bond->address : member.address;
    if (!address.empty()) gids.insert(gids.end(), {{"::ffff:" + address, false}, {"::ffff:" + address, true}});
    if (device.gids) gids = *device.gids;
    put(answer_key::rdma_port(device.name, 1), data(rdma_port(index, device, netdev_index)));
    put(answer_key::verbs_port(device.name, 1), data(port_attributes(device, member.mtu)));
    put(answer_key::verbs_gids(device.name), data(gid_table(gids, netdev_index)));
    std::vector<std::pair<std::string, std::uint64_t>> counters;
    const NicModel* nic = member.nic;
    for (const std::string& name : nic != nullptr ? nic->names(nic->hardware) : mlx5_hardware_counter_names())
      counters.emplace_back(name, device.hardware.value(name, sample_));
    const std::string key = answer_key::rdma_statistics(device.name, 1);
    put(key, counters.empty() ? refusal(EINVAL, key) : data(rdma_statistics(index, device.name, counters)));
    return rdma_device(index, device, member.firmware, nic != nullptr ? nic->protocol : "roce");
  }

  const Mlx5Host& host_;
  const std::size_t sample_;
  RecordedSample& out_;
};

}  // namespace

std::uint64_t CounterTrack::value(const std::string& name, std::size_t sample) const {
  std::uint64_t out = number_of(start, name);
  for (std::size_t i = 1; i <= sample; ++i) {
    const auto special = in_sample.find(i);
    const bool changed = special != in_sample.end() && special->second.contains(name);
    out += changed ? special->second.at(name) : number_of(per_sample, name);
  }
  return out;
}

Recording Mlx5Host::build() const {
  Recording out;
  out.info.layout = "raw";
  out.info.origin = "made up from documented names";
  out.info.kernel = kernel;
  const bool other = !members.empty() && members.front().nic != nullptr;
  out.info.driver = other ? members.front().nic->driver : "mlx5_core";
  out.samples.resize(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::int64_t at =
        static_cast<std::int64_t>(uptime_seconds * 1e9) + static_cast<std::int64_t>(i) * 1'000'000'000;
    const std::int64_t wall = start_wall_ns + static_cast<std::int64_t>(i) * 1'000'000'000;
    constexpr std::int64_t kReadNs = 3'000'000;
    out.samples[i].clock = {{at, wall}, {at + kReadNs, wall + kReadNs}};
    Builder(*this, i, out.samples[i]).build();
  }
  // A recording holds what changed.
  for (std::size_t i = samples; i-- > 1;) {
    std::erase_if(out.samples[i].answers, [&](const auto& entry) {
      const Answer* before = out.find(i - 1, entry.first);
      return before != nullptr && *before == entry.second;
    });
  }
  return out;
}

}  // namespace roceready::doubles
