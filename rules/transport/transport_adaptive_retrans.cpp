// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/event_share.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  constexpr CounterId kTimeouts = CounterId::RoceAdpRetransTimeout;
  const Reading<Windows> timeouts = seen.windows(kTimeouts, kMinute, kMinutes);
  if (!readable(seen, out, kTimeouts, timeouts)) return;
  const double limit = seen.limit("per_s");
  const Held many = held(*timeouts, [&](const Increase& one) { return one.per_second() >= limit; });
  if (many == Held::Never) return quiet(seen, out, kSustainedSeconds);
  const bool sustained = many == Held::Sustained, lossy = profile->mode == kLossy;
  std::string sentence = port_name(seen) + " resent after " + counted(timeouts->latest.amount, "adaptive timeout") +
                         " in the last " + duration_text(timeouts->latest.seconds) + sustained_words(sustained);
  if (sustained)
    sentence += lossy ? " In a lossy design that is how it works." : " A lossless class should not lose packets.";
  std::vector<EvidenceItem> evidence = {seen.item("adaptive retransmission timeouts", timeouts->latest.per_second(),
                                                  "events/s", ">=", limit, seen.source_of(kTimeouts))};
  if (const Reading<Increase> resent = seen.increase(CounterId::RoceAdpRetrans, kMinute))
    evidence.push_back(seen.item("adaptive retransmissions", resent->per_second(), "events/s",
                                 seen.source_of(CounterId::RoceAdpRetrans)));
  out.fail(sustained && !lossy ? Severity::Warning : Severity::Info, sentence, std::move(evidence)).derived_threshold =
      seen.limit_is_derived("per_s");
}

}  // namespace

extern const Rule kTransportAdaptiveRetrans;
constinit const Rule kTransportAdaptiveRetrans{
    .id = "transport-adaptive-retrans",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "The NIC resends by its adaptive timer",
    .what =
        "Counts timeouts of ConnectX's adaptive retransmission. From one a second in three of the last five minutes: "
        "info in a lossy design, warning in a lossless one.",
    .why =
        "Packets or acknowledgements are being lost; the NIC repairs it early, so the usual timeout counters stay low.",
    .next =
        "In a lossless design look for the loss: link, drops here and at the peers, PFC on each hop. In a lossy one, "
        "watch the trend.",
    .likely_causes = {"loss on the path", "acknowledgements lost or late", "a pause longer than the adaptive timeout"},
    .fix = {Recipe::Switch},
    .traps = {"Works as designed where the design is lossy: info.",
              "The adaptive timeout can be as short as 4 µs, so a long pause can trigger it without any loss.",
              "Only NVIDIA NICs count it."},
    .needs = {CounterId::RoceAdpRetransTimeout, CounterId::RoceAdpRetrans},
    .limits = {Limit{.name = "per_s",
                     .value = 1,
                     .unit = "events/s",
                     .min = 0.01,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "adaptive timeouts in a second that are told"}},
    .facts = {"mlx5-roce-accl", "mlx5-q-counters"},
    .judge = judge,
};

}  // namespace roceready::rules
