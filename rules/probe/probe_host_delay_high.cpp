// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::uint32_t kSlowNetwork = 3;   // minutes of five, as probe-rtt-high has it
constexpr std::uint64_t kEnoughTimes = 10;  // round trips, as a window of the baseline has at least

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  std::string why;
  if (!times_can_be_judged(seen, why) && !seen.limit_is_set("delay_s")) return out.not_applicable(why);
  const double most = seen.limit("delay_s");
  PeerJudgements said(seen, "answer RDMA probes late, by their own fault");
  double own = -1;
  for (const ProbedPeer& peer : peers) {
    double theirs = -1;
    bool slow_network = false, judged_network = false;
    Reading<ProbeTimes> any = Absent{Why::NotPresent, "no answer yet"};
    for (const PeerProbe* kind : peer.kinds) {
      slow_network = slow_network || kind->slow_windows >= kSlowNetwork;
      judged_network = judged_network || (kind->rtt && kind->rtt->count >= kEnoughTimes && kind->baseline_p50_seconds);
      if (kind->prober_delay) own = std::max(own, kind->prober_delay->p99_seconds);
      if (kind->responder_delay) theirs = std::max(theirs, kind->responder_delay->p99_seconds);
      if (kind->sent > kind->lost) any = kind->responder_delay;
    }
    if (const auto not_sent = why_not_sent(peer)) {
      said.unknown(peer, *not_sent);
    } else if (theirs < 0) {
      if (any.absent().why == Why::NotPresent)
        said.later("no answer from " + peer.name + " yet");
      else
        said.unknown(peer, any.absent());
    } else if (theirs > most && !slow_network) {
      const std::string source = source_of(seen, peer);
      said.fail(peer, Severity::Info, theirs,
                peer.full_name() + " itself takes " + microseconds(theirs) + " (99th percentile) to answer a probe" +
                    (judged_network ? "; the network is not slow." : "."),
                {seen.item("99th percentile of the responder's delay", theirs, "seconds", ">", most, source)})
          .derived_threshold = seen.limit_is_derived("delay_s");
    } else {
      said.pass();
    }
  }
  if (own > most)
    said.fail_port(Severity::Info,
                   "This host takes " + microseconds(own) + " (99th percentile) to read the answers that " +
                       port_name(seen) + " received.",
                   {seen.item("99th percentile of this host's delay", own, "seconds", ">", most,
                              "RDMA probes of " + port_name(seen))})
        .derived_threshold = seen.limit_is_derived("delay_s");
  said.write(out);
}

}  // namespace

extern const Rule kProbeHostDelayHigh;
constinit const Rule kProbeHostDelayHigh{
    .id = "probe-host-delay-high",
    .family = "probe",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Hosts answer probes slowly, the network does not",
    .what =
        "Subtracts the network's part from the round trip. Info when the 99th percentile of a host's part is above 200 "
        "µs while the network is fast.",
    .why = "The processors of that host sleep deeply or are busy elsewhere; latency of applications suffers alike.",
    .next = "Look at power states, the scheduler and interrupt placement of that host.",
    .likely_causes = {"deep power states", "busy or wrongly placed processors"},
    .fix = {Recipe::Application},
    .traps = {"It is the host's delay, never the network's.",
              "Software RDMA and virtual machines are judged only where the limit was set."},
    .limits = {Limit{.name = "delay_s",
                     .value = 0.0002,
                     .unit = "seconds",
                     .min = 0,
                     .max = 10,
                     .evidence = 'D',
                     .help = "99th percentile of a host's delay"}},
    .facts = {"rpingmesh"},
    .judge = judge,
};

}  // namespace roceready::rules
