// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/draft.h"

#include <algorithm>

#include "collectors/rdma_devices.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::size_t kMostNames = 20000, kMostPlaces = 200000, kTextBytes = 120;

void put(std::map<std::string, std::uint64_t>& set, const std::string& name, std::uint64_t value) {
  if (set.size() < kMostNames || set.contains(name)) set[name] = value;
}

}  // namespace

std::string place_text(const Section& section, std::uint32_t line) {
  return section.file + ":" + std::to_string(line);
}

Netdev& Draft::netdev(const std::string& name) {
  auto& list = snapshot_.netdevs;
  const auto at = std::lower_bound(list.begin(), list.end(), name,
                                   [](const Netdev& netdev, const std::string& key) { return netdev.link.name < key; });
  if (at != list.end() && at->link.name == name) return *at;
  if (list.size() >= kMostOwners) return overflowed_ = true, spare_netdev_ = {};
  Netdev made;
  made.link.name = name;
  return *list.insert(at, std::move(made));
}

RdmaPort& Draft::port(const std::string& device, std::uint32_t number) {
  const std::uint32_t port = std::max(number, 1U);
  auto& list = snapshot_.ports;
  const auto key = std::pair(device, port);
  const auto at = std::lower_bound(list.begin(), list.end(), key, [](const RdmaPort& entry, const auto& wanted) {
    return std::pair(entry.device, entry.port) < wanted;
  });
  if (at != list.end() && at->device == device && at->port == port) return *at;
  if (list.size() >= kMostOwners) return overflowed_ = true, spare_port_ = {};
  RdmaPort made;
  made.device = device;
  made.port = port;
  return *list.insert(at, std::move(made));
}

PciFunction& Draft::function(const std::string& address) {
  auto& list = snapshot_.pci;
  const auto at =
      std::lower_bound(list.begin(), list.end(), address,
                       [](const PciFunction& function, const std::string& key) { return function.address < key; });
  if (at != list.end() && at->address == address) return *at;
  if (list.size() >= kMostOwners) return overflowed_ = true, spare_function_ = {};
  PciFunction made;
  made.address = address;
  return *list.insert(at, std::move(made));
}

void Draft::statistic(const std::string& netdev_name, const std::string& name, std::uint64_t value,
                      const Section& section, std::uint32_t line) {
  netdev(netdev_name);
  put(counters_.statistics[netdev_name], name, value);
  cite("ethtool statistics of " + netdev_name, name, section, line);
}

void Draft::hw_counter(const std::string& device, std::uint32_t number, const std::string& name, std::uint64_t value,
                       const Section& section, std::uint32_t line) {
  const std::string owner = port_name(port(device, number));
  put(counters_.hw_counters[owner], name, value);
  cite("RDMA counters of " + owner, name, section, line);
}

void Draft::port_counter(const std::string& device, std::uint32_t number, const std::string& name, std::uint64_t value,
                         const Section& section, std::uint32_t line) {
  const std::string owner = port_name(port(device, number));
  put(counters_.port_counters[owner], name, value);
  cite("RDMA counters of " + owner, name, section, line);
}

void Draft::log(LogFact fact) {
  for (LogFact& known : snapshot_.log) {
    if (known.kind != fact.kind || known.subject != fact.subject || known.says != fact.says) continue;
    known.count += fact.count;
    return;
  }
  if (snapshot_.log.size() >= kMostLogFacts)
    overflowed_ = true;
  else
    snapshot_.log.push_back(std::move(fact));
}

Draft::Place Draft::place(const Section& section, std::uint32_t line) {
  if (files_.empty() || files_.back() != section.file) files_.push_back(section.file);
  return {static_cast<std::uint32_t>(files_.size() - 1), line};
}

void Draft::cite(const std::string& source, const Section& section, std::uint32_t line) {
  cite(source, {}, section, line);
}

void Draft::cite(const std::string& source, const std::string& name, const Section& section, std::uint32_t line) {
  if (places_.size() >= kMostPlaces) return;
  const Place here = place(section, line);
  if (name.empty()) {
    places_.try_emplace({source, name}, here);
    return;
  }
  places_.insert_or_assign({source, name}, here);
  places_.try_emplace({source, {}}, here);
}

void Draft::cite_place(const std::string& source, const std::string& name, const std::string& place) {
  const auto colon = place.rfind(':');
  const auto line = parse_u64(place.substr(colon == std::string::npos ? place.size() : colon + 1));
  if (!line || *line > UINT32_MAX) return;
  Section section;
  section.file = place.substr(0, colon);
  cite(source, name, section, static_cast<std::uint32_t>(*line));
}

void Draft::also_called(const std::string& source, const std::string& name, const std::string& canonical) {
  const auto at = places_.find({source, name});
  if (at != places_.end()) places_.insert_or_assign({source, canonical}, at->second);
}

bool Draft::lists_all_addresses_of(const NetLink& link, bool certain) const {
  const AddressLists& lists = address_lists_;
  if (!lists.of_lo || !lists.with_ipv6) return false;
  const auto row = lists.rows.find(link.name);
  if (row != lists.rows.end() && (row->second || !certain)) return true;
  // Its rows are in the order of the netdevs' numbers.
  return lists.one_line && (!certain || (link.index != 0 && link.index < lists.last_index));
}

bool Draft::has_whole_gid_table(const std::string& owner, std::uint32_t last) const {
  if (whole_gid_tables_.contains(owner)) return true;
  // The kernel fills the first free slot: every slot is told, and there is a free one behind the last entry.
  const auto slots = gid_slots_.find(owner);
  return slots != gid_slots_.end() && *slots->second.rbegin() > last &&
         slots->second.size() == std::size_t{*slots->second.rbegin()} + 1;
}

void Draft::unread(const Section& section, const Line& line, std::string why) {
  ++unread_count_;
  if (unread_.size() < kMostUnread)
    unread_.push_back({section.file, line.number, line.text.substr(0, kTextBytes), std::move(why)});
}

std::string Draft::place_of(const std::string& source, const std::string& name) const {
  auto at = places_.find({source, name});
  if (at == places_.end()) at = places_.find({source, {}});
  if (at == places_.end()) return {};
  return files_[at->second.file] + ":" + std::to_string(at->second.line);
}

std::string Draft::place_of_name(const std::string& source, const std::string& name) const {
  return places_.contains({source, name}) ? place_of(source, name) : std::string();
}

std::vector<Draft::Cited> Draft::cited() const {
  std::vector<Cited> out;
  out.reserve(places_.size());
  for (const auto& [key, at] : places_)
    out.push_back({key.first, key.second, files_[at.file] + ":" + std::to_string(at.line)});
  return out;
}

void Draft::forget_unread() {
  unread_.clear();
  unread_count_ = 0;
}

}  // namespace roceready::evidence
