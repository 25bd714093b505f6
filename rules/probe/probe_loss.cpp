// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Small probes of the window, all kinds.
struct Sum {
  std::uint64_t sent = 0, lost = 0;
  std::uint64_t deniable = 0;  ///< losses that the peer's late host may explain, by probes of the same kind
  void add(const PeerProbe& probe) {
    const std::uint64_t gone = std::min(probe.lost, probe.sent);
    sent += probe.sent;
    lost += gone;
    deniable += std::min(gone, deniable_losses(probe));
  }
  [[nodiscard]] double share() const { return sent == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(sent); }
  /// The losses that no late host can explain.
  [[nodiscard]] Sum undeniable() const { return {sent, lost - deniable}; }
};

constexpr std::uint64_t kFewLost = 3;  // fewer are chance, whatever their share of few probes
// A window that is nearly full and holds fewer probes to a peer than wanted will never hold more.
constexpr double kLongSeconds = 40;
constexpr double kOfFewProbes = 0.6;  // heuristic (docs/scoring.md)

std::string lost_of(const Sum& sum) {
  return std::to_string(sum.lost) + " of " + counted(static_cast<double>(sum.sent), "probe");
}

std::string why_deniable(const Sum& sum) {
  return std::string(kPeerIsLate) + ": " + lost_of(sum);
}

/// One peer alone loses so much that it stands out.
bool is_loud(const Evidence& seen, const Sum& sum) {
  const auto sent = static_cast<double>(sum.sent);
  const bool many = sent >= seen.limit("peer_probes") && sum.share() >= seen.limit("per_peer");
  const bool few = sent >= seen.limit("outlier_probes") && sum.lost >= kFewLost && sum.share() >= seen.limit("outlier");
  return many || few;
}

/// The same of a peer to which the rate of probes never brings peer_probes into the window.
bool is_loud_for_its_rate(const Evidence& seen, const Sum& sum) {
  const auto sent = static_cast<double>(sum.sent);
  return seen.now().probes->window_seconds >= kLongSeconds && sent < seen.limit("peer_probes") &&
         sent >= seen.limit("few_probes") && sum.lost >= kFewLost && sum.share() >= seen.limit("per_peer");
}

Severity severity_of(const Evidence& seen, double share) {
  return share >= seen.limit("crit") ? Severity::Critical : Severity::Warning;
}

/// What the loss of all peers together amounts to; nothing where it is quiet. Few probes can tell much loss only.
std::optional<Severity> severity_of(const Evidence& seen, const Sum& all) {
  const auto sent = static_cast<double>(all.sent);
  if (sent >= seen.limit("min_probes"))
    return all.share() >= seen.limit("warn") ? std::optional(severity_of(seen, all.share())) : std::nullopt;
  const bool much = sent >= seen.limit("few_probes") && all.lost >= kFewLost && all.share() >= seen.limit("crit");
  return much ? std::optional(Severity::Warning) : std::nullopt;
}

/// " Peers with our own label: 0 of 500 probes; others: 30 of 2000 probes." where labels are configured.
std::string where(const Sum& inside, const Sum& outside, bool labelled) {
  if (!labelled || inside.sent == 0 || outside.sent == 0) return "";
  return " To peers under our own switch: " + lost_of(inside) + "; to others: " + lost_of(outside) + ".";
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  const std::string window = duration_text(seen.now().probes->window_seconds);
  PeerJudgements said(seen, "lose RDMA probes");
  Sum all, inside, outside;
  bool labelled = false;
  const auto count = [&](const ProbedPeer& peer) {
    for (const PeerProbe* kind : peer.kinds) {
      all.add(*kind);
      (kind->inside ? inside : outside).add(*kind);
      labelled = labelled || !kind->label.empty();
    }
  };
  std::vector<const ProbedPeer*> loud_ones;
  std::size_t quiet = 0;
  for (const ProbedPeer& peer : peers) {
    if (const auto why = why_not_sent(peer)) {
      said.unknown(peer, *why);
      continue;
    }
    // What is silent is unreachable, and a rule of its own.
    if (std::any_of(peer.kinds.begin(), peer.kinds.end(), [](const PeerProbe* kind) { return is_silent(*kind); }))
      continue;
    Sum sum;
    for (const PeerProbe* kind : peer.kinds) sum.add(*kind);
    const Sum sure = sum.undeniable();
    const bool loud = is_loud(seen, sure);
    if (is_loud(seen, sum) || is_loud_for_its_rate(seen, sum)) {
      if (!loud && !is_loud_for_its_rate(seen, sure)) {
        said.unknown(peer, {Why::NotPresent, why_deniable(sum)});
        continue;
      }
      Judgement& failure = said.fail(
          peer, loud ? severity_of(seen, sum.share()) : Severity::Warning, sum.share(),
          port_name(seen) + " lost " + lost_of(sum) + " (" + percent(sum.share()) + ") to " + peer.full_name() +
              " in the last " + window + ".",
          {seen.item("lost probes", sum.share(), "share", ">=", seen.limit("per_peer"), source_of(seen, peer)),
           seen.item("probes sent", static_cast<double>(sum.sent), "probes", source_of(seen, peer))});
      if (!loud) failure.confidence = kOfFewProbes;
      loud_ones.push_back(&peer);
      continue;
    }
    if (sum.sent > 0) said.pass();
    ++quiet;
    count(peer);
  }
  const FineProbes fine = fine_left_out(seen);
  // Where more stand out than do not, none is an outlier.
  const std::size_t calm = quiet + fine.peers;
  const bool most_are_loud = loud_ones.size() > 1 && loud_ones.size() > calm;
  if (most_are_loud)
    for (const ProbedPeer* peer : loud_ones) count(*peer);
  all.sent += fine.sent;
  const std::string source = "RDMA probes of " + port_name(seen);
  const std::optional<Severity> severity = severity_of(seen, all);
  if (severity && !severity_of(seen, all.undeniable())) {
    said.unknown_port({Why::NotPresent, why_deniable(all)});
  } else if (severity) {
    const char* limit = all.share() >= seen.limit("crit") ? "crit" : "warn";
    const double wanted = all.share() >= seen.limit("crit") ? seen.limit("crit") : seen.limit("warn");
    Judgement& failure =
        said.fail_port(*severity,
                       port_name(seen) + " lost " + lost_of(all) + " (" + percent(all.share()) + ") over " +
                           counted(static_cast<double>(peers.size() + fine.peers), "peer") + " in the last " + window +
                           "." + where(inside, outside, labelled),
                       {seen.item("lost probes", all.share(), "share", ">=", wanted, source),
                        seen.item("probes sent", static_cast<double>(all.sent), "probes", source)});
    failure.derived_threshold = seen.limit_is_derived(limit);
    if (static_cast<double>(all.sent) < seen.limit("peer_probes")) failure.confidence = kOfFewProbes;
    // A few bad peers among few may still be all of it.
    if (most_are_loud && loud_ones.size() < 2 * calm)
      failure.confidence = std::min(failure.confidence, PeerJudgements::kPerhapsThere);
  } else if (static_cast<double>(all.sent) < seen.limit("few_probes")) {
    said.insufficient("only " + counted(static_cast<double>(all.sent), "probe") + " in the last " + window + ", " +
                      std::to_string(all.lost) + " without an answer");
  }
  said.write(out);
}

}  // namespace

extern const Rule kProbeLoss;
constinit const Rule kProbeLoss{
    .id = "probe-loss",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kProbe | kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA probes are lost",
    .what =
        "Counts probes without an answer in the probes' window. Over all peers of a port: warning from 0.1 %, critical "
        "from 1 %. Of one peer: 5 % of at least 200 probes, or 10 % of at least 20; it is left out of the port's share "
        "then, unless most of the peers are such. Where a window of 40 s or more holds fewer than 200 probes "
        "to a peer: 5 % of at least 50 with three or "
        "more lost, as a warning of confidence 0.6 (8 of 90 is one, 1 of 90 is quiet).",
    .why = "What happens to probes happens to the packets of applications.",
    .next = "See whether one NIC, one leaf or one path has the loss, then look at link, drops and PFC there.",
    .likely_causes = {"link errors", "PFC off on one hop", "failing NIC of one peer", "switch watchdog"},
    .fix = {Recipe::Switch},
    .traps =
        {"Loss towards one NIC from most of its neighbours is that NIC's; loss spread over a leaf is the network's.",
         "A peer with three in a row unanswered is probe-unreachable, and not counted here.",
         "A probe that could not be sent is not lost. An answer that came after the timeout because the peer's host "
         "kept "
         "the probe is not the network's: where such may be all of it, loss is unknown.",
         "Below 1000 probes a window only 1 % and more with three or more lost can be told, as a warning; below 50 "
         "nothing of the port.",
         "One bad peer among many good ones is told with low confidence: the fault is probably there."},
    .limits = {Limit{.name = "warn",
                     .value = 0.001,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'P',
                     .help = "lost probes per probe that are a warning"},
               Limit{.name = "crit",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'P',
                     .help = "lost probes per probe that are critical"},
               Limit{.name = "min_probes",
                     .value = 1000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "probes below which only crit is judged"},
               Limit{.name = "per_peer",
                     .value = 0.05,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "lost probes per probe of one peer that stand out"},
               Limit{.name = "peer_probes",
                     .value = 200,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "probes to one peer from which per_peer is judged; fewer where the window holds no more"},
               Limit{.name = "outlier",
                     .value = 0.1,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'P',
                     .help = "the same for a peer with few probes"},
               Limit{.name = "outlier_probes",
                     .value = 20,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'P',
                     .help = "probes to one peer from which outlier is judged"},
               Limit{.name = "few_probes",
                     .value = 50,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "probes below which only outlier is judged"}},
    .facts = {"rpingmesh"},
    .judge = judge,
};

}  // namespace roceready::rules
