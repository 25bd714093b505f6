// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "rules/ecn/cc_files.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::uint32_t kEcnBits = 3;

/// Whether a NIC that marks its own packets as ECN capable while congestion control is on for the priority does so, on
/// every member. NotSupported where its driver does not show that.
Reading<bool> nic_sets_ect(const Evidence& seen) {
  const std::string file = "ecn/roce_rp/enable/" + std::to_string(seen.profile()->roce_priority);
  for (const std::string& name : seen.port().members) {
    const Netdev* member = seen.now().netdev(name);
    if (member == nullptr) return Absent{Why::NotPresent, "no netdev " + name};
    const Reading<std::uint32_t> on = vendor_number(member->vendor_files, {file.c_str()});
    if (!on) return on.absent();
    if (*on == 0) return false;
  }
  return !seen.port().members.empty();
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (profile.ecn != Ecn::On) return out.not_applicable("profile " + profile.name + " does not ask for ECN");
  const RdmaPort& port = seen.port();
  const bool forced = port.forced_traffic_class.has_value();
  const Reading<std::uint32_t>& tos = forced ? port.forced_traffic_class : port.cma_default_tos;
  if (!tos) return out.unknown(tos.absent());
  if ((*tos & kEcnBits) != 0) return out.pass();
  if (seen.vendor() == "nvidia") {
    const Reading<bool> ect = nic_sets_ect(seen);
    if (!ect && ect.absent().why != Why::NotSupported) return out.unknown(ect.absent());
    if (!ect)
      return out.not_looked_at(
          "never_shown",
          "the ToS has no ECN bits, and mlx5 sets them itself while congestion control is on: " + ect.absent().detail,
          "the vendor driver's ecn/roce_rp/enable");
    if (*ect) return out.pass();
  }
  const std::string source = forced ? "traffic class of " + owner_of(port) : "configfs rdma_cm " + owner_of(port);
  out.fail(Severity::Info,
           port_name(seen) + " sends with ToS " + std::to_string(*tos) +
               ", whose ECN bits are 00: switches drop such packets where they would mark them; " +
               std::to_string(*tos | 2U) + " is expected.",
           {seen.item("ECN bits of the ToS", *tos & kEcnBits, "", "!=", 0, source)});
}

}  // namespace

extern const Rule kRoceTosNotEct;
constinit const Rule kRoceTosNotEct{
    .id = "roce-tos-not-ect",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kLossy,
    .scope = Scope::Port,
    .title = "The ToS keeps switches from marking",
    .what =
        "Reads the ECN bits of the traffic class in force, or of RDMA-CM's default ToS, where the profile uses ECN. "
        "Info when they are 00 and the NIC is not known to set them itself.",
    .why = "Packets that do not say that they can be marked are dropped by the switch where others are marked.",
    .next = "Use a ToS with ECN bits 10 (DSCP × 4 + 2), or switch the NIC's congestion control on for the priority.",
    .likely_causes = {"the ToS was computed as DSCP × 4", "congestion control is off on the NIC"},
    .fix = {Recipe::Tos, Recipe::Ecn},
    .traps = {"mlx5 sets the bits itself while congestion control is on for the priority, whatever the ToS says.",
              "Where the driver does not show that, nothing is said.",
              "Whether marks are missing in the whole fabric takes facts of all nodes: info, never more."},
    .facts = {"kernel-cma-configfs", "mlx5-sets-ect"},
    .judge = judge,
};

}  // namespace roceready::rules
