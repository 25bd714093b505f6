// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::string_view kDatagrams = "ud";
constexpr std::uint64_t kSayNothing = 3;  // as many newest tries that neither failed nor went well

struct Sum {
  std::uint64_t sent = 0, lost = 0;
  bool silent = false;
};

/// Of the mesh's datagrams, which find their way without the connection manager.
Sum mesh_probes(const ProbedPeer& peer) {
  Sum out;
  for (const PeerProbe* kind : peer.kinds) {
    if (kind->kind != kDatagrams) continue;
    out.sent += kind->sent;
    out.lost += kind->lost;
    out.silent = out.silent || kind->lost_in_row >= kSilentInRow;
  }
  return out;
}

/// Why no connection is tried, which is nobody's fault: the peer does not listen, or this host has no connection
/// manager.
const Absent* why_none(const PeerProbe& connections) {
  if (connections.error || connections.error.absent().why != Why::NotSupported) return nullptr;
  return &connections.error.absent();
}

/// What to look at, by the stage that failed and how (the reasons of probes/cm_prober.h).
std::string where_to_look(const std::string& reason, const ProbedPeer& peer) {
  const std::string to = peer.address.empty() ? peer.name : peer.address;
  struct Advice {
    std::string_view begins;
    std::string text;
  };
  const std::array<Advice, 6> advices{{
      {"address resolution", "The kernel finds no neighbour behind that address: compare `ip route get " + to +
                                 "` and `ip neigh show " + to +
                                 "` with the port's netdev; another port that answers ARP for it (arp_ignore, "
                                 "arp_announce) or a filter of ARP is likely."},
      {"connect: accepted by somebody",
       "Another host or port has that address: compare `ip neigh show " + to + "` with the peer's `ip link`."},
      {"connect: rejected: nobody listens",
       "Who answers there does not know the number at which the peer's daemon listens: another host or port may have "
       "that address (ARP flux; compare `ip neigh show " +
           to +
           "` with the peer's `ip link`, and look at `sysctl net.ipv4.conf.all.arp_ignore` there), or the peer's "
           "daemon lost its listener (its log, `rdma resource show cm_id` there)."},
      {"connect: rejected: not taken",
       "The peer's kernel, not its program, refuses: it has no route back to this node over the port that received "
       "the request, as with two ports in one subnet or without policy routes. On the peer, compare `ip route get "
       "ADDRESS-OF-THIS-NODE from " +
           to + "` and `ip rule` with the netdev that has " + to + "; here, `ip neigh show " + to +
           "` with its `ip link` (ARP flux)."},
      {"connect: rejected",
       "The peer's connection manager answers and does not find its GID, its MTU or its connection right: compare "
       "`show_gids` and `ip addr` there with what this node knows of it."},
      {"connect",
       "Requests or their answers get lost while other packets do not: look for a filter of management "
       "datagrams (UDP port 4791, queue pair 1) on the way, at default_roce_mode of rdma_cm on both nodes, and at "
       "`rdma resource show cm_id` there."},
  }};
  for (const Advice& each : advices)
    if (reason.starts_with(each.begins)) return " " + each.text;
  return "";
}

/// Where too few failed in a row: well is what was well lately, not what merely has no failure.
void judge_few(const PeerProbe& made, std::uint32_t in_row, const std::string& reason, const ProbedPeer& peer,
               PeerJudgements& said) {
  if (made.sent == 0) return said.later("no connection to " + peer.name + " was tried yet");
  if (made.lost_in_row > 0)
    return said.later(counted(made.lost_in_row, "connection") + " to " + peer.name + " failed, judged from " +
                      std::to_string(in_row) + " in a row: " + reason);
  if (made.sent <= made.lost)
    return said.unknown(peer, {Why::NotPresent, "no connection was made, and the newest try says nothing: " + reason});
  if (made.discarded >= kSayNothing)
    return said.unknown(peer,
                        {Why::NotPresent, "the newest " + counted(static_cast<double>(made.discarded), "attempt") +
                                              " of a connection say nothing: " + reason});
  said.pass();
}

void judge_peer(const Evidence& seen, const ProbedPeer& peer, PeerJudgements& said) {
  const PeerProbe& made = *peer.connections;
  if (!made.error && made.error.absent().why == Why::Denied) return said.unknown(peer, made.error.absent());
  const auto in_row = static_cast<std::uint32_t>(seen.limit("failures"));
  const std::string reason = made.error && !made.error->empty() ? *made.error : "no reason was given";
  if (made.sent == 0 && made.not_sent > 0)
    return said.unknown(peer, {Why::NotPresent, "no connection could be tried: " + reason});
  if (made.lost_in_row < in_row) return judge_few(made, in_row, reason, peer, said);
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
                " failed as applications make them (rdma_cm), 45 s or more apart, although " +
                counted(static_cast<double>(mesh.sent - mesh.lost), "RDMA probe") + " of " + std::to_string(mesh.sent) +
                " got through. The newest failed at " + reason + "." + where_to_look(reason, peer),
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
                      "the module rdma_ucm and access to /dev/infiniband/rdma_cm on both nodes");
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
        "Connects to each peer with the RDMA connection manager, as applications do: address resolution, connect. Each "
        "is tried every 45 s, less often where there are more than 180 or many do not answer (16 wait at a time, 10 s "
        "each), and every 3 minutes once three tries in a row failed. Critical when three in a row fail, which takes "
        "90 s at the soonest, while the mesh's datagrams to the same peer, whose addresses are exchanged over HTTP, "
        "are answered.",
    .why = "Storage and most libraries connect this way.",
    .next =
        "Look at the stage that failed. Address resolution: `ip route get PEER`, `ip neigh show PEER`, ARP answers of "
        "another port. Connect: a filter of management datagrams; who rejected it and why (28: the peer's routes back, "
        "8: who has the address).",
    .likely_causes = {"filter", "ARP flux between ports of one subnet", "no route from the port's address",
                      "no route back over the peer's port: two ports in one subnet without policy routes"},
    .fix = {Recipe::Gid, Recipe::RoceMode},
    .traps =
        {"A peer that refuses by its own word (its program signs it; no resources) is reached: that is unknown, not "
         "a fault of the path. A rejection that nobody signed counts as a failure.",
         "What failed while more than a tenth of the datagrams to the same peer were lost, or none was answered, is "
         "not counted; after a silence failures are counted anew. See probe-loss and probe-unreachable.",
         "Unknown too where the three newest tries say nothing, or none in the last ten minutes was well.",
         "What this host could not do (another network namespace, no memory, no permission) is unknown.",
         "A host without the module rdma_ucm, and a peer that does not listen, are not looked at.",
         "One bad peer among many good ones is told with low confidence: the fault is probably there."},
    .limits = {Limit{.name = "failures",
                     .value = 3,
                     .unit = "count",
                     .min = 3,
                     .max = 100,
                     .evidence = 'D',
                     .help = "failed connections in a row, 45 s or more apart"},
               Limit{.name = "mesh_loss",
                     .value = 0.1,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the mesh's probes lost above which nothing is said of connections"}},
    .facts = {"rpingmesh", "rdma-cm-rejections", "rdma-cm-route-back", "rdma-ucm"},
    .judge = judge,
};

}  // namespace roceready::rules
