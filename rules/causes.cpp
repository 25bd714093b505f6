// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "rules/causes_graph.h"
#include "rules/engine.h"

// Which finding explains which (docs/causes.md). A symptom may not be older than its cause by more than 60 s, but
// settings count as always earlier. Presentation only. Time is told by when findings began, which a one-shot does not
// know, and by when their counters grew; where neither tells, it is no reason against.

namespace roceready::rules {
namespace {

/// Upstream first: what lies nearer to the wire is fixed first among equals.
int order_of(std::string_view family) {
  constexpr std::array<std::string_view, 9> kOrder{"link", "pcie", "host", "roce",     "qos",
                                                   "pfc",  "ecn",  "drop", "transport"};
  const auto* found = std::find(kOrder.begin(), kOrder.end(), family);
  return static_cast<int>(found - kOrder.begin());
}

bool same_device_port(const Finding& a, const Finding& b) {
  return a.subject.device == b.subject.device && a.subject.port == b.subject.port;
}

bool same_port(const Finding& a, const Finding& b) {
  return same_device_port(a, b) &&
         (a.subject.member == b.subject.member || a.subject.member.empty() || b.subject.member.empty());
}

bool is_active_fault(const Finding& finding) {
  return finding.state == FindingState::Active && finding.severity != Severity::Info;
}

using Findings = std::vector<Finding>;

/// Whether one of these rules speaks of the port, be it as info.
bool speaks(const Findings& all, const Finding& near, std::initializer_list<std::string_view> rules) {
  return std::any_of(all.begin(), all.end(), [&](const Finding& f) {
    return f.state == FindingState::Active && same_port(f, near) &&
           std::find(rules.begin(), rules.end(), f.rule->id) != rules.end();
  });
}

bool pfc_is_on(const Findings& all, const Finding& near) {
  return !speaks(all, near, {"pfc-disabled", "pfc-wrong-priority"});
}

bool has_link_error(const Findings& all, const Finding& near) {
  return std::any_of(all.begin(), all.end(), [&](const Finding& f) {
    return is_active_fault(f) && same_port(f, near) && is_link_error(f.rule->id);
  });
}

bool counts_frames(const Finding& finding) {
  return std::any_of(finding.evidence.begin(), finding.evidence.end(), [](const EvidenceItem& item) {
    const double* number = std::get_if<double>(&item.value);
    return number != nullptr && *number > 0 && item.unit.starts_with("frames");
  });
}

bool names(const Finding& finding, std::string_view rule) {
  return std::any_of(finding.evidence.begin(), finding.evidence.end(),
                     [&](const EvidenceItem& item) { return item.what.ends_with(" " + std::string(rule)); });
}

/// Whether the sentence of a finding about the node has this netdev as a word.
bool names_port(const Finding& finding, const std::string& netdev) {
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  const std::string& text = finding.seen;
  for (std::size_t at = text.find(netdev); !netdev.empty() && at != std::string::npos; at = text.find(netdev, at + 1)) {
    const std::size_t end = at + netdev.size();
    if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

/// What somebody configured counts as always earlier. A link that is down was configured by nobody.
bool is_setting(const Finding& finding) {
  return (finding.rule->judged & (kRate | kProbe)) == 0 && std::string_view(finding.rule->id) != "link-down";
}

double seconds_from(std::int64_t a_ns, std::int64_t b_ns) {
  return static_cast<double>(b_ns - a_ns) * 1e-9;
}

/// Cause and symptom in time.
class Times {
 public:
  Times(const Finding& cause, const Finding& symptom, bool ages_known)
      : cause_(cause), symptom_(symptom), ages_known_(ages_known) {}

  /// The symptom was there more than a minute before its cause.
  [[nodiscard]] bool symptom_was_first() const {
    if (is_setting(cause_)) return false;
    if (ages_known_) return symptom_.age_seconds - cause_.age_seconds > kSlack;
    if (!both_grew()) return false;
    return seconds_from(symptom_.grew.back().began_ns, cause_.grew.back().began_ns) > kSlack;
  }
  /// The symptom began while the cause was there, or at most so long after it.
  [[nodiscard]] bool follows_within(double seconds) const {
    // A link that is down lasts: whatever began since then did so while it was there.
    const bool lasts = std::string_view(cause_.rule->id) == "link-down";
    return is_setting(cause_) || by_age(-kSlack, lasts ? kForever : seconds) ||
           any_two([&](const Stretch& cause, const Stretch& symptom) {
             return seconds_from(cause.began_ns, symptom.began_ns) >= -kSlack &&
                    seconds_from(cause.ended_ns, symptom.began_ns) <= seconds;
           });
  }
  /// They were there at the same time, or within a minute of each other.
  [[nodiscard]] bool same_minute() const {
    return by_age(-kSlack, kSlack) || any_two([](const Stretch& cause, const Stretch& symptom) {
             return seconds_from(cause.ended_ns, symptom.began_ns) <= kSlack &&
                    seconds_from(symptom.ended_ns, cause.began_ns) <= kSlack;
           });
  }
  /// They began together. Growth is known to ten seconds.
  [[nodiscard]] bool began_within(double seconds) const {
    return by_age(-seconds, seconds) || any_two([&](const Stretch& cause, const Stretch& symptom) {
             return std::abs(seconds_from(cause.began_ns, symptom.began_ns)) <= seconds + 10;
           });
  }

 private:
  static constexpr double kSlack = 60, kForever = 1e12;
  [[nodiscard]] bool both_grew() const { return !cause_.grew.empty() && !symptom_.grew.empty(); }
  /// By when the findings began. Where nothing tells at all: true.
  [[nodiscard]] bool by_age(double from, double to) const {
    if (!ages_known_) return !both_grew();
    const double later_by = cause_.age_seconds - symptom_.age_seconds;
    return later_by >= from && later_by <= to;
  }
  template <class Test>
  [[nodiscard]] bool any_two(const Test& test) const {
    return std::any_of(cause_.grew.begin(), cause_.grew.end(), [&](const Stretch& cause) {
      return std::any_of(symptom_.grew.begin(), symptom_.grew.end(),
                         [&](const Stretch& symptom) { return test(cause, symptom); });
    });
  }
  const Finding& cause_;
  const Finding& symptom_;
  bool ages_known_;
};

bool condition_holds(const CauseEdge& edge, const Finding& cause, const Finding& symptom, const Times& times,
                     const Findings& all) {
  switch (edge.when) {
    case When::Always:
      return true;
    case When::NoLinkFault:
      return !has_link_error(all, cause) || speaks(all, cause, {"drop-rx-no-pfc"});
    case When::NoDiscards:
      return !speaks(all, cause, {"drop-rx-no-pfc", "drop-rx-lossless-prio", "drop-host-buffer"});
    case When::DataMisplaced:
      return std::any_of(cause.evidence.begin(), cause.evidence.end(),
                         [](const EvidenceItem& item) { return item.what.starts_with("priority of RoCE's DSCP"); });
    case When::WrongPriority:
      return speaks(all, cause, {"qos-rdma-on-wrong-prio"});
    case When::PfcOn:
      return pfc_is_on(all, cause);
    case When::SendsPause:
      return speaks(all, cause, {"pfc-tx-pause-high", "pfc-storm-tx"});
    case When::DropsSeen:
      return speaks(all, cause, {"drop-rx-lossless-prio", "pfc-one-sided", "drop-rx-no-pfc"});
    case When::NoPcieFault:
      return !speaks(
          all, cause,
          {"pcie-width-degraded", "pcie-speed-degraded", "pcie-bandwidth-insufficient", "pcie-tree-bottleneck"});
    case When::NoStorm:
      return !speaks(all, cause, {"pfc-storm-tx"});
    case When::Within120Seconds:
      return times.follows_within(120);
    case When::SameMinute:
      return times.same_minute();
    case When::SameMinuteAndPfcOn:
      return times.same_minute() && pfc_is_on(all, cause);
    case When::CauseCountsFrames:
      return counts_frames(cause);
    case When::CongestionSeen:
      return speaks(all, cause, {"ecn-marked-no-cnp", "ecn-cnp-ignored", "ecn-congested"});
    case When::NotificationsLost:
      return speaks(all, cause, {"ecn-cnp-lost"});
    case When::CauseNamesPort:
      return names_port(cause, symptom.subject.netdev);
    case When::CauseNamesRule:
      return names(cause, symptom.rule->id);
    case When::ReceiverNotReady:
      return broke_for_want_of_a_receiver(symptom);
  }
  return false;
}

bool holds(const CauseEdge& edge, const Finding& cause, const Finding& symptom, const Findings& all, bool ages_known) {
  const Times times(cause, symptom, ages_known);
  if (times.symptom_was_first()) return false;
  // A receiver that is not ready is its application's matter, never the network's.
  if (broke_for_want_of_a_receiver(symptom) && edge.when != When::ReceiverNotReady) return false;
  switch (edge.reach) {
    case Reach::SamePort:
      // What is wrong with the node is wrong for each port of it.
      if (!cause.subject.device.empty() && !same_port(cause, symptom)) return false;
      break;
    case Reach::OtherPort:
      if (same_device_port(cause, symptom) || !times.began_within(10)) return false;
      break;
    case Reach::OtherNode:
      return false;
  }
  return condition_holds(edge, cause, symptom, times, all);
}

/// For each symptom the causes of greatest weight; ties are all kept.
void link(Findings& findings, bool ages_known) {
  std::vector<Finding*> faults;
  for (Finding& finding : findings)
    if (is_active_fault(finding)) faults.push_back(&finding);
  if (faults.empty()) return;
  for (Finding& symptom : findings) {
    double best = 0;
    std::vector<Finding*> causes;
    for (const CauseEdge& edge : cause_graph()) {
      if (edge.symptom != symptom.rule->id) continue;
      for (Finding* const cause : faults) {
        if (cause == &symptom || edge.cause != cause->rule->id) continue;
        if (!holds(edge, *cause, symptom, findings, ages_known)) continue;
        if (edge.weight > best) causes.clear();
        if (edge.weight >= best) causes.push_back(cause);
        best = std::max(best, edge.weight);
      }
    }
    std::sort(causes.begin(), causes.end(), [](const Finding* a, const Finding* b) { return a->key < b->key; });
    for (Finding* cause : causes) {
      cause->cause_of.push_back(symptom.key);
      symptom.symptom_of.push_back(cause->key);
    }
  }
  for (Finding& finding : findings) std::sort(finding.cause_of.begin(), finding.cause_of.end());
}

/// The gravest thing that a finding explains, itself included: that decides its place. The graph has no circles and its
/// longest way is shorter than the number of rounds.
/// By place among the findings.
std::vector<Severity> gravest_below(const Findings& findings) {
  constexpr int kRounds = 8;
  std::vector<Severity> worst;
  worst.reserve(findings.size());
  std::vector<std::size_t> causes;
  for (const Finding& f : findings) {
    if (!f.cause_of.empty()) causes.push_back(worst.size());
    worst.push_back(f.severity);
  }
  if (causes.empty()) return worst;
  std::map<std::string_view, std::size_t> place;
  for (std::size_t at = 0; at < findings.size(); ++at) place.emplace(findings[at].key, at);
  for (int round = 0; round < kRounds; ++round)
    for (const std::size_t cause : causes)
      for (const std::string& key : findings[cause].cause_of)
        if (const auto found = place.find(key); found != place.end())
          worst[cause] = std::max(worst[cause], worst[found->second]);
  return worst;
}

/// In the order of `places`.
void reorder(Findings& findings, const std::vector<std::size_t>& places) {
  Findings ordered;
  ordered.reserve(findings.size());
  for (const std::size_t place : places) ordered.push_back(std::move(findings[place]));
  findings = std::move(ordered);
}

}  // namespace

std::vector<std::string> fold_causes(std::vector<Finding>& findings, bool ages_known) {
  link(findings, ages_known);
  const std::vector<Severity> gravest = gravest_below(findings);
  std::vector<std::size_t> places(findings.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t left, std::size_t right) {
    const Finding &a = findings[left], &b = findings[right];
    const bool root_a = a.symptom_of.empty() && a.severity != Severity::Info;
    const bool root_b = b.symptom_of.empty() && b.severity != Severity::Info;
    if (root_a != root_b) return root_a;
    if (a.state != b.state) return a.state == FindingState::Active;
    if (gravest[left] != gravest[right]) return gravest[left] > gravest[right];
    if (a.rule->weak != b.rule->weak) return b.rule->weak;  // what rests on a vendor's word comes before our reasoning
    if (order_of(a.rule->family) != order_of(b.rule->family))
      return order_of(a.rule->family) < order_of(b.rule->family);
    if (a.cause_of.size() != b.cause_of.size()) return a.cause_of.size() > b.cause_of.size();
    return a.key < b.key;
  });
  reorder(findings, places);
  std::vector<std::string> roots;
  for (const Finding& f : findings) {
    if (f.symptom_of.empty() && f.severity != Severity::Info) roots.push_back(f.key);
  }
  return roots;
}

}  // namespace roceready::rules
