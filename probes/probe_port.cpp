// SPDX-License-Identifier: Apache-2.0
#include "probes/probe_port.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "core/base/text.h"

namespace roceready::probes {
namespace {

constexpr std::uint32_t kLargestGidIndex = 255;  // the address handle has one byte for it

void fill_random(void* into, std::size_t bytes) {
  // Without randomness no session is safe, and the system call does not fail for so few bytes.
  if (::getrandom(into, bytes, 0) != static_cast<ssize_t>(bytes)) std::abort();
}

bool is_routable(const verbs::Gid& gid) {
  return !verbs::is_link_local(gid) && gid[0] != 0xff &&
         std::any_of(gid.begin(), gid.end(), [](std::uint8_t byte) { return byte != 0; });
}

}  // namespace

Result<verbs::GidEntry> choose_gid(const verbs::PortFacts& facts, const std::optional<verbs::Gid>& like) {
  const verbs::GidEntry* best = nullptr;
  bool any_v2 = false;
  for (const verbs::GidEntry& entry : facts.gids) {
    if (entry.type != verbs::GidType::RoceV2) continue;
    any_v2 = true;
    if (!is_routable(entry.gid) || entry.index > kLargestGidIndex) continue;
    const bool four = verbs::is_ipv4(entry.gid);
    if (like && four != verbs::is_ipv4(*like)) continue;
    if (best == nullptr || (four && !verbs::is_ipv4(best->gid))) best = &entry;
  }
  if (best != nullptr) return *best;
  const std::string family = !like ? "" : verbs::is_ipv4(*like) ? " of IPv4" : " of IPv6";
  return Error{ErrorCode::NotFound,
               any_v2 ? "no RoCE v2 GID" + family + " that can be routed: the netdev has no such address"
                      : "no RoCE v2 GID: the netdev has no address, or the device offers RoCE v1 only",
               "GID table", 0};
}

Result<ProbePort> open_probe_port(verbs::Verbs& verbs, const verbs::PortName& name,
                                  const std::optional<verbs::Gid>& like) {
  auto port = verbs.open(name);
  if (!port) return port.error();
  auto facts = (*port)->facts();
  if (!facts) return facts.error();
  const auto refuse = [&](const char* why) { return Error{ErrorCode::NotSupported, why, name.text(), 0}; };
  if (facts->iwarp) return refuse("iWARP: no datagrams, not RoCE");
  if (facts->link_layer == verbs::LinkLayer::InfiniBand) return refuse("the link layer is InfiniBand, not Ethernet");
  if (!facts->active) return Error{ErrorCode::NotFound, "the port is not active", name.text(), 0};
  if (facts->active_mtu_bytes < 256) return refuse("the port has no valid MTU");
  auto gid = choose_gid(*facts, like);
  if (!gid) return Error{gid.error().code, gid.error().what, name.text(), 0};
  return ProbePort{std::move(*port), std::move(*facts), *gid};
}

Result<ProbePort> first_probe_port(verbs::Verbs& verbs, const std::string& device, std::uint32_t port,
                                   const std::optional<verbs::Gid>& like) {
  const auto names = verbs.list();
  if (!names) return names.error();
  Error last{ErrorCode::NotFound, device.empty() ? "there is no RDMA device" : "there is no such RDMA port",
             device.empty() ? "RDMA" : clean_text(device), 0};
  for (const verbs::PortName& name : *names) {
    if ((!device.empty() && name.device != device) || (port != 0 && name.port != port)) continue;
    auto opened = open_probe_port(verbs, name, like);
    if (opened) return opened;
    last = opened.error();
  }
  return last;
}

Result<ProbePort> port_towards(verbs::Verbs& verbs, const std::string& device, std::uint32_t port,
                               const std::function<bool(const verbs::PortName&)>& may_use, const std::string& host) {
  const auto names = verbs.list();
  if (!names) return names.error();
  Error last{ErrorCode::NotFound, "there is no RDMA port that may probe", device, 0};
  for (const verbs::PortName& name : *names) {
    if ((!device.empty() && device != name.device) || (port != 0 && port != name.port)) continue;
    if (may_use && !may_use(name)) continue;
    auto opened = open_probe_port(verbs, name, verbs::parse_address(host));
    if (!opened && opened.error().code == ErrorCode::NotFound) opened = open_probe_port(verbs, name, std::nullopt);
    if (opened) return opened;
    last = opened.error();
  }
  return last;
}

Endpoint endpoint_of(const ProbePort& port, const NodeLabels& labels) {
  Endpoint out;
  out.device = port.port->name().device;
  out.port = port.port->name().port;
  out.gid = port.gid.gid;
  out.mtu = port.facts.active_mtu_bytes;
  out.label = labels.label;
  if (const auto rail = labels.rails.find(port.port->name().text()); rail != labels.rails.end())
    out.rail = rail->second;
  return out;
}

unsigned common_bits(const verbs::Gid& a, const verbs::Gid& b) {
  if (verbs::is_ipv4(a) != verbs::is_ipv4(b)) return 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto differ = static_cast<std::uint8_t>(a[i] ^ b[i]);
    if (differ != 0) return bits + static_cast<unsigned>(std::countl_zero(differ));
    bits += 8;
  }
  return bits;
}

std::uint32_t flow_label_of_path(std::uint32_t path) {
  // The source port is the lower 14 bits mixed with the upper 6, so the upper stay 0; an odd step visits all of them.
  return 1 + (path * 5227U + 613U) % 0x3ffeU;
}

Result<AddressSet> AddressSet::create(verbs::Ud& ud, const ProbePort& port, const verbs::Gid& to,
                                      std::uint8_t traffic_class, std::uint8_t service_level, std::uint32_t paths) {
  AddressSet out;
  out.ud_ = &ud;
  const std::uint32_t needed = port.facts.flow_label_sets_path ? std::max(paths, 1U) : 1;
  for (std::uint32_t path = 0; path < needed; ++path) {
    verbs::Address address;
    address.gid = to;
    address.own_gid_index = port.gid.index;
    address.traffic_class = traffic_class;
    address.service_level = service_level;
    address.flow_label = port.facts.flow_label_sets_path ? flow_label_of_path(path) : 0;
    const auto handle = ud.make_address(address);
    if (!handle) return handle.error();
    out.handles_.push_back(*handle);
  }
  return out;
}

AddressSet::~AddressSet() {
  for (const verbs::AddressHandle handle : handles_) ud_->drop_address(handle);
}

AddressSet::AddressSet(AddressSet&& other) noexcept : ud_(other.ud_), handles_(std::exchange(other.handles_, {})) {}

AddressSet& AddressSet::operator=(AddressSet&& other) noexcept {
  std::swap(ud_, other.ud_);
  std::swap(handles_, other.handles_);
  return *this;
}

std::uint32_t random_qkey() {
  std::uint32_t out = 0;
  fill_random(&out, sizeof out);
  return (out & 0x7fffffff) | 1;
}

Nonce random_nonce() {
  Nonce out;
  fill_random(out.data(), out.size());
  return out;
}

std::uint64_t random_session() {
  std::uint64_t out = 0;
  while (out == 0) fill_random(&out, sizeof out);
  return out;
}

}  // namespace roceready::probes
