// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/history/history.h"
#include "rules/engine.h"
#include "rules/report.h"
#include "rules/rule.h"

namespace roceready::daemon {

inline constexpr std::int64_t kSampleWall = 1'769'828'645'678'000'000;  // 2026-01-31T03:04:05.678Z

/// One mlx5 port with its netdev, PFC off, two counters; a second port that is a virtual function.
inline Snapshot sample_snapshot(const std::string& netdev = "eth0") {
  Snapshot out;
  out.before = out.after = {100'000'000'000, kSampleWall};
  out.node.hostname = std::string("gpu-17");
  out.node.kernel = std::string("6.8.0");
  RdmaPort port;
  port.device = "mlx5_0";
  port.key = "0000:3b:00.0/1";
  port.driver = "mlx5_ib";
  port.in_scope = true;
  port.state = std::string("ACTIVE");
  port.netdev = netdev;
  port.members = {netdev};
  port.gids = std::vector<GidEntry>{{0, "fe80::1", "RoCE v2", netdev},
                                    {1, "::ffff:10.0.0.1", "RoCE v1", netdev},
                                    {3, "::ffff:10.0.0.1", "RoCE v2", netdev}};
  port.counters.values = {{CounterId::CnpSent, kNoLane, 32, 7, 1.0}};
  out.ports.push_back(port);
  RdmaPort other;
  other.device = "mlx5_2";
  other.key = "0000:3b:00.2/1";
  other.why_not = "virtual function";
  out.ports.push_back(other);
  Netdev eth;
  eth.link.name = netdev;
  eth.link.carrier = true;
  eth.link.mtu = 9000U;
  LinkModes modes;
  modes.speed_bits_per_second = std::uint64_t{400'000'000'000};
  eth.ethtool.link_modes = modes;
  PfcFacts pfc;
  pfc.enabled = 0x08;
  eth.dcb.pfc = pfc;
  eth.dcb.trust = std::string("dscp");
  eth.counters.values = {{CounterId::PfcRxPauseDuration, 3, 64, 2'500'000, 1e-6},
                         {CounterId::CcCurrentRate, kNoLane, 64, 5, 1.0}};
  out.netdevs.push_back(eth);
  CollectorRun run;
  run.collector = "dcb";
  run.duration_ns = 1'500'000;
  run.success = true;
  out.collectors.push_back(run);
  return out;
}

inline rules::Finding sample_finding(const char* rule, rules::Severity severity, const std::string& netdev = "eth0") {
  rules::Finding out;
  out.rule = rules::rule_named(rule);
  out.severity = severity;
  out.subject.device = "mlx5_0";
  out.subject.port = 1;
  out.subject.netdev = netdev;
  out.subject.priority = std::uint8_t{3};
  out.key = std::string(rule) + "@" + out.subject.key();
  out.since_wall_ns = kSampleWall;
  out.seen = "PFC is enabled for no priority; the profile wants priority 3.";
  out.next = out.rule->next;
  rules::EvidenceItem item;
  item.what = "pfc priorities";
  item.value = 0.0;
  item.unit = "mask";
  item.op = "!=";
  item.limit = 8.0;
  item.source = "DCB netlink " + netdev;
  item.at_wall_ns = kSampleWall;
  out.evidence.push_back(item);
  return out;
}

/// Not ready: pfc-disabled explains pfc-storm-rx; one gap of each kind.
inline rules::Report sample_report(const std::string& netdev = "eth0") {
  using namespace rules;
  Report out;
  out.at = {100'000'000'000, kSampleWall};
  out.profile.name = "nvidia-lossless";
  out.profile.origin = ProfileOrigin::Named;
  out.profile.confidence = 1.0;
  out.profile.why = "--profile";
  out.verdict = Verdict::NotReady;
  out.score = 52.5;
  out.coverage = {0.9, 18, 2, 4};
  out.summary = "Port mlx5_0/1 is not ready: PFC is off.";
  out.window_seconds = 2;
  out.kernel_seconds = 0.012;
  Finding cause = sample_finding("pfc-disabled", Severity::Critical, netdev);
  Finding symptom = sample_finding("pfc-storm-rx", Severity::Critical, netdev);
  symptom.seen = "Paused 80 % of the time.";
  symptom.next = symptom.rule->next;
  cause.fix = {{"nvidia", "mlnx_qos -i " + netdev + " --pfc 0,0,0,1,0,0,0,0", false, ""},
               {"generic", "dcb pfc set dev " + netdev + " prio-pfc 3:on", false, ""}};
  cause.cause_of = {symptom.key};
  symptom.symptom_of = {cause.key};
  out.causes = {cause.key};
  out.findings = {cause, symptom, sample_finding("link-speed-low", Severity::Info, netdev)};
  PortReport port;
  port.key = "0000:3b:00.0/1";
  port.device = "mlx5_0";
  port.port = 1;
  port.in_scope = true;
  port.profile = "nvidia-lossless";
  port.verdict = Verdict::NotReady;
  port.score = 52.5;
  port.coverage = out.coverage;
  port.penalties = {{cause.key, "pfc", 40, ""}, {symptom.key, "pfc", 7.5, "half, same domain"}};
  port.rates["rx_bits_per_second"] = 1.5e9;
  port.rates["tx_bits_per_second"] = Absent{Why::Denied, "refused"};
  out.penalties = port.penalties;
  out.ports.push_back(port);
  PortReport other;
  other.key = "0000:3b:00.2/1";
  other.device = "mlx5_2";
  other.port = 1;
  other.why_not = "virtual function";
  out.ports.push_back(other);
  Gap gap;
  gap.rule = "pcie-width-degraded";
  gap.subject = cause.subject;
  gap.subject.priority.reset();
  gap.why = "denied";
  gap.detail = "configuration space needs CAP_SYS_ADMIN";
  gap.settle_with = "run as root";
  out.unknown = {gap};
  gap.rule = "pfc-storm-tx";
  gap.why = "never_shown";
  out.not_looked_at = {gap};
  out.limits_changed = {{"rules.pfc-storm-rx.storm_share", 0.5, 0.8}};
  out.snapshot = std::make_shared<const Snapshot>(sample_snapshot(netdev));
  return out;
}

/// The same where the storm is waived, another waiver expired, somebody vouches for the trust, and a limit was changed.
inline rules::Report waived_report(const std::string& netdev = "eth0", const std::string& who = "ops@example.org") {
  rules::Report out = sample_report(netdev);
  constexpr std::int64_t kLater = kSampleWall + 86'400'000'000'000;  // 2026-02-01T03:04:05.678Z
  const rules::Finding storm = out.findings[1];
  out.findings.erase(out.findings.begin() + 1);
  out.findings[0].cause_of.clear();
  out.waived_findings = {{storm, "switch is being replaced, says " + who, kLater}};
  rules::Gap gap;
  gap.rule = "pfc-storm-rx";
  gap.subject = storm.subject;
  gap.why = "waived";
  gap.detail = "critical: " + storm.seen;
  out.waived = {gap};
  gap.rule = "link-flap";
  gap.subject = Subject{};
  gap.why = "expired";
  gap.detail = "the waiver expired";
  gap.settle_with = "remove it, or give it a new date";
  out.waived.push_back(gap);
  rules::Attested vouched;
  vouched.rule = "qos-trust-pcp";
  vouched.subject = out.findings[0].subject;
  vouched.subject.priority.reset();
  vouched.detail = "this driver does not show its trust";
  vouched.by = who;
  vouched.reason = "set by the firmware profile";
  vouched.expires_wall_ns = kLater;
  out.attested = {vouched};
  out.score = 60.0;
  out.score_without_waivers = 52.5;
  out.ports[0].score = 60.0;
  out.ports[0].score_without_waivers = 52.5;
  out.ports[0].penalties = {{out.findings[0].key, "pfc", 40, ""}};
  out.penalties = out.ports[0].penalties;
  return out;
}

/// The same after mlx5_0/1, which is expected, has vanished: judged, with no facts behind it.
inline rules::Report vanished_report() {
  rules::Report out = sample_report();
  Snapshot snapshot = sample_snapshot();
  snapshot.ports.erase(snapshot.ports.begin());
  snapshot.netdevs.clear();
  snapshot.expected_missing = {"mlx5_0"};
  out.snapshot = std::make_shared<const Snapshot>(std::move(snapshot));
  out.findings = {sample_finding("link-down", rules::Severity::Critical, "")};
  out.causes = {out.findings[0].key};
  out.ports[0].rates.clear();
  return out;
}

/// What a daemon says when mlx5_0/1 was there in one sample and is gone in the next: judged by the engine. `history` is
/// left as it was then.
inline rules::ReportPtr report_after_mlx5_0_went(History& history) {
  Snapshot before = sample_snapshot();
  history.add(std::make_shared<const Snapshot>(before));
  Snapshot after = before;
  after.before.monotonic_ns = after.after.monotonic_ns += 1'000'000'000;
  after.before.wall_ns = after.after.wall_ns += 1'000'000'000;
  after.ports.erase(after.ports.begin());
  after.netdevs.clear();
  history.add(std::make_shared<const Snapshot>(after));
  rules::JudgeOptions options;
  options.profile = "nvidia-lossless";
  options.one_shot = false;
  return rules::Engine(options).judge(history);
}

inline History history_of(const rules::Report& report) {
  History out(rules::needed_signals());
  out.add(report.snapshot);
  return out;
}

/// A name as no kernel should give it: quote, backslash, newline, bytes that are not UTF-8, markup.
inline const std::string kHostile = "e\"\\\n\xff<b>\xc3\xa9";

}  // namespace roceready::daemon
