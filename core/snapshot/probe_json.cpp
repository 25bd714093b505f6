// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/probe_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/snapshot/json_read.h"
#include "core/snapshot/json_write.h"

namespace roceready {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxText = 1024;      ///< of one word that a peer says of itself
constexpr double kLongestSeconds = 86'400;  ///< of a probe's time
constexpr std::uint32_t kLargestDscp = 63, kLargestEcn = 3, kAllPriorities = 0xff;
constexpr std::size_t kMostWords = 16;  ///< in a list of a digest

Error malformed(std::string what, std::string where) {
  return Error{ErrorCode::Malformed, std::move(what), std::move(where), 0};
}

std::string compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<json> parse(std::string_view text, std::size_t limit) {
  if (text.size() > limit) return malformed("longer than " + std::to_string(limit) + " bytes", "");
  bool too_deep = false;
  json parsed = json::parse(
      text,
      [&](int depth, json::parse_event_t, json&) {
        too_deep = too_deep || depth > kMaxDepth;
        return depth <= kMaxDepth;
      },
      false);
  if (parsed.is_discarded() || too_deep) return malformed("not JSON, or nested too deeply", "");
  return parsed;
}

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds >= 0 && seconds <= kLongestSeconds;
}

/// "" or what is wrong.
std::string fault_of(const Reading<ProbeTimes>& times) {
  if (!times) return "";
  const std::initializer_list<double> values = {times->min_seconds, times->p50_seconds, times->p90_seconds,
                                                times->p99_seconds, times->max_seconds};
  if (!std::all_of(values.begin(), values.end(), is_time)) return "holds a time that is negative or longer than a day";
  if (!std::is_sorted(values.begin(), values.end())) return "its quantiles are out of order";
  return times->count == 0 ? "holds times of no answer" : "";
}

std::string fault_of(const ProbeClass& seen) {
  if (seen.dscp_sent > kLargestDscp || seen.dscp_received > kLargestDscp) return "a DSCP is above 63";
  if (seen.ecn_sent > kLargestEcn || seen.ecn_received > kLargestEcn) return "ECN bits are above 3";
  if (seen.ttl > 255) return "a TTL is above 255";
  const bool more = seen.rewritten > seen.seen || seen.bleached > seen.seen || seen.marked > seen.seen;
  return more ? "more packets changed than were seen" : "";
}

bool too_long(std::initializer_list<const std::string*> texts) {
  return std::any_of(texts.begin(), texts.end(), [](const std::string* text) { return text->size() > kMaxText; });
}
bool too_long(const Reading<std::string>& text) {
  return text ? text->size() > kMaxText : text.absent().detail.size() > kMaxText;
}

std::string fault_of(const PeerProbe& peer) {
  if (too_long({&peer.device, &peer.peer, &peer.peer_device, &peer.address, &peer.label, &peer.kind}) ||
      too_long(peer.error))
    return "a text is longer than 1024 bytes";
  if (peer.lost > peer.sent || peer.total_lost > peer.total_sent || peer.mtu_lost > peer.mtu_sent)
    return "more probes were lost than sent";
  for (const auto* times : {&peer.rtt, &peer.total, &peer.prober_delay, &peer.responder_delay})
    if (std::string fault = fault_of(*times); !fault.empty()) return fault;
  for (const auto* baseline : {&peer.baseline_p50_seconds, &peer.baseline_p99_seconds})
    if (*baseline && !is_time(**baseline)) return "a baseline is negative or longer than a day";
  if (peer.slow_windows > 5) return "slow_windows is above 5";
  if (peer.traffic_class)
    if (std::string fault = fault_of(*peer.traffic_class); !fault.empty()) return fault;
  if (peer.paths.size() > kMaxPathsOfPeer) return "more than 256 paths";
  for (const ProbePath& path : peer.paths) {
    if (path.lost > path.sent) return "more probes were lost than sent on a path";
    if (std::string fault = fault_of(path.rtt); !fault.empty()) return fault;
    if (path.udp_source_port && *path.udp_source_port > 65'535) return "a UDP port is above 65535";
  }
  return "";
}

std::string fault_of(const NodeDigest& node) {
  if (too_long({&node.profile, &node.role, &node.label})) return "a text is longer than 1024 bytes";
  if (node.ports.size() > kMaxPortsOfDigest) return "more than 256 ports";
  for (const PortDigest& port : node.ports) {
    if (too_long({&port.device, &port.rail})) return "a text is longer than 1024 bytes";
    for (const auto* text : {&port.address, &port.trust, &port.driver, &port.firmware, &port.model, &port.fec})
      if (too_long(*text)) return "a text is longer than 1024 bytes";
    if (port.pfc_mask && *port.pfc_mask > kAllPriorities) return "pfc_mask is above 255";
    if (port.dscp_to_priority && port.dscp_to_priority->size() > kLargestDscp + 1)
      return "dscp_to_priority has more than 64 entries";
    if (port.roce_versions && port.roce_versions->size() > kMostWords) return "roce_versions has more than 16 entries";
    if (port.findings && port.findings->size() > kMostWords) return "findings has more than 16 entries";
    if (port.findings)
      for (const auto& [rule, severity] : *port.findings)
        if (too_long({&rule, &severity})) return "a text is longer than 1024 bytes";
    for (const auto* share : {&port.rx_pause_share, &port.tx_pause_share, &port.rx_line_share})
      if (*share && !(**share >= 0 && **share <= 1)) return "a share is not 0 to 1";
  }
  return "";
}

std::string fault_of(const PeerDigest& peer) {
  if (std::string fault = fault_of(peer.digest); !fault.empty()) return fault;
  if (!(std::isfinite(peer.age_seconds) && peer.age_seconds >= 0)) return "its age is negative";
  if (too_long({&peer.peer})) return "a text is longer than 1024 bytes";
  if (peer.carrier_lost_seconds_ago.size() > kMaxPortsOfDigest) return "more than 256 ports lost their carrier";
  for (const auto& [port, seconds] : peer.carrier_lost_seconds_ago)
    if (port.size() > kMaxText || !std::isfinite(seconds) || seconds < 0) return "a loss of carrier is in the future";
  return "";
}

std::string fault_of(const ProbeArrivals& arrivals) {
  if (too_long({&arrivals.device})) return "a text is longer than 1024 bytes";
  if (!std::isfinite(arrivals.seconds) || arrivals.seconds < 0) return "its time is negative";
  for (const auto& [dscp, packets] : arrivals.packets)
    if (const auto number = parse_u64(dscp); !number || *number > kLargestDscp) return "a DSCP is not 0 to 63";
  return "";
}

std::string fault_of(const BandwidthRun& run) {
  constexpr double kMostBits = 1e14;  // of a second: no line of any year soon
  if (too_long({&run.device, &run.peer, &run.peer_device, &run.address})) return "a text is longer than 1024 bytes";
  for (const double seconds : {run.seconds, run.waited_seconds})
    if (!is_time(seconds)) return "a time is negative or longer than a day";
  for (const auto* rate : {&run.bits_per_second, &run.other_bits_per_second})
    if (*rate && !(**rate >= 0 && **rate <= kMostBits)) return "a rate is negative, or more than a line carries";
  if (run.bits_per_second && (run.bytes == 0 || !(run.seconds > 0))) return "a rate without bytes or time";
  if (run.peer_busy_share && !(*run.peer_busy_share >= 0 && *run.peer_busy_share <= 1)) return "a share is not 0 to 1";
  return "";
}

std::string fault_of(const ProbeHistogram& histogram) {
  if (too_long({&histogram.device, &histogram.kind})) return "a text is longer than 1024 bytes";
  if (histogram.counts.size() != kProbeBounds.size() + 1) return "it has not the buckets of this version";
  if (!std::isfinite(histogram.sum_seconds) || histogram.sum_seconds < 0) return "its sum is negative or not finite";
  return "";
}

}  // namespace

Result<void> check(const ProbeFacts& facts) {
  for (const double number : {facts.window_seconds, facts.running_seconds, facts.packets_per_second,
                              facts.bytes_per_second, facts.core_share})
    if (!std::isfinite(number) || number < 0) return malformed("a number is negative or not finite", "");
  if (facts.peers.size() > kMaxProbedPeers) return malformed("more than 20000 peers", "peers");
  if (facts.digests.size() > kMaxProbedPeers) return malformed("more than 20000 peers", "digests");
  if (facts.blocked.size() > kMaxProbedPeers) return malformed("more than 20000 ports", "blocked");
  if (facts.fine_left_out.size() > kMaxProbedPeers) return malformed("more than 20000 ports", "fine_left_out");
  if (facts.problems.size() > kMaxProbeProblems) return malformed("more than 64 problems", "problems");
  for (const std::string& problem : facts.problems)
    if (too_long({&problem})) return malformed("a text is longer than 1024 bytes", "problems");
  for (std::size_t i = 0; i < facts.peers.size(); ++i)
    if (std::string fault = fault_of(facts.peers[i]); !fault.empty())
      return malformed(std::move(fault), "peers[" + std::to_string(i) + "]");
  for (std::size_t i = 0; i < facts.digests.size(); ++i)
    if (std::string fault = fault_of(facts.digests[i]); !fault.empty())
      return malformed(std::move(fault), "digests[" + std::to_string(i) + "]");
  if (std::string fault = fault_of(facts.own); !fault.empty()) return malformed(std::move(fault), "own");
  if (facts.arrivals.size() > kMaxPortsOfDigest) return malformed("more than 256 ports", "arrivals");
  for (std::size_t i = 0; i < facts.arrivals.size(); ++i)
    if (std::string fault = fault_of(facts.arrivals[i]); !fault.empty())
      return malformed(std::move(fault), "arrivals[" + std::to_string(i) + "]");
  if (facts.histograms.size() > kMaxProbedPeers) return malformed("more than 20000 histograms", "histograms");
  for (std::size_t i = 0; i < facts.histograms.size(); ++i)
    if (std::string fault = fault_of(facts.histograms[i]); !fault.empty())
      return malformed(std::move(fault), "histograms[" + std::to_string(i) + "]");
  if (facts.bandwidth.size() > kMaxBandwidthRuns) return malformed("more than 1024 measurements", "bandwidth");
  for (std::size_t i = 0; i < facts.bandwidth.size(); ++i)
    if (std::string fault = fault_of(facts.bandwidth[i]); !fault.empty())
      return malformed(std::move(fault), "bandwidth[" + std::to_string(i) + "]");
  return {};
}

Result<void> check(const NodeDigest& digest) {
  if (std::string fault = fault_of(digest); !fault.empty()) return malformed(std::move(fault), "");
  return {};
}

std::string probe_facts_json(const ProbeFacts& facts) {
  return compact(write_json(facts));
}

Result<ProbeFacts> probe_facts_from_json(std::string_view text) {
  const Result<json> parsed = parse(text, kMaxProbeBytes);
  if (!parsed) return parsed.error();
  JsonFaults faults;
  ProbeFacts facts;
  if (!read_json(*parsed, facts, faults)) return faults.error();
  if (const Result<void> checked = check(facts); !checked) return checked.error();
  return facts;
}

std::string node_digest_json(const NodeDigest& digest) {
  return compact(write_json(digest));
}

Result<NodeDigest> node_digest_from_json(std::string_view text) {
  const Result<json> parsed = parse(text, kMaxDigestBytes);
  if (!parsed) return parsed.error();
  JsonFaults faults;
  NodeDigest digest;
  if (!read_json(*parsed, digest, faults)) return faults.error();
  if (std::string fault = fault_of(digest); !fault.empty()) return malformed(std::move(fault), "");
  return digest;
}

}  // namespace roceready
