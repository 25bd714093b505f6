// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "probes/verbs/verbs.h"

namespace roceready::doubles {

namespace vb = probes::verbs;

class FakePort;
class FakeUd;
class FakeRc;

/// What the fabric does to packets that a rule is about. Unset members match all.
struct FabricRule {
  std::string from, to;                    ///< IP addresses, "" for any
  std::optional<std::uint32_t> source_qp;  ///< one path of many
  std::size_t longer_than = 0;             ///< payload bytes: an MTU black hole has a loss of 1 here
  double loss = 0, duplicates = 0;         ///< shares, 0–1
  std::int64_t delay_ns = 0;               ///< on top of the fabric's own
  std::int64_t jitter_ns = 0;              ///< each packet up to as much more: packets overtake each other
  std::optional<std::uint8_t> dscp;        ///< rewritten to
  bool mark_ce = false, bleach = false;    ///< ECN
};

struct FakePortSetup {
  std::string device = "mlx5_0";
  std::uint32_t port = 1;                          ///< of a device with several each is added by itself
  std::vector<std::string> addresses{"10.0.0.1"};  ///< RoCE v2 GIDs from index 1; index 0 is the v1 GID of the first
  std::uint8_t subnet_bits = 0;                    ///< of 128, of all addresses; 0: not known
  std::uint32_t mtu_bytes = 4096;
  bool nic_clock = false;
  bool zeroed_grh = false;  ///< the NIC leaves the GRH area empty
  bool flow_labels = false;
  std::uint64_t bits_per_second = 0;          ///< that writes on connections get, by the slower end; 0: any
  std::uint32_t lockable_bytes = 0xffffffff;  ///< largest buffer of connections that can be registered
};

/// An RDMA fabric in memory with its own time. Deterministic: one seed, and nothing happens but by advance().
/// Threads: any; the whole fabric has one lock.
class FakeFabric {
 public:
  FakeFabric();
  ~FakeFabric();
  /// The verbs of a node, made at the first call.
  vb::Verbs& node(const std::string& name);
  void add_port(const std::string& node, const FakePortSetup& setup);

  [[nodiscard]] std::int64_t now_ns() const;
  void advance(std::int64_t ns);
  /// When the next completion becomes visible, after now; nothing is under way: absent.
  [[nodiscard]] std::optional<std::int64_t> next_ns() const;

  /// Rules add up; the number is for remove_rule.
  int add_rule(const FabricRule& rule);
  void remove_rule(int number);
  /// The port ends with an event of the kind, which every open port of the device sees; DeviceFatal ends them all and
  /// turns every call into an error.
  void kill_port(const std::string& node, const std::string& device, vb::EventKind kind, std::uint32_t port = 1);
  /// As a port that is paused: what is posted neither leaves nor completes until it is let go.
  void hold_sends(const std::string& node, const std::string& device, bool holds);
  /// As the driver of software RoCE does: no longer listed, one event, and everything that is open works on.
  void remove_device(const std::string& node, const std::string& device);
  /// What the CPUs of a node gave to others while its probing threads were ready to run, from now on in all.
  void waited(const std::string& node, std::int64_t ns);
  void revive_port(const std::string& node, const std::string& device);
  /// The first RoCE v2 GID becomes another address, with an event.
  void change_address(const std::string& node, const std::string& device, const std::string& address);
  /// The netdev's MTU becomes another; as with a NIC no event tells. Longer datagrams neither leave nor arrive.
  void change_mtu(const std::string& node, const std::string& device, std::uint32_t bytes);
  /// What make_address says from now on, "" for success.
  void refuse_addresses(const std::string& node, const std::string& why);
  /// A datagram from nowhere, as a stranger or a replayer would send it.
  void inject(const std::string& to_address, std::uint32_t queue_pair, std::uint32_t qkey,
              const std::vector<std::byte>& payload);
  /// Sees every datagram that leaves a port.
  std::function<void(const std::vector<std::byte>& payload, std::uint8_t traffic_class)> tap;
  [[nodiscard]] std::uint64_t datagrams() const;
  /// Of the address handles that a node has at the moment.
  [[nodiscard]] std::set<std::uint8_t> service_levels(const std::string& node) const;
  /// Requests on connections that exist: all, and those posted since their queue was last asked for a wake-up.
  struct Requests {
    std::uint64_t posted = 0, unawaited = 0;
  };
  [[nodiscard]] Requests requests() const;
  /// Objects that exist at the moment, of all kinds: 0 when all was torn down.
  [[nodiscard]] int open_objects() const;

 private:
  friend class FakeNode;
  friend class FakePort;
  friend class FakeUd;
  friend class FakeRc;
  struct Device {
    std::string node;
    FakePortSetup setup;
    std::vector<vb::Gid> gids;  // of the addresses
    bool up = true, gone = false, listed = true, holds = false;
    std::int64_t clock_offset_ns = 0, wire_free_ns = 0;
    std::vector<vb::Event> events;
  };
  struct Packet {
    vb::Gid from{}, to{};
    std::uint32_t source_qp = 0;
    std::size_t bytes = 0;
    std::uint8_t traffic_class = 0, ttl = 64;
  };
  /// Delays of the copies that arrive; empty: lost. The packet's class is changed.
  std::vector<std::int64_t> fate(Packet& packet);
  Device* device_at(const vb::Gid& gid);
  void index_addresses();
  void carry(FakeUd& from, const vb::UdSend& what, const vb::Address& to);
  void deliver(Packet packet, std::uint32_t queue_pair, std::uint32_t qkey, const std::vector<std::byte>& payload,
               std::int64_t at_ns);
  double chance();

  mutable std::mutex lock_;
  std::int64_t now_ns_ = 1'000'000'000;
  std::mt19937_64 random_{20250101};
  std::map<std::string, std::unique_ptr<vb::Verbs>> nodes_;
  std::map<std::string, std::string> refusals_;
  std::map<std::string, std::int64_t> waited_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::map<vb::Gid, Device*> by_gid_;
  std::map<int, FabricRule> rules_;
  std::map<std::uint32_t, FakeUd*> uds_;  // by first queue pair
  std::vector<FakeRc*> rcs_;
  int next_rule_ = 1, objects_ = 0;
  std::uint32_t next_number_ = 0x11;
  std::uint64_t datagrams_ = 0;
};

}  // namespace roceready::doubles
