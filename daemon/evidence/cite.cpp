// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/cite.h"

#include <algorithm>
#include <map>
#include <utility>

#include "collectors/evidence/ask.h"
#include "core/base/text.h"

namespace roceready::daemon {
namespace {

/// What an item about DCB is called where its lines are cited (Draft::cite).
struct Field {
  std::string_view words;  ///< that the item's begin with
  const char* name;
};
constexpr Field kDcbFields[] = {{"priorities with PFC", "pfc"},     {"trust", "trust"},
                                {"priority of DSCP", "map"},        {"priority of RoCE's DSCP", "map"},
                                {"receive buffer", "buffers"},      {"priorities in the lossless buffer", "buffers"},
                                {"cable length", "cable"},          {"rate limit", "max_rate"},
                                {"sum of the ETS shares", "share"}, {"ETS share", "share"},
                                {"scheduling of", "algorithm"},     {"traffic class of", "class"},
                                {"RoCE's traffic class", "class"}};

/// Counters that stand behind what an item says in words: its line is that of the first that its source holds.
struct Counted {
  std::string_view begin, part;  ///< of the item's words
  std::string_view counters[3];
};
constexpr Counted kCounted[] = {
    {"pause frames sent for priority ", "", {"pfc_tx_pause_frames", ""}},
    {"share of time that priority ", "(received)", {"pfc_rx_pause_duration", "pfc_rx_pause_frames"}},
    {"share of time that priority ", "(sent)", {"pfc_tx_pause_duration", "pfc_tx_pause_frames"}},
    {"received on priority ", "", {"rx_bytes_priority", ""}},
    {"sent on priority ", "", {"tx_bytes_priority", ""}},
    {"congestion notifications sent", "", {"cnp_sent", ""}},
    {"packets received with a congestion mark", "", {"ecn_marked_rx", ""}},
    {"packets with a wrong ICRC", "", {"rx_icrc_errors", ""}},
    {"packets discarded on transmit", "", {"tx_discards_phy", ""}},
    {"packets dropped on receive", "", {"rx_discards_priority", "rx_roce_discards", "rx_discards_phy"}},
    {"packets dropped meanwhile", "", {"rx_discards_priority", "rx_discards_phy"}},
    {"packets dropped per packet received", "", {"rx_discards_phy"}},
    {"packets dropped by the RDMA engine", "", {"rx_roce_discards", "rdma_rx_discards"}},
    {"packets that match no steering rule", "", {"rx_steer_missed", "rx_filter_miss"}},
    {"out of sequence per RDMA packet received", "", {"out_of_sequence", "out_of_sequence_events"}},
    {"sequence NAKs", "", {"packet_seq_err"}},
    {"sequence errors and timeouts", "", {"packet_seq_err"}},
    {"ACK timeouts per packet sent", "", {"local_ack_timeout"}},
    {"repeated requests per RDMA packet", "", {"duplicate_request", "duplicate_request_events"}},
    {"packets without a receive buffer", "", {"out_of_buffer"}},
    {"RNR NAKs received", "", {"rnr_nak_received"}},
    {"retries for a receiver", "", {"rnr_retry_exceeded"}},
    {"adaptive retransmission timeouts", "", {"roce_adp_retrans_timeout"}},
    {"adaptive retransmissions", "", {"roce_adp_retrans"}},
    {"share of RDMA packets received with a congestion mark", "", {"ecn_marked_rx"}},
    {"share of congestion notifications ignored", "", {"cnp_ignored"}},
    {"congestion notifications ignored", "", {"cnp_ignored"}},
    {"pause frames received for priority ", "", {"pfc_rx_pause_frames"}},
    {"pause before", "", {"pfc_rx_pause_duration"}},
    {"bit errors before FEC", "", {"fec_corrected_bits"}},
    {"not repaired in ", "", {"fec_uncorrectable_blocks", "symbol_errors_uncorrected"}},
    {"damaged frames", "", {"rx_crc_errors", "rx_symbol_error_packets"}},
    {"frames marked as bad upstream", "", {"rx_stomped_crc"}}};

std::string number_behind(std::string_view what, std::string_view word) {
  const auto at = what.find(word);
  if (at == std::string_view::npos) return {};
  what.remove_prefix(at + word.size());
  return std::string(what.substr(0, what.find_first_not_of("0123456789")));
}

/// The lane that an item's words name: "… of priority 3 …".
std::string priority_in(std::string_view what) {
  return number_behind(what, "priority ");
}

/// The code point of "priority of DSCP 26", "priority of RoCE's DSCP 26".
std::string code_point_in(std::string_view what) {
  return what.starts_with("priority of ") ? number_behind(what, "DSCP ") : std::string();
}

void add_counted(const std::string& what, const Subject& subject, std::vector<std::string>& out) {
  // mlx5 counts the drops of priorities by receive buffer.
  std::string lane = number_behind(what, "in receive buffer ");
  if (lane.empty()) lane = priority_in(what);
  if (lane.empty() && subject.priority) lane = std::to_string(*subject.priority);
  for (const Counted& one : kCounted) {
    if (!what.starts_with(one.begin) || what.find(one.part) == std::string::npos) continue;
    for (const std::string_view counter : one.counters) {
      if (counter.empty()) continue;
      if (!lane.empty()) out.push_back(std::string(counter) + " " + lane);
      out.emplace_back(counter);
    }
  }
}

/// Names by which the item's line may be known, the closest first: as it is called ("pfc_rx_pause_frames 3",
/// "rx_prio3_pause"), the canonical counter that its words begin with and its lane, a field of DCB.
std::vector<std::string> names_of(const rules::EvidenceItem& item, const Subject& subject) {
  std::vector<std::string> out = {item.what};
  const std::string word = item.what.substr(0, item.what.find(' '));
  if (counter_from_name(word)) {
    if (const std::string lane = priority_in(item.what); !lane.empty()) out.push_back(word + " " + lane);
    if (subject.priority) out.push_back(word + " " + std::to_string(*subject.priority));
    out.push_back(word);
  }
  add_counted(item.what, subject, out);
  if (const std::string point = code_point_in(item.what); !point.empty()) out.push_back("DSCP " + point);
  for (const Field& field : kDcbFields) {
    if (item.source.starts_with("DCB netlink ") && item.what.starts_with(field.words)) out.emplace_back(field.name);
  }
  return out;
}

/// Totals of FEC, pause frames and PFC frames are counters like a driver's statistics, and other commands show them.
std::string place_of_kernel_count(const evidence::Draft& draft, const std::string& source,
                                  const std::vector<std::string>& names) {
  constexpr std::string_view kStatistics = "ethtool statistics of ";
  if (!source.starts_with(kStatistics)) return {};
  const std::string netdev = source.substr(kStatistics.size());
  for (const std::string& name : names)
    for (const char* command : {"ethtool --show-fec ", "ethtool -a ", "DCB netlink "})
      if (std::string place = draft.place_of_name(command + netdev, name); !place.empty()) return place;
  return {};
}

std::string place_of(const evidence::Draft& draft, const rules::EvidenceItem& item, const Subject& subject) {
  const std::vector<std::string> names = names_of(item, subject);
  for (const std::string& name : names) {
    if (std::string place = draft.place_of_name(item.source, name); !place.empty()) return place;
  }
  if (std::string place = place_of_kernel_count(draft, item.source, names); !place.empty()) return place;
  if (std::string place = draft.place_of(item.source); !place.empty()) return place;
  // Several sources in one item, a file below a directory: the longest beginning that some file holds.
  for (std::string source = item.source; !source.empty();) {
    const auto cut = source.find_last_of("/,; ");
    if (cut == std::string::npos) break;
    source.resize(cut);
    if (std::string place = draft.place_of(source); !place.empty()) return place;
  }
  return {};
}

}  // namespace

void cite_files(const evidence::Draft& draft, rules::Report& report) {
  const auto cite = [&](rules::Finding& finding) {
    for (rules::EvidenceItem& item : finding.evidence) {
      const std::string place = place_of(draft, item, finding.subject);
      if (!place.empty()) item.source = item.source.empty() ? place : place + " (" + item.source + ")";
    }
  };
  for (rules::Finding& finding : report.findings) cite(finding);
  for (rules::WaivedFinding& waived : report.waived_findings) cite(waived.finding);
}

std::vector<std::string> commands_to_ask_for(const rules::Report& report, std::size_t most) {
  std::map<std::string, std::size_t> settles;
  for (const auto* gaps : {&report.unknown, &report.not_looked_at}) {
    for (const rules::Gap& gap : *gaps) {
      if (const std::string command = evidence::command_in_reason(gap.detail); !command.empty()) ++settles[command];
    }
  }
  std::vector<std::pair<std::string, std::size_t>> order(settles.begin(), settles.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> out;
  for (const auto& [command, count] : order) {
    if (out.size() < most) out.push_back(command);
  }
  return out;
}

}  // namespace roceready::daemon
