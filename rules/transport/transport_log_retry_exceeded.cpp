// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>
#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What the files say of the address and the class in use.
struct Choice {
  std::string sentence;
  std::vector<EvidenceItem> evidence;
};

bool says(const LogFact& fact, const std::string& name, std::string_view begin) {
  const auto at = fact.says.find(name);
  return at != fact.says.end() && at->second.starts_with(begin);
}

/// An address or GID in 16 bytes, IPv4 as mapped; nothing where it is none.
std::optional<in6_addr> address_of(const std::string& text) {
  in6_addr out{};
  const std::string six = text.find(':') == std::string::npos ? "::ffff:" + text : text;
  if (inet_pton(AF_INET6, six.c_str(), &out) != 1) return std::nullopt;
  return out;
}

/// The netdev that has this routable address; null for nobody's.
const Netdev* owner_of_address(const Snapshot& now, const std::string& gid) {
  const auto wanted = address_of(gid);
  const auto at = std::find_if(now.netdevs.begin(), now.netdevs.end(), [&](const Netdev& netdev) {
    return std::any_of(netdev.link.addresses.begin(), netdev.link.addresses.end(), [&](const IpAddress& one) {
      const auto own = address_of(one.address);
      return one.is_routable() && own && wanted && IN6_ARE_ADDR_EQUAL(&*own, &*wanted);
    });
  });
  return at == now.netdevs.end() ? nullptr : &*at;
}

bool is_own_ipv6(const Snapshot& now, const std::string& gid) {
  const auto address = address_of(gid);
  return address && !IN6_IS_ADDR_V4MAPPED(&*address) && owner_of_address(now, gid) != nullptr;
}

/// All that gave up ran between two IPv6 addresses of this host.
bool within_this_host(const Evidence& seen, const LogEntries& entries) {
  return std::all_of(entries.facts.begin(), entries.facts.end(), [&](const LogFact* fact) {
    const auto peer = fact->says.find("peer_gid");
    return peer != fact->says.end() && is_own_ipv6(seen.now(), peer->second);
  });
}

/// "VLAN 1 (eth2.1)", where the own GID of a connection that gave up is the address of one.
std::string vlan_of(const Snapshot& now, const LogFact& fact) {
  const auto own = fact.says.find("gid");
  if (fact.kind != "retry_exceeded" || own == fact.says.end()) return {};
  const Netdev* netdev = owner_of_address(now, own->second);
  if (netdev == nullptr || netdev->link.kind != "vlan" || !netdev->link.vlan) return {};
  return "VLAN " + std::to_string(netdev->link.vlan->id) + " (" + netdev->link.name + ")";
}

/// What of address and traffic class was told, where nothing of it is wrong.
std::string right_words(bool addressed, bool classified) {
  if (addressed && classified) return "Address and traffic class look right: counters of both ends would tell more.";
  if (addressed)
    return "The address looks right, and no line tells the traffic class: counters of both ends would tell more.";
  if (classified)
    return "The traffic class is not 0, and no line tells the address: counters of both ends would tell more.";
  return "Loss and a dead peer look alike here: counters of both ends would tell.";
}

Choice choice_of(const Evidence& seen) {
  Choice out;
  bool link_local = false, other = false, unclassified = false, addressed = false, classified = false;
  std::string vlan;
  const LogEntries entries = log_entries(seen, {"gid_choice", "retry_exceeded", "modify_qp_failed"});
  for (const LogFact* fact : entries.facts) {
    const bool local = says(*fact, "gid", "fe80:") || says(*fact, "peer_gid", "fe80:");
    const std::optional<double> tc = stated_number(*fact, "traffic_class");
    addressed = addressed || fact->says.contains("gid") || fact->says.contains("peer_gid");
    classified = classified || tc;
    if (local || (tc && *tc == 0))
      out.evidence.push_back(seen.word("address and class in use", fact->text, fact->place));
    link_local = link_local || local;
    other = other || (!local && fact->kind == "retry_exceeded" && fact->says.contains("peer_gid"));
    unclassified = unclassified || (tc && *tc == 0);
    if (vlan.empty()) vlan = vlan_of(seen.now(), *fact);
  }
  constexpr std::size_t kMost = 4;
  if (out.evidence.size() > kMost) out.evidence.resize(kMost);
  if (link_local && other)
    out.sentence += "Some used a link-local GID, which no router forwards, but others failed as well. ";
  else if (link_local)
    out.sentence += "They used a link-local GID, which no router forwards: a likely cause. ";
  if (unclassified) out.sentence += "Their traffic class was 0, outside any lossless class: a likely cause. ";
  if (!vlan.empty())
    out.sentence += "Their own GID is of " + vlan + ", and such packets arrive only at a GID of the same VLAN. ";
  if (out.sentence.empty()) out.sentence = right_words(addressed, classified);
  while (out.sentence.ends_with(" ")) out.sentence.pop_back();
  return out;
}

std::string vendor_error_of(const LogEntries& entries) {
  for (const LogFact* fact : entries.facts) {
    const auto at = fact->says.find("vendor_error");
    if (at != fact->says.end()) return ", vendor error " + at->second;
  }
  return {};
}

/// Completions with status 12; else a connection that ended in error after its ACK timeouts had begun to count.
LogEntries unanswered(const Evidence& seen) {
  LogEntries out = log_entries(seen, {"retry_exceeded"});
  if (!out.empty()) return out;
  const LogEntries moved = log_entries(seen, {"counter_moved"}), ended = log_entries(seen, {"completion_error"});
  const auto at = std::find_if(moved.facts.begin(), moved.facts.end(),
                               [](const LogFact* fact) { return says(*fact, "counter", "local_ack_timeout_err"); });
  const auto end = std::find_if(ended.facts.begin(), ended.facts.end(),
                                [](const LogFact* fact) { return fact->says.contains("after_ms"); });
  if (at == moved.facts.end() || end == ended.facts.end()) return out;
  out.facts = {*at, *end};
  out.lines = 2;
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = unanswered(seen);
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  if (within_this_host(seen, entries)) {
    out.fail(Severity::Info,
             "Connections between two IPv6 addresses of this host gave up" + on_subjects(entries) + " (" +
                 counted(entries.lines, "log line") +
                 "): Linux sends such packets to the MAC of their sender, so that they never arrive. It says nothing "
                 "of the link or the fabric; IPv4, or another host, does.",
             evidence_of(seen, entries))
        .confidence = kLogConfidence;
    return;
  }
  const Choice choice = choice_of(seen);
  std::vector<EvidenceItem> evidence = evidence_of(seen, entries);
  evidence.insert(evidence.end(), choice.evidence.begin(), choice.evidence.end());
  out.fail(Severity::Warning,
           "Connections gave up without an acknowledgement" + on_subjects(entries) + " (" +
               counted(entries.lines, "log line") + vendor_error_of(entries) + "). " + choice.sentence,
           std::move(evidence))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kTransportLogRetryExceeded;
constinit const Rule kTransportLogRetryExceeded{
    .id = "transport-log-retry-exceeded",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Programs report exhausted retries",
    .what =
        "Reads logs among given files for completions with status 12 (transport retry counter exceeded), and what the "
        "same files say of the GID, its VLAN and the traffic class in use. Fires when there is such a line, or where "
        "somebody noted ACK timeouts and a completion error behind them; info where all of them are of connections "
        "between two IPv6 addresses of this host.",
    .why = "The queue pair is broken, and the job that uses it usually ends.",
    .next = "Collect the counters of both ends and of the switch around the time of the error.",
    .likely_causes = {"the peer died or is not reachable by this GID", "packets are lost on the path",
                      "the traffic class is not the lossless one"},
    .fix = {Recipe::None},
    .traps = {"A line of this kind alone does not tell loss from a dead peer.",
              "Adaptive retransmission alone is an early hint, no failure: it does not count here.",
              "A right GID and traffic class are no fault.", "The VLAN of the peer's GID is not seen.",
              "Over IPv6 a host does not reach itself by RDMA: such a test says nothing."},
    .facts = {"ibta-ack-timeout", "linux-rdma-ipv6-same-host"},
    .judge = judge,
};

}  // namespace roceready::rules
