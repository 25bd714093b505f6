// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "rules/event_share.h"
#include "rules/occasions.h"
#include "rules/port_traffic.h"
#include "rules/roce/roce_mtu.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::uint32_t kLargestRoce = 4096;

/// Why RoCE packets can be among the dropped, or "".
std::string about_roce(const Evidence& seen, double of_rdma) {
  if (of_rdma >= 1) return "They were RoCE packets.";
  const Reading<Increase> rdma = port_increase(seen, CounterId::RdmaRxPackets, kMinutes * kMinute);
  if (!rdma || rdma->amount < 1) return "";
  const Reading<std::uint32_t>& mtu = seen.member().link.mtu;
  // A RoCE packet carries at most 4096 bytes, so it fits wherever those fit.
  if (mtu && rdma_mtu_of(*mtu) >= kLargestRoce) return "";
  return "RDMA peers are talking to this port, and RoCE packets of " + std::to_string(kLargestRoce) +
         " bytes do not fit its MTU" + (mtu ? " of " + std::to_string(*mtu) : std::string()) + ".";
}

void judge(const Evidence& seen, Outcomes& out) {
  const auto ids = {CounterId::RxOversizePhy, CounterId::RxMtuErrors, CounterId::RxOversizeBufferDrops,
                    CounterId::RxMtuDiscards};
  const Reading<Windows> drops = sum_of(seen, ids);
  if (!sum_readable(seen, out, ids, drops)) return;
  double total = 0;
  std::size_t times = 0;
  CounterId worst = shown_of(seen, ids);
  for (const CounterId id : ids) {
    const Reading<Increase> grew = seen.increase(id, kMinutes * kMinute);
    if (!grew || grew->amount < 1) continue;
    total += grew->amount;
    worst = id;
    times = std::max(times, occasions(seen, id, static_cast<int>(kMinutes * kMinute)));
  }
  if (total < 1) {
    if (nothing_hidden(seen, out, ids)) quiet(seen, out, kMinute);
    return;
  }
  const bool repeated = static_cast<double>(times) >= seen.limit("windows");
  const Reading<Increase> of_rdma = seen.increase(CounterId::RxMtuDiscards, kMinutes * kMinute);
  const std::string why = about_roce(seen, of_rdma ? of_rdma->amount : 0);
  std::string sentence = netdev_name(seen) + " dropped " + counted(total, "frame") + " longer than its MTU" +
                         (seen.member().link.mtu ? " of " + std::to_string(*seen.member().link.mtu) : std::string()) +
                         " in the last five minutes: somebody who sends to it has a larger one.";
  if (!why.empty()) sentence += " " + why;
  if (!repeated) sentence += " That happened once.";
  out.fail(!repeated     ? Severity::Info
           : why.empty() ? Severity::Warning
                         : Severity::Critical,
           sentence, {seen.item("frames longer than the MTU", total, "frames", ">=", 1, seen.source_of(worst))})
      .derived_threshold = repeated && seen.limit_is_derived("windows");
}

}  // namespace

extern const Rule kDropOversize;
constinit const Rule kDropOversize{
    .id = "drop-oversize",
    .family = "drop",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "Frames longer than this port's MTU are dropped",
    .what =
        "Counts received frames longer than the MTU. Warning when there were some twice in five minutes, at least a "
        "minute apart; critical when RoCE packets can be among them: the NIC says so, or RDMA traffic arrives and 4096 "
        "bytes do not fit the MTU.",
    .why = "Small messages work and large ones vanish: connections hang and then break.",
    .next = "Give all ends and the switches the same MTU: 9000 on hosts, 9216 on switches.",
    .likely_causes = {"this host has a smaller MTU than its peers", "MTU lost after a reboot or by a bond or VLAN",
                      "a peer sends jumbo frames into a network that does not want them"},
    .fix = {Recipe::Mtu},
    .traps = {"RoCE packets carry at most 4096 bytes: where those fit the MTU, longer frames are not RoCE's, and it "
              "stays a warning.",
              "Once only is info."},
    .needs = {CounterId::RxOversizePhy, CounterId::RxMtuErrors, CounterId::RxOversizeBufferDrops,
              CounterId::RxMtuDiscards, CounterId::RdmaRxPackets},
    .limits = {Limit{.name = "windows",
                     .value = 2,
                     .unit = "count",
                     .min = 1,
                     .max = 5,
                     .evidence = 'D',
                     .help = "how often within five minutes, at least a minute apart, oversize frames are a fault"}},
    .facts = {"kernel-roce-mtu", "mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules
