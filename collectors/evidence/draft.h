// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/evidence/section.h"
#include "core/base/reading.h"
#include "core/snapshot/log.h"
#include "core/snapshot/snapshot.h"

namespace roceready::evidence {

/// A line that nobody understood, or that says nothing about RDMA.
struct UnreadLine {
  std::string file;
  std::uint32_t number = 0;
  std::string text;  ///< at most 120 bytes
  std::string why;   ///< "" where no format knows it
};

/// What the files say of one host at one moment, as it grows section by section. Facts of a later section replace those
/// of an earlier one; nothing is there before somebody says it. Owners are made when they are first named.
/// Threads: one caller. Limits: at most kMostOwners netdevs, ports and functions each; more share a spare one that is
/// thrown away, and `overflowed` says so.
class Draft {
 public:
  static constexpr std::size_t kMostOwners = 512, kMostLogFacts = 4096, kMostUnread = 20000;

  /// The netdev that a section is about; "" is the nameless one, of which a bundle has at most one.
  Netdev& netdev(const std::string& name);
  RdmaPort& port(const std::string& device, std::uint32_t number);  ///< number 0: 1
  PciFunction& function(const std::string& address);
  [[nodiscard]] NodeFacts& node() { return snapshot_.node; }
  [[nodiscard]] HostFacts& host() { return snapshot_.host; }
  [[nodiscard]] Snapshot& snapshot() { return snapshot_; }
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

  /// One statistic of a netdev or of a port's hw_counters, value as it came. Repeated names: the last one holds.
  void statistic(const std::string& netdev, const std::string& name, std::uint64_t value, const Section& section,
                 std::uint32_t line);
  void hw_counter(const std::string& device, std::uint32_t port, const std::string& name, std::uint64_t value,
                  const Section& section, std::uint32_t line);
  void port_counter(const std::string& device, std::uint32_t port, const std::string& name, std::uint64_t value,
                    const Section& section, std::uint32_t line);
  /// Same kind, subject and statements: counted, not repeated.
  void log(LogFact fact);

  /// That what rules cite as `source` (EvidenceItem::source: "ethtool statistics of eth0", "DCB netlink eth0",
  /// "rtnetlink eth0", "RDMA counters of mlx5_0/1") stands at this line. The first line holds.
  void cite(const std::string& source, const Section& section, std::uint32_t line);
  /// The same of one name below it: a statistic's.
  void cite(const std::string& source, const std::string& name, const Section& section, std::uint32_t line);
  /// The same by a place as place_of() writes it; `name` may be empty.
  void cite_place(const std::string& source, const std::string& name, const std::string& place);
  /// A second name of a statistic: its canonical one.
  void also_called(const std::string& source, const std::string& name, const std::string& canonical);
  void unread(const Section& section, const Line& line, std::string why = {});

  /// That an output showed the GID table of a port ("mlx5_0/1") to its end. Other tables may have been cut or filtered.
  void gid_table_ends(const std::string& owner) { whole_gid_tables_.insert(owner); }
  /// That a list of all slots of the table, empty ones with it, holds this one.
  void gid_slot(const std::string& owner, std::uint32_t index) { gid_slots_[owner].insert(index); }
  /// Whether nothing of a port's table can lie behind what was told of it; `last` is the last entry's index.
  [[nodiscard]] bool has_whole_gid_table(const std::string& owner, std::uint32_t last) const;

  /// What lists of the addresses of all netdevs show of those that have none. A list that was filtered by a kind of
  /// address is none of these.
  struct AddressLists {
    bool of_lo = false, with_ipv6 = false;  ///< an IPv4 address of lo, an IPv6 one of anybody stands in one
    bool of_all_ipv4 = false;               ///< `ip -4`, with lo's: it shows no row where there is no such address
    std::map<std::string, bool> rows;       ///< netdevs with a row; true: the list goes on behind it
    bool one_line = false;                  ///< `ip -o` shows no row where there is no address
    std::uint32_t last_index = 0;           ///< of its last row's netdev
  };
  [[nodiscard]] AddressLists& address_lists() { return address_lists_; }
  /// Whether such a list has no place for further addresses of a netdev; `certain`: nothing may be cut off either.
  [[nodiscard]] bool lists_all_addresses_of(const NetLink& link, bool certain) const;

  [[nodiscard]] bool lists_all_ipv4() const { return address_lists_.of_all_ipv4; }

  /// That a function calls itself a virtual one.
  void is_virtual_function(const std::string& address) { virtual_functions_.insert(address); }
  [[nodiscard]] const std::set<std::string>& virtual_functions() const { return virtual_functions_; }
  /// That a link of sysfs leads from an RDMA device to a PCI function: it says where the device is, not that anybody
  /// looks at it.
  void device_is_at(const std::string& device, const std::string& address) { functions_[device] = address; }
  [[nodiscard]] const std::map<std::string, std::string>& functions_of_devices() const { return functions_; }
  /// Whether the only port of a NIC has a link, by the NIC's PCI function. `phase` is the word of its state machine.
  struct FunctionLink {
    bool up = false;
    std::string phase;  ///< "SIGNAL_DETECT", "" where it is not told
    std::string place;  ///< as place_of() writes it
  };
  void function_link(const std::string& address, FunctionLink link) {
    if (links_of_functions_.size() < kMostOwners) links_of_functions_[address] = std::move(link);
  }
  [[nodiscard]] const std::map<std::string, FunctionLink>& links_of_functions() const { return links_of_functions_; }
  /// That verbs were asked for all RDMA devices and know none.
  void has_no_rdma_devices() { no_rdma_devices_ = true; }
  [[nodiscard]] bool no_rdma_devices() const { return no_rdma_devices_; }

  /// Values by name, by owner ("eth0", "mlx5_0/1").
  struct CounterSets {
    std::map<std::string, std::map<std::string, std::uint64_t>> statistics, hw_counters, port_counters;
  };
  [[nodiscard]] const CounterSets& counters() const { return counters_; }
  [[nodiscard]] CounterSets& counters() { return counters_; }

  /// "file:line" of a name, else of the source as a whole; "" where no file said it.
  [[nodiscard]] std::string place_of(const std::string& source, const std::string& name = {}) const;
  /// The same of the name alone.
  [[nodiscard]] std::string place_of_name(const std::string& source, const std::string& name) const;
  struct Cited {
    std::string source, name, place;
  };
  /// All that was cited, by source and name; that of a source as a whole, with an empty name, before those below it.
  [[nodiscard]] std::vector<Cited> cited() const;
  [[nodiscard]] const std::vector<UnreadLine>& unread_lines() const { return unread_; }
  [[nodiscard]] std::uint64_t unread_count() const { return unread_count_; }
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  void forget_unread();

 private:
  struct Place {
    std::uint32_t file = 0, line = 0;
  };
  Place place(const Section& section, std::uint32_t line);
  Snapshot snapshot_;
  CounterSets counters_;
  std::vector<std::string> files_;
  std::map<std::pair<std::string, std::string>, Place> places_;
  std::vector<UnreadLine> unread_;
  std::uint64_t unread_count_ = 0;
  bool overflowed_ = false;
  Netdev spare_netdev_;
  RdmaPort spare_port_;
  PciFunction spare_function_;
  std::set<std::string> whole_gid_tables_, virtual_functions_;
  std::map<std::string, std::string> functions_;  // PCI address by RDMA device
  std::map<std::string, FunctionLink> links_of_functions_;
  bool no_rdma_devices_ = false;
  AddressLists address_lists_;
  std::map<std::string, std::set<std::uint32_t>> gid_slots_;
};

/// "file:line".
[[nodiscard]] std::string place_text(const Section& section, std::uint32_t line);

}  // namespace roceready::evidence
