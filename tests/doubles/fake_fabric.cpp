// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/fake_fabric.h"

#include "tests/doubles/fake_queues.h"

namespace roceready::doubles {
namespace {

constexpr std::int64_t kWireNs = 2'000;  // one way, both NICs included
constexpr std::size_t kIpBytes = 20, kGrhBytes = 40;

void put16(std::vector<std::byte>& bytes, std::size_t at, std::size_t value) {
  bytes[at] = std::byte(value >> 8 & 0xff);
  bytes[at + 1] = std::byte(value & 0xff);
}

/// What a NIC writes in front of a datagram: an IPv4 header in the last 20 bytes, or an IPv6 header.
std::vector<std::byte> grh_of(const vb::Gid& from, const vb::Gid& to, std::uint8_t traffic_class, std::uint8_t ttl,
                              std::size_t payload) {
  std::vector<std::byte> grh(kGrhBytes);
  const std::size_t udp = payload + 8 + 12 + 8 + 4;
  if (!vb::is_ipv4(from)) {
    grh[0] = std::byte(0x60 | traffic_class >> 4);
    grh[1] = std::byte((traffic_class & 15) << 4);
    put16(grh, 4, udp);
    grh[6] = std::byte{17};
    grh[7] = std::byte{ttl};
    for (std::size_t i = 0; i < 16; ++i) grh[8 + i] = std::byte{from[i]}, grh[24 + i] = std::byte{to[i]};
    return grh;
  }
  const std::size_t ip = kGrhBytes - kIpBytes;
  grh[ip] = std::byte{0x45};
  grh[ip + 1] = std::byte{traffic_class};
  put16(grh, ip + 2, udp + kIpBytes);
  grh[ip + 6] = std::byte{0x40};
  grh[ip + 8] = std::byte{ttl};
  grh[ip + 9] = std::byte{17};
  for (std::size_t i = 0; i < 4; ++i)
    grh[ip + 12 + i] = std::byte{from[12 + i]}, grh[ip + 16 + i] = std::byte{to[12 + i]};
  unsigned sum = 0;
  for (std::size_t i = 0; i < kIpBytes; i += 2)
    sum += std::to_integer<unsigned>(grh[ip + i]) << 8 | std::to_integer<unsigned>(grh[ip + i + 1]);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  put16(grh, ip + 10, ~sum & 0xffff);
  return grh;
}

bool matches(const FabricRule& rule, const std::string& from, const std::string& to, std::uint32_t source_qp,
             std::size_t bytes) {
  return (rule.from.empty() || rule.from == from) && (rule.to.empty() || rule.to == to) &&
         (!rule.source_qp || *rule.source_qp == source_qp) && (rule.longer_than == 0 || bytes > rule.longer_than);
}

}  // namespace

double FakeFabric::chance() {
  return static_cast<double>(random_() >> 11) * 0x1p-53;
}

FakeFabric::Device* FakeFabric::device_at(const vb::Gid& gid) {
  const auto found = by_gid_.find(gid);
  return found == by_gid_.end() ? nullptr : found->second;
}

/// Of two ports with one address the first has it.
void FakeFabric::index_addresses() {
  by_gid_.clear();
  for (const auto& device : devices_) {
    device->gids.clear();
    for (const std::string& address : device->setup.addresses) {
      device->gids.push_back(*vb::parse_address(address));
      by_gid_.try_emplace(device->gids.back(), device.get());
    }
  }
}

std::vector<std::int64_t> FakeFabric::fate(Packet& packet) {
  if (rules_.empty()) return {kWireNs};
  const std::string from = vb::address_text(packet.from), to = vb::address_text(packet.to);
  std::int64_t delay = kWireNs;
  double duplicates = 0;
  std::int64_t jitter = 0;
  for (const auto& [number, rule] : rules_) {
    if (!matches(rule, from, to, packet.source_qp, packet.bytes)) continue;
    if (rule.loss > 0 && chance() < rule.loss) return {};
    delay += rule.delay_ns;
    jitter += rule.jitter_ns;
    duplicates = std::max(duplicates, rule.duplicates);
    if (rule.dscp) packet.traffic_class = static_cast<std::uint8_t>(*rule.dscp << 2 | (packet.traffic_class & 3));
    if (rule.mark_ce && (packet.traffic_class & 3) != 0) packet.traffic_class |= 3;
    if (rule.bleach) packet.traffic_class &= 0xfc;
  }
  std::vector<std::int64_t> copies(duplicates > 0 && chance() < duplicates ? 2 : 1);
  for (std::int64_t& copy : copies) copy = delay + static_cast<std::int64_t>(chance() * static_cast<double>(jitter));
  return copies;
}

void FakeFabric::carry(FakeUd& from, const vb::UdSend& what, const vb::Address& to) {
  const std::vector<std::byte> payload(what.payload.begin(), what.payload.end());
  Packet packet{from.device_.gids.at(to.own_gid_index - 1),
                to.gid,
                from.number(what.queue_pair),
                payload.size(),
                to.traffic_class,
                64};
  ++datagrams_;
  if (tap) tap(payload, to.traffic_class);
  if (payload.size() > from.device_.setup.mtu_bytes) return;
  for (const std::int64_t delay : fate(packet))
    deliver(packet, what.to_queue_pair, what.to_qkey, payload, now_ns_ + delay);
}

void FakeFabric::deliver(Packet packet, std::uint32_t queue_pair, std::uint32_t qkey,
                         const std::vector<std::byte>& payload, std::int64_t at_ns) {
  Device* const device = device_at(packet.to);
  if (device == nullptr || !device->up || payload.size() > device->setup.mtu_bytes) return;
  const auto above = uds_.upper_bound(queue_pair);
  if (above == uds_.begin()) return;
  FakeUd* const ud = std::prev(above)->second;
  if (&ud->device_ != device || ud->options_.qkey != qkey || queue_pair >= ud->first_ + ud->options_.queue_pairs ||
      payload.size() > ud->options_.payload_bytes)
    return;
  const std::size_t ring = queue_pair - ud->first_;
  if (ud->free_receives_[ring] == 0) return;  // as a NIC: no receive posted, silently dropped
  --ud->free_receives_[ring];
  Pending pending{at_ns,   {},   grh_of(packet.from, packet.to, packet.traffic_class, 61, payload.size()),
                  payload, ring, true};
  if (device->setup.zeroed_grh) std::fill(pending.grh.begin(), pending.grh.end(), std::byte{0});
  pending.completion.operation = vb::Operation::Receive;
  pending.completion.queue_pair = queue_pair;
  pending.completion.source_queue_pair = packet.source_qp;
  if (device->setup.nic_clock) pending.completion.nic_ns = at_ns + device->clock_offset_ns;
  ud->pending_.add(std::move(pending));
}

void FakeFabric::inject(const std::string& to_address, std::uint32_t queue_pair, std::uint32_t qkey,
                        const std::vector<std::byte>& payload) {
  const Guard guard(lock_);
  const vb::Gid to = *vb::parse_address(to_address);
  deliver({*vb::parse_address(vb::is_ipv4(to) ? "192.0.2.66" : "2001:db8::66"), to, 0x666, payload.size(), 0, 64},
          queue_pair, qkey, payload, now_ns_ + kWireNs);
}

// ---- ports ----

class FakePort : public vb::Port {
 public:
  FakePort(FakeFabric& fabric, FakeFabric::Device& device)
      : fabric_(fabric), device_(device), name_{device.setup.device, device.setup.port} {
    ++fabric_.objects_;
  }
  ~FakePort() override {
    const Guard guard(fabric_.lock_);
    --fabric_.objects_;
  }
  [[nodiscard]] const vb::PortName& name() const override { return name_; }
  Result<vb::PortFacts> facts() override {
    const Guard guard(fabric_.lock_);
    if (device_.gone) return device_gone();
    vb::PortFacts out;
    out.active = device_.up;
    out.link_layer = vb::LinkLayer::Ethernet;
    out.active_mtu_bytes = device_.setup.mtu_bytes;
    std::uint32_t index = 0;
    if (!device_.setup.addresses.empty())
      out.gids.push_back(
          {index++, *vb::parse_address(device_.setup.addresses[0]), vb::GidType::RoceV1, device_.setup.subnet_bits});
    for (const std::string& address : device_.setup.addresses)
      out.gids.push_back({index++, *vb::parse_address(address), vb::GidType::RoceV2, device_.setup.subnet_bits});
    out.driver = "fake";
    out.nic_clock = device_.setup.nic_clock;
    out.max_send_requests = out.max_completions = 65536;
    out.max_sge = 16;
    out.flow_label_sets_path = device_.setup.flow_labels;
    out.kernel = {0x5254000000000000 + std::hash<std::string>()(device_.node + device_.setup.device) % 0xffffff + 1,
                  device_.setup.port, std::nullopt};
    return out;
  }
  Result<std::unique_ptr<vb::Ud>> make_ud(const vb::UdOptions& options) override {
    const Guard guard(fabric_.lock_);
    if (device_.gone) return device_gone();
    return std::unique_ptr<vb::Ud>(std::make_unique<FakeUd>(fabric_, device_, options));
  }
  Result<std::unique_ptr<vb::Rc>> make_rc(const vb::RcOptions& options) override {
    const Guard guard(fabric_.lock_);
    if (device_.gone) return device_gone();
    if (options.buffer_bytes > device_.setup.lockable_bytes)
      return Error{ErrorCode::Io, "cannot register the buffer with the NIC: the limit of locked memory is too low",
                   name_.text(), 0};
    return std::unique_ptr<vb::Rc>(std::make_unique<FakeRc>(fabric_, device_, options));
  }
  [[nodiscard]] int event_fd() const override { return -1; }
  std::vector<vb::Event> events() override {
    const Guard guard(fabric_.lock_);
    return std::exchange(device_.events, {});
  }

 private:
  FakeFabric& fabric_;
  FakeFabric::Device& device_;
  vb::PortName name_;
};

class FakeNode : public vb::Verbs {
 public:
  FakeNode(FakeFabric& fabric, std::string name) : fabric_(fabric), name_(std::move(name)) {}
  Result<std::vector<vb::PortName>> list() override {
    const Guard guard(fabric_.lock_);
    std::vector<vb::PortName> out;
    for (const auto& device : fabric_.devices_)
      if (device->node == name_ && !device->gone && device->listed)
        out.push_back({device->setup.device, device->setup.port});
    return out;
  }
  Result<std::unique_ptr<vb::Port>> open(const vb::PortName& name) override {
    const Guard guard(fabric_.lock_);
    for (const auto& device : fabric_.devices_)
      if (device->node == name_ && !device->gone && device->listed && device->setup.device == name.device &&
          name.port == device->setup.port)
        return std::unique_ptr<vb::Port>(std::make_unique<FakePort>(fabric_, *device));
    return Error{ErrorCode::NotFound, "there is no such RDMA port", name.text(), 0};
  }
  [[nodiscard]] std::int64_t now_ns() const override { return fabric_.now_ns(); }
  [[nodiscard]] std::int64_t waited_ns() const override {
    const Guard guard(fabric_.lock_);
    return fabric_.waited_[name_];
  }

 private:
  FakeFabric& fabric_;
  std::string name_;
};

FakeFabric::FakeFabric() = default;
FakeFabric::~FakeFabric() = default;

vb::Verbs& FakeFabric::node(const std::string& name) {
  const Guard guard(lock_);
  auto& node = nodes_[name];
  if (node == nullptr) node = std::make_unique<FakeNode>(*this, name);
  return *node;
}

void FakeFabric::add_port(const std::string& node, const FakePortSetup& setup) {
  const Guard guard(lock_);
  devices_.push_back(std::make_unique<Device>());
  devices_.back()->node = node;
  devices_.back()->setup = setup;
  // Each NIC counts from an epoch of its own: a difference of two NICs' times would be absurd, and is seen.
  devices_.back()->clock_offset_ns = static_cast<std::int64_t>(devices_.size()) * 1'000'000'000'000;
  index_addresses();
}

std::int64_t FakeFabric::now_ns() const {
  const Guard guard(lock_);
  return now_ns_;
}

void FakeFabric::advance(std::int64_t ns) {
  const Guard guard(lock_);
  now_ns_ += ns;
}

std::optional<std::int64_t> FakeFabric::next_ns() const {
  const Guard guard(lock_);
  std::optional<std::int64_t> out;
  const auto consider = [&out](std::optional<std::int64_t> at) {
    if (at && (!out || *at < *out)) out = at;
  };
  for (const auto& [number, ud] : uds_) consider(ud->pending_.next_after(now_ns_));
  for (const FakeRc* rc : rcs_) consider(rc->pending_.next_after(now_ns_));
  return out;
}

int FakeFabric::add_rule(const FabricRule& rule) {
  const Guard guard(lock_);
  rules_[next_rule_] = rule;
  return next_rule_++;
}

void FakeFabric::remove_rule(int number) {
  const Guard guard(lock_);
  rules_.erase(number);
}

void FakeFabric::kill_port(const std::string& node, const std::string& device, vb::EventKind kind, std::uint32_t port) {
  const Guard guard(lock_);
  const bool whole = kind == vb::EventKind::DeviceFatal;
  for (const auto& each : devices_) {
    if (each->node != node || each->setup.device != device) continue;
    if (whole || each->setup.port == port) each->up = false;
    each->gone = whole;
    for (FakeRc* rc : rcs_)
      if (&rc->device_ == each.get() && !each->up) rc->lose_port();
    each->events.push_back({kind, whole ? 0U : port, whole ? "device fatal" : "port error"});
  }
}

void FakeFabric::hold_sends(const std::string& node, const std::string& device, bool holds) {
  const Guard guard(lock_);
  for (const auto& each : devices_)
    if (each->node == node && each->setup.device == device) each->holds = holds;
}

void FakeFabric::remove_device(const std::string& node, const std::string& device) {
  const Guard guard(lock_);
  for (const auto& each : devices_) {
    if (each->node != node || each->setup.device != device) continue;
    each->listed = false;
    each->events.push_back({vb::EventKind::DeviceFatal, 0, "it is gone from sysfs"});
  }
}

void FakeFabric::waited(const std::string& node, std::int64_t ns) {
  const Guard guard(lock_);
  waited_[node] += ns;
}

void FakeFabric::revive_port(const std::string& node, const std::string& device) {
  const Guard guard(lock_);
  for (const auto& each : devices_) {
    if (each->node != node || each->setup.device != device) continue;
    each->up = true;
    each->gone = false;
    each->listed = true;
    each->events.push_back({vb::EventKind::PortActive, each->setup.port, "port active"});
  }
}

std::set<std::uint8_t> FakeFabric::service_levels(const std::string& node) const {
  const Guard guard(lock_);
  std::set<std::uint8_t> out;
  for (const auto& [number, ud] : uds_)
    if (ud->device_.node == node)
      for (const auto& [handle, address] : ud->handles_) out.insert(address.service_level);
  return out;
}

void FakeFabric::change_address(const std::string& node, const std::string& device, const std::string& address) {
  const Guard guard(lock_);
  for (const auto& each : devices_) {
    if (each->node != node || each->setup.device != device) continue;
    each->setup.addresses.at(0) = address;
    index_addresses();
    each->events.push_back({vb::EventKind::GidChange, 1, "GID table change"});
  }
}

void FakeFabric::change_mtu(const std::string& node, const std::string& device, std::uint32_t bytes) {
  const Guard guard(lock_);
  for (const auto& each : devices_)
    if (each->node == node && each->setup.device == device) each->setup.mtu_bytes = bytes;
}

void FakeFabric::refuse_addresses(const std::string& node, const std::string& why) {
  const Guard guard(lock_);
  refusals_[node] = why;
}

FakeFabric::Requests FakeFabric::requests() const {
  const Guard guard(lock_);
  Requests out;
  for (const FakeRc* rc : rcs_) out.posted += rc->posted_, out.unawaited += rc->posted_unawaited_;
  return out;
}

std::uint64_t FakeFabric::datagrams() const {
  const Guard guard(lock_);
  return datagrams_;
}

int FakeFabric::open_objects() const {
  const Guard guard(lock_);
  return objects_;
}

}  // namespace roceready::doubles
