// SPDX-License-Identifier: Apache-2.0
#include "rules/decision_trees.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/causes_graph.h"
#include "rules/rule.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

using Ids = std::span<const std::string_view>;
constexpr std::string_view kLinkErrors[] = {"link-fec-uncorrectable", "link-symbol-crc", "link-flap"};
constexpr std::string_view kDrops[] = {"drop-rx-lossless-prio", "drop-rx-no-pfc", "drop-roce-engine",
                                       "drop-tx-discards"};
constexpr std::string_view kNaks[] = {"transport-seq-err", "transport-oos"};
constexpr std::string_view kTimeouts[] = {"transport-ack-timeout", "transport-retry-exceeded",
                                          "transport-adaptive-retrans"};
constexpr std::string_view kReceived[] = {"pfc-rx-pause-high", "pfc-storm-rx"};
constexpr std::string_view kSent[] = {"pfc-tx-pause-high", "pfc-storm-tx"};
constexpr std::string_view kGlobalPause[] = {"pfc-global-pause"};
constexpr std::string_view kHostSide[] = {"pcie-width-degraded", "pcie-speed-degraded", "pcie-backpressure",
                                          "host-iommu-translating", "host-numa-misplaced"};

/// What is known of one port.
class Port {
 public:
  Port(const Finding& near, const std::vector<Finding>& findings, const std::vector<RuleJudgement>& said,
       const History& history)
      : device_(near.subject.device), port_(near.subject.port), findings_(findings), said_(said), history_(history) {}

  /// One of these rules speaks, be it as info: its id, else "".
  [[nodiscard]] std::string speaks(Ids rules) const {
    for (const Finding& finding : findings_)
      if (of_port(finding.subject) && finding.state == FindingState::Active && in(rules, finding.rule->id))
        return finding.rule->id;
    return "";
  }
  /// None of these rules speaks, and at least one of them could look.
  [[nodiscard]] bool clean(Ids rules) const {
    const bool looked = std::any_of(said_.begin(), said_.end(), [&](const RuleJudgement& one) {
      return one.outcome == Outcome::Pass && of_port(*one.where) && in(rules, one.rule->id);
    });
    return looked && speaks(rules).empty();
  }
  /// Those of these rules that could not look.
  [[nodiscard]] std::string blind(Ids rules) const {
    std::vector<std::string> names;
    for (const RuleJudgement& one : said_) {
      if (one.outcome != Outcome::Unknown || !of_port(*one.where) || !in(rules, one.rule->id)) continue;
      if (std::find(names.begin(), names.end(), one.rule->id) == names.end()) names.emplace_back(one.rule->id);
    }
    return joined(names);
  }
  /// Growth of the port's own counter in five minutes; nothing where it cannot be read.
  [[nodiscard]] std::optional<double> grew(CounterId id) const {
    const Reading<Increase> growth = history_.increase(device_ + "/" + std::to_string(port_), id, kNoLane, kSeconds);
    if (!growth) return std::nullopt;
    return growth->amount;
  }

 private:
  static constexpr double kSeconds = 300;
  [[nodiscard]] static bool in(Ids rules, std::string_view id) {
    return std::find(rules.begin(), rules.end(), id) != rules.end();
  }
  [[nodiscard]] bool of_port(const Subject& subject) const {
    return subject.device == device_ && subject.port == port_;
  }
  std::string device_;
  std::uint32_t port_;
  const std::vector<Finding>& findings_;
  const std::vector<RuleJudgement>& said_;
  const History& history_;
};

std::string not_seen(const Port& port, Ids rules) {
  const std::string names = port.blind(rules);
  return names.empty() ? "" : " (Not seen, because unreadable: " + names + ".)";
}

/// Whether packets were reported missing, be it so few, or without a profile, that no rule speaks.
bool any_missing(const Port& port) {
  constexpr CounterId kMissing[] = {CounterId::PacketSeqErr, CounterId::ImpliedNak, CounterId::OutOfSequence,
                                    CounterId::OutOfSequenceEvents};
  return std::any_of(std::begin(kMissing), std::end(kMissing),
                     [&](CounterId id) { return port.grew(id).value_or(0) >= 1; });
}

/// "Loss seen": where the packets went.
std::string after_loss(const Port& port) {
  const std::string link = port.speaks(kLinkErrors);
  if (!link.empty()) return "The link: " + link + " speaks too. Clean or replace cable and module, then look again.";
  const std::string drop = port.speaks(kDrops);
  if (!drop.empty())
    return "Drops here: " + drop +
           " speaks too. Look at this NIC's buffers, at whether the switch honours its pause, and "
           "at PCIe.";
  const bool naks = !port.speaks(kNaks).empty(), timeouts = !port.speaks(kTimeouts).empty();
  if (timeouts && !naks && !any_missing(port)) {
    const std::string pause = port.speaks(kReceived);
    if (!pause.empty())
      return "A paused path, not loss: nothing was reported missing, packets only came late, and " + pause +
             " speaks too. Find who sends that pause." + not_seen(port, kNaks);
    return "Lost acknowledgements or last packets of messages: nothing else was reported missing. Check that "
           "acknowledgements and congestion notifications travel in a class that is not dropped, and that the peer is "
           "alive." +
           not_seen(port, kReceived) + not_seen(port, kNaks);
  }
  if (naks && !timeouts && port.grew(CounterId::LocalAckTimeout).value_or(1) < 1)
    return "Perhaps reordering, not loss: nothing timed out. Check whether the switches spray packets or route "
           "adaptively; if they do, say so in the profile. If not, look for drops at the peers, then at the switch.";
  if (port.clean(kLinkErrors) && port.clean(kDrops))
    return "Drops elsewhere: this link is clean and this NIC dropped nothing. Run roceready diagnose at the peers that "
           "are slow; if they dropped nothing either, it is the switch: its class for this DSCP, its watchdog, its "
           "buffers." +
           not_seen(port, kDrops);
  return "It could not be seen whether this NIC drops or its link errs, so start here: ethtool -S, then the peers, "
         "then "
         "the switch." +
         not_seen(port, kDrops) + not_seen(port, kLinkErrors);
}

/// "Pause seen": who sends it.
std::string after_pause(const Port& port, bool sent) {
  if (!port.speaks(kGlobalPause).empty())
    return "Link-level pause is on as well and stops every priority together: settle that first (pfc-global-pause).";
  if (sent)
    return "This host: its NIC asks the switch to wait, and no slow PCIe link or host setting was found. Look at "
           "memory "
           "bandwidth, at what polls the queues, and at NUMA placement." +
           not_seen(port, kHostSide);
  if (!port.speaks(kSent).empty())
    return "This host sends pause as well, so it may be waiting for itself: look at that first.";
  std::string text =
      "Whoever this port sends to: run roceready diagnose at those nodes; one with pfc-tx-pause-high or pfc-storm-tx "
      "is "
      "the slow receiver. If none has, it is the switch's exit port: ";
  std::optional<double> notified = port.grew(CounterId::CnpHandled);
  if (!notified) notified = port.grew(CounterId::CnpReceived);
  if (!notified) return text + "incast or oversubscription where it marks ECN, else ECN is missing there.";
  if (*notified > 0) return text + "congestion notifications arrive, so it is incast or oversubscription.";
  return text + "no congestion notification arrived, so ECN is missing on the switch or marks later than PFC stops.";
}

}  // namespace

void look_next(std::vector<Finding>& findings, const std::vector<RuleJudgement>& said, const History& history) {
  std::vector<std::string> words;
  for (const Finding& finding : findings) {
    const std::string_view id = finding.rule->id;
    const bool root = finding.symptom_of.empty() && finding.state == FindingState::Active;
    const Port port(finding, findings, said, history);
    words.push_back(!root                                                   ? ""
                    : is_loss(id) && !broke_for_want_of_a_receiver(finding) ? after_loss(port)
                    : id == "pfc-rx-pause-high" || id == "pfc-storm-rx"     ? after_pause(port, false)
                    : id == "pfc-tx-pause-high"                             ? after_pause(port, true)
                                                                            : "");
  }
  for (std::size_t k = 0; k < findings.size(); ++k)
    if (!words[k].empty()) findings[k].next = std::move(words[k]);
}

}  // namespace roceready::rules
