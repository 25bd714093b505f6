// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "rules/pause_share.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 60, kNeededSeconds = 180;
constexpr std::size_t kWindows = 5;
constexpr CounterId kLoopback = CounterId::VportLoopbackPackets;

/// Greatest share of the time in which the NIC paused the network on a lossless priority, in a window that ended `ago`
/// seconds ago.
Reading<double> paused(const Evidence& seen, double ago) {
  double most = 0;
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  for (const std::uint8_t priority : lossless_priorities(*seen.profile())) {
    if (pfc && !pfc->on(priority)) continue;  // cannot pause
    const Reading<Increase> time = seen.increase(CounterId::PfcTxPauseDuration, kWindowSeconds, priority, ago);
    if (!time) return time.absent();
    most = std::max(most, share_of(*time));
  }
  return most;
}

/// Windows of looped packets as shares of the RDMA packets sent; 0 in windows with little traffic, or in which the NIC
/// hardly paused the network.
Reading<Windows> harmful_shares(const Evidence& seen, const Windows& looped) {
  const auto share = [&](const Increase& window, double ago) -> Reading<double> {
    const Reading<Increase> sent = seen.increase(CounterId::RdmaTxPackets, kWindowSeconds, kNoLane, ago);
    if (!sent) return sent.absent();
    if (sent->amount < seen.limit("min_packets")) return 0.0;
    const Reading<double> pause = paused(seen, ago);
    if (!pause) return pause;
    return *pause < seen.limit("pause_share") ? 0.0 : std::min(1.0, window.amount / sent->amount);
  };
  const Reading<double> latest = share(looped.latest, 0);
  if (!latest) return latest.absent();
  Windows out{looped.length_seconds, {}, Increase{*latest, 1}};
  for (std::size_t i = 0; i < looped.complete.size(); ++i) {
    const Reading<double> one = share(looped.complete[i], looped.ago[i]);
    if (!one) return one.absent();
    out.complete.push_back(Increase{*one, 1});
    out.ago.push_back(looped.ago[i]);
  }
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (stated_profile(seen, out) == nullptr) return;
  const Reading<Windows> looped = seen.windows(kLoopback, kWindowSeconds, kWindows);
  if (!readable(seen, out, kLoopback, looped)) return;
  if (looped->latest.amount < 1) return quiet(seen, out, kNeededSeconds);
  const Reading<Windows> shares = harmful_shares(seen, *looped);
  if (!shares) return out.unknown(shares.absent());
  const double limit = seen.limit("loopback_share");
  const Held much = held(*shares, [&](const Increase& share) { return share.amount >= limit; });
  if (much == Held::Never) return quiet(seen, out, kNeededSeconds);

  const double share = shares->latest.amount;
  const bool sustained = much == Held::Sustained;
  std::string sentence = percent(share) + " of the RDMA packets that " + netdev_name(seen) + " sent in the last " +
                         duration_text(looped->latest.seconds) +
                         " stayed inside the NIC, between programs of this node, while the NIC paused the network";
  sentence += sustained ? ", and so in three of the last five minutes." : "; that is not sustained yet.";
  Judgement& said = out.fail(
      sustained ? Severity::Warning : Severity::Info, sentence,
      {seen.item("share of RDMA packets looped inside the NIC", share, "share", ">=", limit, seen.source_of(kLoopback)),
       seen.item("share of time in which the NIC paused the network", paused(seen, 0).value_or(0), "share",
                 ">=", seen.limit("pause_share"), seen.source_of(CounterId::PfcTxPauseDuration))});
  said.derived_threshold = seen.limit_is_derived("loopback_share");
  said.confidence = 0.7;
}

}  // namespace

extern const Rule kHostLoopbackRdma;
constinit const Rule kHostLoopbackRdma{
    .id = "host-loopback-rdma",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Programs of one node talk to each other through the NIC",
    .what =
        "Compares the packets that the NIC loops inside itself with the RDMA packets sent. Fires when a fifth or more "
        "is looped in three of five minutes while the NIC pauses the network.",
    .why = "Looped traffic takes PCIe bandwidth twice; the NIC then drains slowly and pauses the whole path.",
    .next = "Let programs on one node use shared memory or the GPUs' own links.",
    .likely_causes = {"shared memory or peer-to-peer switched off in the library",
                      "containers that do not share memory", "storage client and server on one node"},
    .fix = {Recipe::LocalTraffic},
    .traps = {"Looped packets are counted, not bytes, and those of virtual functions that are not RDMA too: hence the "
              "confidence of 0.7.",
              "Without pause it harms nobody else and is not mentioned."},
    .needs = {kLoopback, CounterId::RdmaTxPackets, CounterId::PfcTxPauseDuration},
    .limits = {Limit{.name = "loopback_share",
                     .value = 0.2,
                     .unit = "share",
                     .min = 0.01,
                     .max = 1,
                     .evidence = 'D',
                     .help = "looped packets per RDMA packet sent from which it fires"},
               Limit{.name = "pause_share",
                     .value = 0.001,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time in which the NIC must pause the network"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "RDMA packets sent in a minute below which nothing is said"}},
    .facts = {"azure-loopback-slow-receiver", "mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules
