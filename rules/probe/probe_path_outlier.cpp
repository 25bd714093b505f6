// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::uint64_t kFewLost = 3;

struct BadPath {
  const ProbePath* path = nullptr;
  bool loses = false;  // else it is slow
  double other = 0;    // the same of the other paths
};

double share(std::uint64_t lost, std::uint64_t sent) {
  return sent == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(sent);
}

/// "path 3 (queue pair 19, UDP source port 49441)"
std::string name_of(const ProbePath& path) {
  std::string out = "path " + std::to_string(path.path) + " (queue pair " + std::to_string(path.source_qp);
  if (path.flow_label != 0) out += ", flow label " + std::to_string(path.flow_label);
  if (path.udp_source_port) out += ", UDP source port " + std::to_string(*path.udp_source_port);
  return out + ")";
}

/// Against what the other paths together lose of so many: a path has few probes in the window, they have many.
bool loses(const Evidence& seen, const ProbePath& path, std::uint64_t sent_on_others, double of_others) {
  constexpr double kMuchMore = 10;
  const double own = share(path.lost, path.sent);
  return path.lost >= kFewLost && static_cast<double>(sent_on_others) >= seen.limit("probes") &&
         own >= seen.limit("loss") && own >= kMuchMore * of_others;
}

/// Its round trips are many enough that their median says something.
bool has_median(const Evidence& seen, const ProbePath& path) {
  return path.rtt && static_cast<double>(path.rtt->count) >= seen.limit("rtt_probes");
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Each is compared with all the others together.
std::vector<BadPath> bad_paths(const Evidence& seen, const std::vector<ProbePath>& paths, bool judge_times) {
  std::vector<BadPath> out;
  for (const ProbePath& one : paths) {
    std::uint64_t sent = 0, lost = 0;
    std::vector<double> medians;
    for (const ProbePath& other : paths) {
      const bool suspect = share(other.lost, other.sent) >= seen.limit("loss");
      if (&other == &one || suspect) continue;
      sent += other.sent;
      lost += other.lost;
      if (has_median(seen, other)) medians.push_back(other.rtt->p50_seconds);
    }
    const double others = share(lost, sent);
    if (loses(seen, one, sent, others)) {
      out.push_back({&one, true, others});
    } else if (judge_times && has_median(seen, one) && !medians.empty()) {
      const double calm = median_of(medians);
      if (one.rtt->p50_seconds > std::max(calm * seen.limit("rtt_factor"), seen.limit("floor_s")))
        out.push_back({&one, false, calm});
    }
  }
  return out;
}

void judge_kind(const Evidence& seen, const ProbedPeer& peer, const PeerProbe& probe, bool judge_times,
                PeerJudgements& said) {
  const std::vector<ProbePath>& paths = probe.paths;
  if (is_silent(probe)) return;
  const std::vector<BadPath> bad = bad_paths(seen, paths, judge_times);
  // That few probes were not lost does not make a path good.
  if (bad.empty() &&
      std::any_of(paths.begin(), paths.end(), [](const ProbePath& path) { return path.sent < kFewLost; }))
    return said.later("too few probes on each path to " + peer.name + " yet");
  const auto timed =
      std::count_if(paths.begin(), paths.end(), [&](const ProbePath& path) { return has_median(seen, path); });
  if (bad.empty() && judge_times && timed < 2)
    return said.later("too few timed answers on each path to " + peer.name +
                      " to compare round trips: fewer probes.paths or a shorter probes.interval; no path loses");
  if (bad.empty()) return said.pass();
  // Where most are bad, it is no path.
  if (bad.size() * 2 > paths.size()) return said.pass();
  std::uint64_t lost = 0;
  for (const BadPath& one : bad) lost += one.loses ? one.path->lost : 0;
  if (host_may_explain(probe, lost)) return said.unknown(peer, {Why::NotPresent, kPeerIsLate});
  const std::string source = source_of(seen, peer);
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  double worst = 0;
  for (const BadPath& one : bad) {
    const ProbePath& path = *one.path;
    const double own = one.loses ? share(path.lost, path.sent) : path.rtt->p50_seconds;
    worst = std::max(worst, own);
    words.push_back(name_of(path) +
                    (one.loses ? " loses " + percent(own) + " (the others " + percent(one.other) + ")"
                               : " takes " + microseconds(own) + " (the others " + microseconds(one.other) + ")"));
    evidence.push_back(one.loses
                           ? seen.item("lost probes of path " + std::to_string(path.path), own, "share",
                                       ">=", seen.limit("loss"), source)
                           : seen.item("median round trip of path " + std::to_string(path.path), own, "seconds", ">",
                                       std::max(one.other * seen.limit("rtt_factor"), seen.limit("floor_s")), source));
  }
  Judgement& failure =
      said.fail(peer, Severity::Warning, worst,
                std::to_string(bad.size()) + " of " + std::to_string(paths.size()) + " paths from " + port_name(seen) +
                    " to " + peer.full_name() + (bad.size() == 1 ? " is" : " are") + " bad: " + joined(words) + ".",
                std::move(evidence));
  if (bad.size() == 1) failure.subject.path = std::to_string(bad.front().path->path);
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  std::string why;
  const bool judge_times = times_can_be_judged(seen, why) || seen.limit_is_set("rtt_factor");
  PeerJudgements said(seen, "have a bad path among good ones");
  for (const ProbedPeer& peer : peers) {
    const PeerProbe* chosen = peer.kinds.front();  // the kind with the most paths
    for (const PeerProbe* kind : peer.kinds)
      if (kind->paths.size() > chosen->paths.size()) chosen = kind;
    if (const auto not_sent = why_not_sent(peer))
      said.unknown(peer, *not_sent);
    else if (chosen->paths.size() < 2)
      said.not_applicable("probes take one path only: probes.paths");
    else
      judge_kind(seen, peer, *chosen, judge_times, said);
  }
  said.write(out);
}

}  // namespace

extern const Rule kProbePathOutlier;
constinit const Rule kProbePathOutlier{
    .id = "probe-path-outlier",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "One of several equal paths is bad",
    .what =
        "Varies flow label or source port so that probes take different paths. Warning when loss or delay is found on "
        "some of them only.",
    .why = "A part of the flows suffers, whichever application draws that path.",
    .next = "Find the link or switch that the bad paths share, and take it out.",
    .likely_causes = {"failing link between switches", "one switch with a wrong setting", "uneven hashing"},
    .fix = {Recipe::Switch},
    .traps =
        {"Few flows cover few paths: how many are needed follows from the number of paths.",
         "At two probes a second each of 16 paths has three to five in the window: one that loses a tenth is found "
         "with fewer paths only. Round trips are compared with up to five.",
         "Of software RDMA and in virtual machines only loss is compared."},
    .limits = {Limit{.name = "loss",
                     .value = 0.05,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "lost probes per probe of a bad path; the others lose a tenth of its share at most"},
               Limit{.name = "rtt_factor",
                     .value = 2,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "median round trip of a bad path, in medians of the others"},
               Limit{.name = "floor_s",
                     .value = 5e-05,
                     .unit = "seconds",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "round trip below which no path is slow"},
               Limit{.name = "probes",
                     .value = 20,
                     .unit = "count",
                     .min = 2,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "probes on the other paths together from which the loss of one, three or more, is judged"},
               Limit{.name = "rtt_probes",
                     .value = 12,
                     .unit = "count",
                     .min = 2,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "timed answers on a path from which its round trip is compared"}},
    .facts = {"rpingmesh", "roce-udp-source-port"},
    .judge = judge,
};

}  // namespace roceready::rules
