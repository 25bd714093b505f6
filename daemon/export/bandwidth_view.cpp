// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/bandwidth_view.h"

#include <algorithm>

#include "core/base/text.h"
#include "daemon/export/port_json.h"
#include "rules/wording.h"

namespace roceready::daemon {
namespace {

const char* kind_of(const BandwidthRun& run) {
  return run.loopback ? "loopback" : "bandwidth";
}

const char* outcome_name(rules::Outcome outcome) {
  switch (outcome) {
    case rules::Outcome::Pass:
      return "pass";
    case rules::Outcome::Fail:
      return "fail";
    case rules::Outcome::NotApplicable:
      return "not_applicable";
    default:
      return "unknown";
  }
}

Json run_json(const BandwidthRun& run) {
  Json out;
  out["bits_per_second"] = json_reading(run.bits_per_second);
  out["bytes"] = std::to_string(run.bytes);
  out["seconds"] = json_number(run.seconds);
  out["waited_seconds"] = json_number(run.waited_seconds);
  out["message_bytes"] = run.message_bytes;
  out["queue_pairs"] = run.queue_pairs;
  out["mtu_bytes"] = run.mtu_bytes;
  out["other_bits_per_second"] = json_reading(run.other_bits_per_second);
  out["peer_speed_bits_per_second"] = json_reading(run.peer_speed_bits_per_second);
  out["peer_busy_share"] = json_reading(run.peer_busy_share);
  return out;
}

Json judgement_json(const JudgedBandwidth& judged) {
  const bool failed = judged.outcome == rules::Outcome::Fail;
  Json out;
  out["rule"] = json_text(judged.rule);
  out["outcome"] = outcome_name(judged.outcome);
  out["severity"] = failed ? Json(rules::name_of(judged.severity)) : Json();
  out["confidence"] = failed ? json_number(judged.confidence) : Json();
  out["detail"] = json_text_or_null(judged.sentence);
  out["symptom_of"] = Json::array();
  for (const std::string& cause : judged.causes) out["symptom_of"].push_back(json_text(cause));
  return out;
}

Json measured_json(const MeasuredBandwidth& one) {
  const BandwidthRun& run = one.result.run;
  Json out;
  out["peer"] = json_text_or_null(run.peer);
  out["device"] = json_text_or_null(run.device);
  out["port"] = run.device.empty() ? Json() : Json(run.port);
  out["peer_device"] = json_text_or_null(run.peer_device);
  out["peer_port"] = run.peer_device.empty() ? Json() : Json(run.peer_port);
  out["peer_address"] = json_text_or_null(run.address);
  out["kind"] = kind_of(run);
  out["authenticated"] = one.result.authenticated;
  out["sent"] = one.result.sent;
  out["lost"] = one.result.sent - std::min(one.result.sent, one.result.completed);
  for (const char* none : {"clock", "rtt_seconds", "total_seconds", "prober_delay_seconds", "responder_delay_seconds",
                           "mtu", "dscp", "ecn", "ttl"})
    out[none] = Json();
  out["paths"] = Json::array();
  out["bandwidth"] = run_json(run);
  out["judgement"] = judgement_json(one.judged);
  if (one.result.error) out["error"] = json_text(*one.result.error);
  return out;
}

}  // namespace

std::string bandwidth_json(const std::vector<MeasuredBandwidth>& measured) {
  Json out;
  out["peers"] = Json::array();
  for (const MeasuredBandwidth& one : measured) out["peers"].push_back(measured_json(one));
  return json_dump(out);
}

std::string bandwidth_text(const std::vector<MeasuredBandwidth>& measured, const Paint& paint) {
  std::string out = padded("peer", 26) + padded("from", 12) + padded("size", 10) + padded("paths", 7) +
                    padded("seconds", 9) + padded("bandwidth", 14) + "verdict\n";
  for (const MeasuredBandwidth& one : measured) {
    const BandwidthRun& run = one.result.run;
    const JudgedBandwidth& judged = one.judged;
    const bool failed = judged.outcome == rules::Outcome::Fail, passed = judged.outcome == rules::Outcome::Pass;
    const std::string from = run.device.empty() ? "-" : clean_text(run.device) + "/" + std::to_string(run.port);
    out += padded((run.loopback ? std::string("(loopback)") : clean_text(run.peer)) + " ", 26) +
           padded(from + " ", 12) + padded(std::to_string(run.message_bytes / 1024) + " KiB", 10) +
           padded(std::to_string(run.queue_pairs), 7) + padded(short_number(run.seconds, 3), 9) +
           padded(run.bits_per_second ? rules::bit_rate(*run.bits_per_second) : "-", 14) +
           (passed   ? paint.ink(Ink::Green, "ok")
            : failed ? paint.ink(judged.severity == rules::Severity::Critical ? Ink::Red : Ink::Yellow,
                                 rules::name_of(judged.severity))
                     : std::string("not judged")) +
           "\n";
    if (one.result.error) {
      out += wrapped("  ! ", paint.ink(Ink::Red, clean_text(*one.result.error)));
      continue;
    }
    if (!passed && !judged.sentence.empty()) out += wrapped(failed ? "  ! " : "    ", clean_text(judged.sentence));
    for (const std::string& cause : judged.causes)
      out += wrapped("    ", "This node's finding " + clean_text(cause) + " explains it: begin there.");
    if (failed) out += wrapped("    ", "roceready explain " + judged.rule);
  }
  return out;
}

int bandwidth_exit_code(const std::vector<MeasuredBandwidth>& measured) {
  int out = 0;
  for (const MeasuredBandwidth& one : measured) {
    int code = 3;
    if (one.result.error)
      code = one.result.peer_not_reached ? 2 : 3;
    else if (one.judged.outcome == rules::Outcome::Fail)
      code = 1;
    else if (one.judged.outcome == rules::Outcome::Pass)
      code = 0;
    out = std::max(out, code);
  }
  return measured.empty() ? 3 : out;
}

}  // namespace roceready::daemon
