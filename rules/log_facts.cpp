// SPDX-License-Identifier: Apache-2.0
#include "rules/log_facts.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "core/base/text.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// A word by which a line about nobody that is known is about an RDMA-capable NIC, and the drivers of NICs that it may
/// be about: the RDMA side's and the netdev's, as they begin.
struct DriverWord {
  std::string_view word, rdma, netdev;
};
constexpr DriverWord kDrivers[] = {{"mlx5_", "mlx5", "mlx5"},   {"mlx4_", "mlx4", "mlx4"}, {"bnxt_", "bnxt", "bnxt"},
                                   {"irdma", "irdma", "ice"},   {"ice", "irdma", "ice"},   {"i40e", "i40", "i40e"},
                                   {"ionic", "ionic", "ionic"}, {"hns", "hns", "hns"},     {"qede", "qed", "qed"},
                                   {"qedr", "qed", "qed"},      {"mana", "mana", "mana"},  {"erdma", "erdma", "erdma"},
                                   {"infiniband", "", ""}};

/// Whether a text holds a word as one of its own, digits and "_" may follow: "ice 0000:3b:00.0", "hns3", not "device".
/// One that ends in "_" may stand within another: "ib_mlx5_log.c".
bool holds_word(std::string_view text, std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part(text[at - 1]);
    if (word.back() == '_' || (begins && (end == text.size() || !is_letter(text[end])))) return true;
  }
  return false;
}

/// "0000:3b:00.0".
bool is_pci_address(std::string_view text) {
  constexpr std::string_view kShape = "xxxx:xx:xx.x";
  if (text.size() != kShape.size()) return false;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (kShape[k] == 'x' ? std::isxdigit(static_cast<unsigned char>(text[k])) == 0 : text[k] != kShape[k]) return false;
  return true;
}

/// Whether a NIC of a driver is there. An unknown driver may be any.
bool has_nic_of(const Snapshot& now, const DriverWord& driver) {
  return std::any_of(now.ports.begin(), now.ports.end(), [&](const RdmaPort& port) {
    const Netdev* netdev = port.netdev ? now.netdev(*port.netdev) : nullptr;
    const bool named = netdev != nullptr && netdev->ethtool.driver;
    if (port.driver.empty() && !named) return true;
    return (!port.driver.empty() && port.driver.starts_with(driver.rdma)) ||
           (named && netdev->ethtool.driver->driver.starts_with(driver.netdev));
  });
}

bool is_of_function(const Snapshot& now, const std::string& address) {
  // A bridge above a NIC tells of the same link.
  return std::any_of(now.pci.begin(), now.pci.end(), [&](const PciFunction& one) { return one.address == address; }) ||
         std::any_of(now.ports.begin(), now.ports.end(),
                     [&](const RdmaPort& port) { return port.pci_address.value_or("") == address; });
}

bool knows_an_address(const Snapshot& now) {
  return !now.pci.empty() || std::any_of(now.ports.begin(), now.ports.end(),
                                         [](const RdmaPort& port) { return port.pci_address.has_value(); });
}

bool is_of_port(const RdmaPort& port, const std::string& name) {
  if (port.device == name || port.netdev.value_or("") == name) return true;
  return std::find(port.members.begin(), port.members.end(), name) != port.members.end() ||
         std::find(port.uppers.begin(), port.uppers.end(), name) != port.uppers.end();
}

bool is_ours(const Snapshot& now, const LogFact& fact) {
  if (fact.subject.empty() || fact.kind.starts_with("switch_")) return true;  // a switch is the peer of this node
  if (is_of_function(now, fact.subject)) return true;
  if (std::any_of(now.ports.begin(), now.ports.end(),
                  [&](const RdmaPort& port) { return is_of_port(port, fact.subject); }))
    return true;
  // Another function is a NIC's of ours where its driver says so and drives one that is known.
  const bool elsewhere = is_pci_address(fact.subject) && knows_an_address(now);
  return std::any_of(std::begin(kDrivers), std::end(kDrivers), [&](const DriverWord& driver) {
    return holds_word(fact.text, driver.word) && (!elsewhere || has_nic_of(now, driver));
  });
}

}  // namespace

Concern concern_of(const Snapshot& now, const LogFact& fact) {
  const auto netdev = fact.says.find("netdev");
  Concern out = Concern::Unknown;
  for (const RdmaPort& port : now.ports) {
    const bool named = is_of_port(port, fact.subject) || port.pci_address.value_or("") == fact.subject ||
                       (netdev != fact.says.end() && is_of_port(port, netdev->second));
    if (fact.subject.empty() || !named) continue;
    if (port.in_scope) return Concern::PortInScope;
    out = Concern::OtherPort;
  }
  return out;
}

LogEntries log_entries(const Evidence& seen, std::initializer_list<std::string_view> kinds) {
  LogEntries out;
  for (const LogFact& fact : seen.now().log) {
    if (std::find(kinds.begin(), kinds.end(), fact.kind) == kinds.end() || !is_ours(seen.now(), fact)) continue;
    out.facts.push_back(&fact);
    out.lines += fact.count;
  }
  return out;
}

bool without_logs(const Evidence& seen, Outcomes& out) {
  if (!seen.now().log.empty()) return false;
  out.not_applicable("no logs were given");
  return true;
}

std::string subjects_of(const LogEntries& entries) {
  std::vector<std::string> names;
  for (const LogFact* fact : entries.facts) {
    if (!fact->subject.empty() && std::find(names.begin(), names.end(), fact->subject) == names.end())
      names.push_back(fact->subject);
  }
  return names.empty() ? std::string() : joined(names);
}

std::string on_subjects(const LogEntries& entries) {
  const std::string names = subjects_of(entries);
  return names.empty() ? std::string() : " on " + names;
}

std::vector<EvidenceItem> evidence_of(const Evidence& seen, const LogEntries& entries) {
  constexpr std::size_t kMost = 8;
  std::vector<EvidenceItem> out;
  for (const LogFact* fact : entries.facts) {
    if (out.size() >= kMost) break;
    std::string what = fact->subject.empty() ? "log line" : "log line about " + fact->subject;
    if (fact->count > 1) what += ", " + std::to_string(fact->count) + " times";
    out.push_back(seen.word(std::move(what), fact->text, fact->place));
  }
  return out;
}

std::string switch_port_of(const LogFact& fact) {
  const auto name = fact.says.find("switch");
  if (fact.subject.empty()) return name == fact.says.end() ? "a switch" : "switch " + name->second;
  return fact.subject + (name == fact.says.end() ? " of a switch" : " of " + name->second);
}

std::string switch_ports_of(const LogEntries& entries) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const LogFact* fact : entries.facts) {
    const std::string name = switch_port_of(*fact);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  if (more > 0) {
    names.resize(kMost);
    names.push_back(std::to_string(more) + " more");
  }
  return joined(names);
}

std::optional<double> stated_number(const LogFact& fact, const std::string& name) {
  const auto at = fact.says.find(name);
  return at == fact.says.end() ? std::nullopt : parse_double(at->second);
}

}  // namespace roceready::rules
