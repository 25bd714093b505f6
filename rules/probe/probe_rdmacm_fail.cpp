// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kProbeRdmacmFail;
constinit const Rule kProbeRdmacmFail{
    .id = "probe-rdmacm-fail",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Critical},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA connections cannot be made although datagrams arrive",
    .what = "Makes an RDMA connection with the connection manager. Critical when that fails and datagram probes work.",
    .why = "Storage and most libraries connect this way.",
    .next =
        "Look at what rejected it: a filter, a GID of the other address family, ARP answers from another port, nobody "
        "listening.",
    .likely_causes = {"filter", "GID of another address family", "ARP flux between ports of one subnet",
                      "nobody listens"},
    .fix = {Recipe::Gid, Recipe::RoceMode},
    .traps = {"A service that does not listen refuses too; the probe's own responder must run.",
              "Needs an RDMA connection manager's listener and requester (rdma_cm, /dev/infiniband/rdma_cm) on both "
              "nodes. This version makes its connections from addresses that it exchanges over HTTP."},
    .facts = {"rpingmesh"},
    .status = Status::Planned,
};

}  // namespace roceready::rules
