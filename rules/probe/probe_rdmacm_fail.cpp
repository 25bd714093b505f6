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

struct Sum {
  std::uint64_t sent = 0, lost = 0;
  bool silent = false;
};

/// Of the mesh's own probes, which find their way without the connection manager.
Sum mesh_probes(const ProbedPeer& peer) {
  Sum out;
  for (const PeerProbe* kind : peer.kinds) {
    out.sent += kind->sent;
    out.lost += kind->lost;
    out.silent = out.silent || kind->lost_in_row >= kSilentInRow;
  }
  return out;
}

/// Why no connection is tried any more: the peer offers no listener, or this host has no connection manager or no
/// permission.
const Absent* why_none(const PeerProbe& connections) {
  if (connections.error) return nullptr;
  const Absent& why = connections.error.absent();
  return why.why == Why::NotSupported || why.why == Why::Denied ? &why : nullptr;
}

void judge_peer(const Evidence& seen, const ProbedPeer& peer, PeerJudgements& said) {
  const PeerProbe& made = *peer.connections;
  const auto in_row = static_cast<std::uint32_t>(seen.limit("failures"));
  const std::string reason = made.error && !made.error->empty() ? *made.error : "no reason was given";
  if (made.sent == 0 && made.not_sent > 0)
    return said.unknown(peer, {Why::NotPresent, "no connection could be tried: " + reason});
  if (made.sent == 0) return said.later("no connection to " + peer.name + " was tried yet");
  if (made.lost == 0 || made.lost_in_row == 0) return said.pass();
  if (made.lost_in_row < in_row)
    return said.later(counted(made.lost_in_row, "connection") + " to " + peer.name + " failed, judged from " +
                      std::to_string(in_row) + " in a row: " + reason);
  if (const auto not_sent = why_not_sent(peer)) return said.unknown(peer, *not_sent);
  const Sum mesh = mesh_probes(peer);
  const double lost = mesh.sent == 0 ? 1 : static_cast<double>(mesh.lost) / static_cast<double>(mesh.sent);
  if (mesh.silent || lost > seen.limit("mesh_loss"))
    return said.unknown(
        peer,
        {Why::NotPresent, "connections fail, and so do probes without the connection manager: it may be the path"});
  const std::string source = source_of(seen, peer);
  said.fail(peer, Severity::Critical, made.lost_in_row,
            counted(made.lost_in_row, "connection") + " in a row from " + port_name(seen) + " to " + peer.full_name() +
                " failed as an application makes them (librdmacm), although " +
                counted(static_cast<double>(mesh.sent - mesh.lost), "RDMA probe") + " of " + std::to_string(mesh.sent) +
                " got through. The newest failed at " + reason + ".",
            {seen.item("connections in a row that failed", made.lost_in_row, "connections", ">=", in_row, source),
             seen.word("newest failure", reason, source),
             seen.item("share of probes lost", lost, "share", "<=", seen.limit("mesh_loss"), source)});
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  PeerJudgements said(seen, "cannot be connected to with the RDMA connection manager");
  std::string none;
  bool any = false;
  for (const ProbedPeer& peer : peers) {
    if (peer.connections == nullptr) {
      said.later("no connection to " + peer.name + " was tried yet");
      any = true;
    } else if (const Absent* why = why_none(*peer.connections)) {
      if (none.empty()) none = "no connection to " + peer.name + " is tried: " + why->detail;
    } else {
      judge_peer(seen, peer, said);
      any = true;
    }
  }
  if (any)
    said.write(out);
  else
    out.not_looked_at("not_configured", none,
                      "librdmacm, the module rdma_ucm and access to /dev/infiniband/rdma_cm on both nodes");
}

}  // namespace

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
    .what =
        "Connects to each peer once a minute with the RDMA connection manager, as applications do: address resolution, "
        "route resolution, connect. Critical when three attempts in a row fail and the mesh's own probes, whose "
        "addresses are exchanged over HTTP, get through.",
    .why = "Storage and most libraries connect this way.",
    .next =
        "Look at the stage that failed. Address resolution: routes, neighbour entries, the GID of the port's address. "
        "Connect: a filter, ARP answers from another port, who rejected it and why.",
    .likely_causes = {"filter", "GID of another address family", "ARP flux between ports of one subnet",
                      "no route from the port's address"},
    .fix = {Recipe::Gid, Recipe::RoceMode},
    .traps = {"A peer whose connection manager refuses by its own word (nobody listens, no resources) is reached: that "
              "is unknown, not a fault of the path.",
              "Where the mesh's probes are lost as well, connections may fail for the same reason: see probe-loss and "
              "probe-unreachable.",
              "A peer without a connection manager, and a host that may not open /dev/infiniband/rdma_cm, are not "
              "looked at.",
              "One bad peer among many good ones is told with low confidence: the fault is probably there."},
    .limits = {Limit{.name = "failures",
                     .value = 3,
                     .unit = "count",
                     .min = 2,
                     .max = 100,
                     .evidence = 'D',
                     .help = "failed connections in a row"},
               Limit{.name = "mesh_loss",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the mesh's probes lost above which nothing is said of connections"}},
    .facts = {"rpingmesh", "rdma-cm-rejections"},
    .judge = judge,
};

}  // namespace roceready::rules
