// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "rules/roce/rdma_astray.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// All addresses of the port stand alone in their subnet or share it with one neighbour, the switch: whatever else they
/// reach, they reach by routing.
bool is_routed(const Evidence& seen) {
  constexpr std::uint32_t kAloneV4 = 31, kAloneV6 = 127;
  std::vector<std::string> names = seen.port().members;
  names.insert(names.end(), seen.port().uppers.begin(), seen.port().uppers.end());
  bool any = false;
  for (const std::string& name : names) {
    const Netdev* netdev = seen.now().netdev(name);
    if (netdev == nullptr) continue;
    for (const IpAddress& address : netdev->link.addresses) {
      if (!address.is_routable()) continue;
      const bool six = address.address.find(':') != std::string::npos;
      if (address.prefix < (six ? kAloneV6 : kAloneV4)) return false;
      any = true;
    }
  }
  return any;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (stated_profile(seen, out) == nullptr) return;
  const Reading<std::string>& mode = seen.port().cma_default_mode;
  if (!mode) return out.unknown(mode.absent());
  if (*mode == "RoCE v2") return out.pass();

  std::string sentence = "RDMA-CM on " + port_name(seen) + " connects with \"" + *mode +
                         "\" unless an application says otherwise; \"RoCE v2\" is expected.";
  std::vector<EvidenceItem> evidence = {
      seen.word("default mode of RDMA-CM", *mode, "!=", "RoCE v2", "configfs rdma_cm " + owner_of(seen.port()))};
  const std::optional<Astray> astray = packets_astray(seen, seen.limit("min_packets"));
  if (!astray || astray->share < seen.limit("astray_share"))
    return (void)out.fail(Severity::Info, sentence, std::move(evidence));
  sentence += " At least " + percent(astray->share) + " of the RDMA packets sent in the last " +
              duration_text(astray->seconds) + " left on other priorities than " +
              std::to_string(seen.profile()->roce_priority) + ", as those without an IP header do.";
  evidence.push_back(seen.item("share of RDMA packets sent on other priorities", astray->share, "share",
                               ">=", seen.limit("astray_share"), seen.source_of(CounterId::TxPacketsPriority)));
  const bool routed = is_routed(seen);
  if (routed) sentence += " Its addresses reach their peers by routing only, and version 1 cannot be routed.";
  out.fail(routed ? Severity::Critical : Severity::Warning, sentence, std::move(evidence)).derived_threshold =
      seen.limit_is_derived("astray_share");
}

}  // namespace

extern const Rule kRoceCmaV1Default;
constinit const Rule kRoceCmaV1Default{
    .id = "roce-cma-v1-default",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic | kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA-CM connects with RoCE v1",
    .what =
        "Reads the default mode of RDMA-CM. Info when it is not RoCE v2; where counters show RDMA on another priority "
        "a warning, and critical where the port's addresses are reached by routing only.",
    .why = "Version 1 has no IP header: it cannot be routed, and carries no DSCP to classify it by.",
    .next = "Set the default mode to RoCE v2, and make the setting survive a reboot.",
    .likely_causes = {"an old default of the driver", "set for version 1 once, for an old peer"},
    .fix = {Recipe::RoceMode},
    .traps = {"The directory in configfs exists only while somebody made it. Without it the mode is unknown, not the "
              "driver's default; this program never makes it.",
              "Verbs programs choose their own GID, and with it the version: info unless counters show more.",
              "Packets on another priority prove nothing while the NIC itself classifies otherwise."},
    .needs = {CounterId::RdmaTxPackets, CounterId::VportLoopbackPackets, CounterId::TxPacketsPriority},
    .limits = {Limit{.name = "astray_share",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0.01,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the RDMA packets sent on other priorities that makes it more than info"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "RDMA packets sent in a minute below which counters prove nothing"}},
    .facts = {"kernel-cma-configfs", "mlx5-ethtool-counters"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules
