// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// The only RDMA drivers that can make an iWARP device of an Ethernet port.
bool may_be_iwarp(const std::string& driver) {
  return driver.empty() || driver == "irdma" || driver == "i40iw" || driver == "iw_cxgb4" || driver == "qedr" ||
         driver == "siw";
}

void judge(const Evidence& seen, Outcomes& out) {
  const RdmaPort& port = seen.port();
  const bool iwarp = port.protocol && *port.protocol == "iw";
  const bool ethernet = port.link_layer && *port.link_layer == "Ethernet";
  if (!iwarp && !port.link_layer) return out.unknown(port.link_layer.absent());
  if (!iwarp && ethernet) {
    if (!port.protocol && may_be_iwarp(port.driver)) return out.unknown(port.protocol.absent());
    return out.pass();
  }
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  const bool expected = profile->mode != kNotRoce;
  const std::string is = iwarp ? "an iWARP device" : "of link layer " + *port.link_layer;
  out.fail(expected ? Severity::Critical : Severity::Info,
           port_name(seen) + " is " + is +
               (expected ? ", not RoCE, which profile " + profile->name + " expects: no RoCE peer can connect to it."
                         : ", not RoCE."),
           {iwarp ? seen.word("RDMA protocol", *port.protocol, "!=", "roce", "RDMA netlink " + owner_of(port))
                  : seen.word("link layer", *port.link_layer, "!=", "Ethernet", "link_layer of " + owner_of(port))});
}

}  // namespace

extern const Rule kRoceWrongLinkLayer;
constinit const Rule kRoceWrongLinkLayer{
    .id = "roce-wrong-link-layer",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Port,
    .title = "The port is InfiniBand or iWARP, not RoCE",
    .what =
        "Reads the link layer of the port and the protocol of its RDMA device. Critical when the profile expects RoCE "
        "and it is something else; info with profile not-roce.",
    .why = "Both ends of a connection must speak the same transport: RoCE peers cannot connect at all.",
    .next = "Set the port to Ethernet, or the driver to RoCE, and load the driver again.",
    .likely_causes = {"Intel's own irdma driver makes iWARP devices of E800 NICs unless told otherwise",
                      "a VPI card left on InfiniBand"},
    .fix = {Recipe::RoceMode},
    .traps = {"An InfiniBand port that nobody named is out of scope and not judged.",
              "Kernels that do not name the protocol leave it unknown for drivers that can do both."},
    .facts = {"irdma-iwarp-default"},
    .judge = judge,
};

}  // namespace roceready::rules
