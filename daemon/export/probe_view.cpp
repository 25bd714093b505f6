// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/probe_view.h"

#include <algorithm>

#include "core/base/text.h"
#include "daemon/export/port_json.h"

namespace roceready::daemon {
namespace {

using probes::ProbeResult;

Json times_json(const Reading<ProbeTimes>& times) {
  if (!times) return {};
  return {{"min", json_number(times->min_seconds)},
          {"p50", json_number(times->p50_seconds)},
          {"p90", json_number(times->p90_seconds)},
          {"p99", json_number(times->p99_seconds)},
          {"max", json_number(times->max_seconds)}};
}

Json path_json(const ProbePath& path) {
  Json out;
  out["path"] = path.path;
  out["source_qp"] = path.source_qp;
  out["flow_label"] = path.flow_label;
  out["udp_source_port"] = json_reading(path.udp_source_port);
  out["sent"] = path.sent;
  out["lost"] = path.lost;
  out["rtt_seconds"] = times_json(path.rtt);
  return out;
}

Json mtu_json(const probes::MtuSweep& sweep) {
  Json out;
  out["own_bytes"] = sweep.own_bytes;
  out["peer_bytes"] = sweep.peer_bytes;
  out["passes_bytes"] = json_reading(sweep.passes());
  out["black_hole"] = sweep.black_hole();
  out["steps"] = Json::array();
  for (const probes::MtuStep& step : sweep.steps)
    out["steps"].push_back({{"payload_bytes", step.payload_bytes}, {"sent", step.sent}, {"lost", step.lost}});
  return out;
}

Json result_json(const ProbeResult& one) {
  Json out;
  out["peer"] = json_text(one.peer);
  out["device"] = json_text_or_null(one.device);
  out["port"] = one.device.empty() ? Json() : Json(one.port);
  out["peer_device"] = json_text_or_null(one.peer_device);
  out["peer_port"] = one.peer_device.empty() ? Json() : Json(one.peer_port);
  out["peer_address"] = json_text_or_null(one.peer_address);
  out["kind"] = probes::name_of(one.kind);
  out["authenticated"] = one.authenticated;
  out["sent"] = one.sent;
  out["lost"] = one.lost;
  out["not_sent"] = one.not_sent;
  out["discarded"] = one.discarded;
  out["late"] = one.late;
  out["responder_late"] = one.responder_late;
  out["answered_late"] = one.answered_late;
  out["clock"] = one.clock ? Json(probes::name_of(*one.clock)) : Json();
  out["rtt_seconds"] = times_json(one.rtt);
  out["total_seconds"] = times_json(one.total);
  out["prober_delay_seconds"] = times_json(one.prober_delay);
  out["responder_delay_seconds"] = times_json(one.responder_delay);
  out["dscp"] = {{"sent", one.dscp_sent}, {"received", json_reading(one.dscp_received)}};
  out["ecn"] = {{"sent", one.ecn_sent}, {"received", json_reading(one.ecn_received)}};
  out["ttl"] = json_reading(one.ttl);
  out["headers"] = {
      {"seen", one.seen}, {"rewritten", one.rewritten}, {"bleached", one.bleached}, {"marked", one.marked}};
  out["paths"] = Json::array();
  for (const ProbePath& path : one.paths) out["paths"].push_back(path_json(path));
  out["mtu"] = one.mtu ? mtu_json(*one.mtu) : Json();
  if (one.error) out["error"] = json_text(*one.error);
  return out;
}

std::string microseconds(double seconds) {
  return short_number(seconds * 1e6, 3) + " us";
}

std::string share(std::uint64_t part, std::uint64_t of) {
  return std::to_string(part) + " of " + std::to_string(of) +
         (of > 0 ? " (" + short_number(100.0 * static_cast<double>(part) / static_cast<double>(of), 3) + " %)" : "");
}

/// What is wrong, a sentence each.
std::vector<std::string> faults(const ProbeResult& one) {
  std::vector<std::string> out;
  if (one.error) out.push_back(clean_text(*one.error));
  if (one.lost > 0) {
    std::string paths;
    for (const ProbePath& path : one.paths)
      if (path.lost > 0)
        paths += (paths.empty() ? "" : ", ") + std::string("path ") + std::to_string(path.path) +
                 (path.udp_source_port ? " (UDP source port " + std::to_string(*path.udp_source_port) + ")" : "") +
                 ": " + share(path.lost, path.sent);
    const bool several = one.paths.size() > 1;
    out.push_back("lost " + share(one.lost, one.sent) + (several ? "; " + paths : ""));
  }
  if (one.rewritten > 0)
    out.push_back("DSCP " + std::to_string(one.dscp_sent) + " was sent, " +
                  (one.dscp_received ? std::to_string(*one.dscp_received) : "another") + " arrived, in " +
                  share(one.rewritten, one.seen) + ": something on the way remarks it");
  if (one.bleached > 0)
    out.push_back("the ECN bits were cleared on the way in " + share(one.bleached, one.seen) +
                  ": switches cannot mark this traffic");
  if (one.mtu && one.mtu->black_hole())
    out.push_back("payloads above " + std::to_string(one.mtu->passes().value_or(0)) +
                  " bytes do not pass, though both ports allow " +
                  std::to_string(std::min(one.mtu->own_bytes, one.mtu->peer_bytes)) +
                  ": an MTU on the way is too small");
  return out;
}

std::vector<std::string> remarks(const ProbeResult& one) {
  std::vector<std::string> out;
  if (one.marked > 0) out.push_back("CE marks on " + share(one.marked, one.seen) + ": a queue on the way is filling");
  if (one.sent > one.lost && one.seen == 0 && one.kind == probes::ProbeKind::Ud)
    out.push_back("the peer's NIC does not show the header of what it received: the class on arrival is not known");
  if (one.late > 0)
    out.push_back("this host was late for " + share(one.late, one.sent) + " answers; their times are left out");
  if (one.responder_late > 0)
    out.push_back("the peer's host was late for " + share(one.responder_late, one.sent) +
                  " probes: host delay, not network; their times are left out of the round trip");
  if (one.answered_late > 0)
    out.push_back(
        share(one.answered_late, one.lost) +
        " lost probes were answered after the timeout, for the peer's host kept them: not the network's loss");
  if (one.not_sent > 0) out.push_back(std::to_string(one.not_sent) + " probes could not be sent");
  if (one.discarded > 0) out.push_back(std::to_string(one.discarded) + " answers had impossible times");
  if (!one.authenticated && one.sent > 0) out.push_back("no shared secret: few probes a second are answered");
  return out;
}

}  // namespace

std::string probe_results_json(const std::vector<ProbeResult>& results) {
  Json out;
  out["peers"] = Json::array();
  for (const ProbeResult& one : results) out["peers"].push_back(result_json(one));
  return json_dump(out);
}

std::string probe_results_text(const std::vector<ProbeResult>& results, const Paint& paint) {
  std::string out = padded("peer", 26) + padded("from", 12) + padded("kind", 10) + padded("sent", 8) +
                    padded("lost", 8) + padded("p50", 12) + padded("p99", 12) + padded("max", 12) + "DSCP  TTL\n";
  for (const ProbeResult& one : results) {
    const std::string from = one.device.empty() ? "-" : clean_text(one.device) + "/" + std::to_string(one.port);
    out += padded(clean_text(one.peer) + " ", 26) + padded(from + " ", 12) + padded(probes::name_of(one.kind), 10) +
           padded(std::to_string(one.sent), 8) + padded(std::to_string(one.lost), 8);
    out += one.rtt ? padded(microseconds(one.rtt->p50_seconds), 12) + padded(microseconds(one.rtt->p99_seconds), 12) +
                         padded(microseconds(one.rtt->max_seconds), 12)
                   : padded("-", 12) + padded("-", 12) + padded("-", 12);
    out += padded(one.dscp_received ? std::to_string(*one.dscp_received) : "-", 6) +
           (one.ttl ? std::to_string(*one.ttl) : "-") + "\n";
    for (const std::string& fault : faults(one)) out += wrapped("  ! ", paint.ink(Ink::Red, fault));
    for (const std::string& remark : remarks(one)) out += wrapped("    ", remark);
  }
  return out;
}

int probe_exit_code(const std::vector<ProbeResult>& results) {
  int out = 0;
  for (const ProbeResult& one : results) {
    int code = 0;
    if (one.sent == 0)
      code = one.peer_not_reached ? 2 : 3;
    else if (!one.reachable)
      code = 2;
    else if (one.cut_short)
      code = 3;
    else if (one.lost > 0 || one.rewritten > 0 || one.bleached > 0 || (one.mtu && one.mtu->black_hole()))
      code = 1;
    out = std::max(out, code);
  }
  return results.empty() ? 3 : out;
}

}  // namespace roceready::daemon
