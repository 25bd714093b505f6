// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "rules/inference.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (seen.profile() != nullptr)
    return out.not_applicable("profile " + seen.profile()->name + " says what is expected, setting by setting");
  for (const std::string& member : seen.port().members)
    if (const Netdev* netdev = seen.now().netdev(member); netdev != nullptr && !netdev->dcb.pfc)
      return out.unknown(netdev->dcb.pfc.absent());
  if (!never_configured(seen.now(), seen.port())) return out.pass();
  const std::string name = netdev_name(seen);
  const Reading<std::uint32_t>& tos = seen.port().cma_default_tos;
  const bool tos_known = tos || tos.absent().why == Why::NotPresent;  // a view that nobody made sets nothing
  Judgement& entry = out.fail(Severity::Warning,
                              "RoCE QoS was never configured on " + name + ": no priority has PFC, " +
                                  (tos_known ? "nothing is classified by DSCP, and no default ToS is set."
                                             : "and nothing is classified by DSCP; the default ToS was not read.") +
                                  " State the profile to hear setting by setting what it needs.",
                              {seen.word("priorities with PFC", "none", "DCB netlink " + name)});
  entry.confidence = 0.7;
}

}  // namespace

extern const Rule kQosNeverConfigured;
constinit const Rule kQosNeverConfigured{
    .id = "qos-never-configured",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RoCE QoS never configured",
    .what =
        "Only without a profile: looks whether PFC, classification by DSCP and the default ToS of RDMA-CM are all as "
        "the "
        "NIC came. One finding a port stands for every setting that is missing.",
    .why = "RoCE shares the default class with all other traffic: nothing protects it from loss under load.",
    .next = "Decide on a design, configure NIC and switch for it, and state its profile.",
    .likely_causes = {"new node", "settings lost at reboot",
                      "the design needs none of them: its profile is not stated"},
    .fix = {Recipe::Pfc},
    .traps = {"With a profile, each missing setting is a finding of its own.",
              "Designs without PFC look the same from here: name their profile (lossy-ecn, ztr-rtt).",
              "Link-level pause alone is taken for the simple design that lives by it."},
    .facts = {"dcbnl-pfc-mask", "kernel-cma-configfs"},
    .judge = judge,
};

}  // namespace roceready::rules
