// SPDX-License-Identifier: Apache-2.0
#include "rules/evidence.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <span>

#include "core/base/time.h"
#include "rules/engine.h"
#include "rules/rule.h"

namespace roceready::rules {
namespace {

/// A window counts as complete when this share of it was observed.
constexpr double kComplete = 0.9;
/// rules.md 1.5.8: link and driver events this near to an admin change or driver reload are explained by it.
constexpr double kGraceSeconds = 120;

/// Seconds between two reads of what the rule reads first, where it grew and reads so far apart may hide in their
/// average what the last `seconds` held: more than a window of a minute and a half, and than a third of that time. 0
/// where nothing is hidden.
double averaged_over(const Evidence& seen, double seconds, std::optional<std::uint8_t> priority) {
  constexpr double kLongestWindow = 90;
  for (const CounterId id : seen.rule().needs) {
    const bool by_priority = info_of(id).lane_kind == LaneKind::Priority;
    const std::uint8_t lane = by_priority ? priority.value_or(kNoLane) : kNoLane;
    if (!seen.is_shown(id, lane)) continue;
    const double period = seen.read_period_seconds(id);
    if (period <= std::max(kLongestWindow, seconds / 3)) return 0;
    if (const auto grown = seen.growth(id, seconds, lane)) return grown->amount > 0 ? period : 0;
  }
  return 0;
}

}  // namespace

// --- Outcomes
// ---------------------------------------------------------------------------------------------------------

Judgement& Outcomes::add(Outcome outcome, std::optional<std::uint8_t> priority) {
  Judgement& entry = entries_.emplace_back();
  entry.outcome = outcome;
  entry.subject = *subject_;
  entry.subject.priority = priority;
  return entry;
}

void Outcomes::pass(std::optional<std::uint8_t> priority) {
  add(Outcome::Pass, priority);
}

Judgement& Outcomes::fail(Severity severity, std::string sentence, std::vector<EvidenceItem> evidence,
                          std::optional<std::uint8_t> priority) {
  Judgement& entry = add(Outcome::Fail, priority);
  entry.severity = severity;
  entry.sentence = std::move(sentence);
  entry.evidence = std::move(evidence);
  return entry;
}

void Outcomes::unknown(const Absent& absent, std::optional<std::uint8_t> priority) {
  Judgement& entry = add(Outcome::Unknown, priority);
  entry.why = name_of(absent.why);
  entry.sentence = absent.detail;
}

void Outcomes::not_applicable(std::string reason, std::optional<std::uint8_t> priority) {
  add(Outcome::NotApplicable, priority).sentence = std::move(reason);
}

void Outcomes::not_looked_at(std::string why, std::string detail, std::string settle_with,
                             std::optional<std::uint8_t> priority) {
  Judgement& entry = add(Outcome::NotLookedAt, priority);
  entry.why = std::move(why);
  entry.sentence = std::move(detail);
  entry.settle_with = std::move(settle_with);
}

// --- Evidence
// ---------------------------------------------------------------------------------------------------------

Evidence::Evidence(const Context& context) : context_(context) {
  assert(context_.history != nullptr && context_.now != nullptr && context_.rule != nullptr);
  if (context_.member != nullptr && context_.member_side == nullptr) {
    context_.member_side =
        &own_member_.emplace(*context_.history, context_.member->link.name, context_.member->counters);
  }
  if (context_.port != nullptr && context_.port_side == nullptr) {
    context_.port_side = &own_port_.emplace(*context_.history, owner_of(*context_.port), context_.port->counters);
  }
}

CountedSide::CountedSide(const History& history, const std::string& owner, const CounterReadings& counters)
    : readings(&counters), past(history.find(owner)) {
  first_.fill(kNone);
  for (std::size_t at = std::min<std::size_t>(counters.values.size(), kNone); at-- > 0;)
    if (const CounterId id = counters.values[at].id; id < CounterId::kCount)
      first_[static_cast<std::size_t>(id)] = static_cast<std::uint16_t>(at);
  for (const CounterId id : counters.offered)
    if (id < CounterId::kCount) shows.set(static_cast<std::size_t>(id));
}

const CounterValue* CountedSide::find(CounterId id, std::uint8_t lane) const {
  const std::vector<CounterValue>& values = readings->values;
  for (std::size_t at = first_[static_cast<std::size_t>(id)]; at < values.size() && values[at].id == id; ++at)
    if (values[at].lane == lane) return &values[at];
  return nullptr;
}

const HostDemands& Evidence::demands() const {
  static const HostDemands none;
  return context_.demands == nullptr ? none : *context_.demands;
}

double Evidence::observed_seconds() const {
  return context_.history->observed_seconds();
}

double Evidence::observed_of(double seconds, std::optional<std::uint8_t> priority) const {
  for (const CounterId id : context_.rule->needs) {
    const bool by_priority = info_of(id).lane_kind == LaneKind::Priority;
    const auto grown = growth(id, seconds, by_priority ? priority.value_or(kNoLane) : kNoLane);
    if (grown) return std::min(grown->seconds, seconds);
  }
  return std::min(observed_seconds(), seconds);
}

const double* Evidence::set_limit(std::string_view name) const {
  if (context_.limits == nullptr || context_.limits->empty()) return nullptr;
  const auto set = context_.limits->find(std::string("rules.") + context_.rule->id + "." + std::string(name));
  return set == context_.limits->end() ? nullptr : &set->second;
}

bool Evidence::limit_is_set(std::string_view name) const {
  return set_limit(name) != nullptr;
}

double Evidence::limit(std::string_view name) const {
  if (const double* const set = set_limit(name)) return *set;
  const Limit* limit = limit_named(*context_.rule, name);
  assert(limit != nullptr && "a rule asks for a limit that it does not declare");
  return limit == nullptr ? 0 : limit->value;
}

bool Evidence::limit_is_derived(std::string_view name) const {
  const Limit* declared = limit_named(*context_.rule, name);
  return declared != nullptr && declared->evidence == 'D' && !limit_is_set(name);
}

std::string Evidence::vendor() const {
  std::string driver;
  if (context_.member != nullptr && context_.member->ethtool.driver) driver = context_.member->ethtool.driver->driver;
  if (driver.empty() && context_.port != nullptr) driver = context_.port->driver;
  const auto begins = [&](std::string_view prefix) { return driver.starts_with(prefix); };
  if (begins("mlx")) return "nvidia";
  if (begins("bnxt")) return "broadcom";
  if (begins("ice") || begins("irdma") || begins("i40e")) return "intel";
  if (begins("ionic")) return "amd";
  return "generic";
}

const PciFunction* Evidence::pci() const {
  return context_.function ? *context_.function : function_of(*context_.now, context_.port, context_.member);
}

const PciFunction* Evidence::pci_of_netdev(std::size_t at) const {
  if (context_.functions != nullptr) return (*context_.functions)[at];
  return function_of(*context_.now, nullptr, &context_.now->netdevs[at]);
}

std::vector<const PciFunction*> functions_of_netdevs(const Snapshot& now) {
  std::vector<const PciFunction*> out;
  out.reserve(now.netdevs.size());
  for (const Netdev& netdev : now.netdevs) out.push_back(function_of(now, nullptr, &netdev));
  return out;
}

const PciFunction* function_of(const Snapshot& now, const RdmaPort* port, const Netdev* member) {
  if (member != nullptr && member->link.parent_device) {
    if (const auto* found = now.function(*member->link.parent_device)) return found;
  }
  return port != nullptr && port->pci_address ? now.function(*port->pci_address) : nullptr;
}

const PciFunction* Evidence::bridge_above(const PciFunction& function) const {
  return function.parent.empty() ? nullptr : context_.now->function(function.parent);
}

Reading<std::uint64_t> Evidence::link_speed() const {
  if (context_.member == nullptr) return Absent{Why::NotPresent, "the port has more than one network device"};
  return field(context_.member->ethtool.link_modes, &LinkModes::speed_bits_per_second);
}

const CountedSide* Evidence::side_of(CounterId id) const {
  for (const CountedSide* side : {context_.member_side, context_.port_side})
    if (side != nullptr && side->shows[static_cast<std::size_t>(id)]) return side;
  return nullptr;
}

std::string Evidence::owner_of_counter(CounterId id) const {
  if (context_.member != nullptr && context_.member->counters.can_show(id)) return context_.member->link.name;
  return owner_of(*context_.port);
}

bool Evidence::never_shown(CounterId id) const {
  if (side_of(id) != nullptr) return false;
  const bool member_known = context_.member == nullptr || context_.member->counters.driver_known;
  const bool port_known = context_.port == nullptr || context_.port->counters.driver_known;
  return member_known && port_known;
}

Reading<double> Evidence::counter(CounterId id, std::uint8_t lane) const {
  const CountedSide* const side = side_of(id);
  if (side != nullptr) {
    if (const CounterValue* value = side->find(id, lane)) return value->value();
  }
  return why_not(side, id, lane);
}

Absent Evidence::why_not(const CountedSide* side, CounterId id, std::uint8_t lane) const {
  const std::string name = info_of(id).name;
  if (side == nullptr) {
    // Nobody knows what an unknown driver counts; where even its name could not be read, that is the reason.
    for (const CounterReadings* one : {context_.member != nullptr ? &context_.member->counters : nullptr,
                                       context_.port != nullptr ? &context_.port->counters : nullptr}) {
      if (one != nullptr && !one->driver_known && !one->why_absent.detail.empty()) return one->why_absent;
    }
    return Absent{Why::NotSupported, never_shown(id) ? name + ": this driver does not count it"
                                                     : name + ": the counters of this driver are not known"};
  }
  if (const Absent& why = side->readings->why(id, lane); !why.detail.empty()) return why;
  const std::string whose = lane == kNoLane ? name : name + " of priority " + std::to_string(lane);
  return Absent{Why::NotPresent, whose + " is not shown at present (" + source_of(id) + ")"};
}

bool Evidence::is_shown(CounterId id, std::uint8_t lane) const {
  const CountedSide* const side = side_of(id);
  return side != nullptr && side->find(id, lane) != nullptr;
}

std::optional<Increase> Evidence::growth(CounterId id, double seconds, std::uint8_t lane, double ago) const {
  const CountedSide* const side = side_of(id);
  if (side == nullptr || side->past == nullptr || side->find(id, lane) == nullptr) return {};
  return context_.history->growth(*side->past, id, lane, seconds, ago);
}

Reading<Increase> Evidence::increase(CounterId id, double seconds, std::uint8_t lane, double ago) const {
  if (const auto grown = growth(id, seconds, lane, ago)) return *grown;
  const CountedSide* const side = side_of(id);
  if (side == nullptr || side->find(id, lane) == nullptr) return why_not(side, id, lane);
  return context_.history->increase(owner_of_counter(id), id, lane, seconds, ago);
}

Reading<Windows> Evidence::windows(CounterId id, double seconds, std::size_t count, std::uint8_t lane) const {
  assert(count <= kMostWindows);
  const CountedSide* const side = side_of(id);
  std::array<std::optional<Increase>, kMostWindows> grown;
  const std::span<std::optional<Increase>> asked(grown.data(), std::clamp<std::size_t>(count, 1, kMostWindows));
  if (side == nullptr || side->past == nullptr || side->find(id, lane) == nullptr)
    return increase(id, seconds, lane).absent();
  context_.history->growths(*side->past, id, lane, seconds, asked);
  if (!grown[0]) return increase(id, seconds, lane).absent();
  Windows out;
  out.length_seconds = seconds;
  out.latest = *grown[0];
  // A read that is stretched books its growth where it ended, so a window may lack up to one period.
  const double period = History::read_period_seconds(*side->past);
  const double enough = std::max(0.2 * seconds, std::min(kComplete * seconds, seconds - 1.05 * period));
  const double observed = context_.history->observed_seconds();
  for (std::size_t k = 0; k < std::min(count, kMostWindows); ++k) {
    const double ago = seconds * static_cast<double>(k);
    if (ago >= observed) break;
    if (!grown[k] || grown[k]->seconds < enough) continue;
    out.complete.push_back(*grown[k]);
    out.ago.push_back(ago);
  }
  return out;
}

double Evidence::read_period_seconds(CounterId id) const {
  const CountedSide* const side = side_of(id);
  return side == nullptr || side->past == nullptr ? 0 : History::read_period_seconds(*side->past);
}

std::vector<Increase> Evidence::samples(CounterId id, std::size_t count, std::uint8_t lane) const {
  if (!counter(id, lane)) return {};
  return context_.history->samples(owner_of_counter(id), id, lane, count);
}

std::vector<HistoryEvent> Evidence::events(HistoryEvent::Kind kind, double seconds) const {
  std::vector<HistoryEvent> out;
  const Instant now = midpoint(*context_.now);
  const std::string& name = context_.member->link.name;
  const auto& all = context_.history->events();
  const auto explains = [&](const HistoryEvent& other, const HistoryEvent& event) {
    const bool about = other.owner == name || (context_.port != nullptr && other.owner == owner_of(*context_.port));
    using Kind = HistoryEvent::Kind;
    const double before = seconds_between(other.at, event.at);
    // A counter set may begin anew because the link came back: only one that did so before explains a loss.
    if (other.kind == Kind::CountersReset && before < 0) return false;
    const bool reason = other.kind == Kind::AdminDown || other.kind == Kind::AdminUp || other.kind == Kind::Appeared ||
                        other.kind == Kind::CountersReset;
    return about && reason && std::abs(before) <= kGraceSeconds;
  };
  for (const HistoryEvent& event : all) {
    if (event.kind != kind || event.owner != name || seconds_between(event.at, now) > seconds) continue;
    const bool explained =
        std::any_of(all.begin(), all.end(), [&](const HistoryEvent& o) { return explains(o, event); });
    if (!explained) out.push_back(event);
  }
  return out;
}

std::string Evidence::source_of(CounterId id) const {
  if (context_.member != nullptr && context_.member->counters.can_show(id)) {
    return "ethtool statistics of " + context_.member->link.name;
  }
  return context_.port == nullptr ? "" : "RDMA counters of " + owner_of(*context_.port);
}

EvidenceItem Evidence::item(std::string what, double value, std::string unit, std::string source) const {
  return {std::move(what), value, std::move(unit), {}, {}, std::move(source), midpoint(*context_.now).wall_ns};
}

EvidenceItem Evidence::item(std::string what, double value, std::string unit, std::string op, double limit,
                            std::string source) const {
  return {std::move(what),
          value,
          std::move(unit),
          std::move(op),
          limit,
          std::move(source),
          midpoint(*context_.now).wall_ns};
}

EvidenceItem Evidence::word(std::string what, std::string value, std::string source) const {
  return {std::move(what), std::move(value), "", {}, {}, std::move(source), midpoint(*context_.now).wall_ns};
}

EvidenceItem Evidence::word(std::string what, std::string value, std::string op, std::string limit,
                            std::string source) const {
  return {std::move(what),
          std::move(value),
          "",
          std::move(op),
          std::move(limit),
          std::move(source),
          midpoint(*context_.now).wall_ns};
}

// --- Shapes that rate rules share
// -------------------------------------------------------------------------------------

Held held(const Windows& windows, const std::function<bool(const Increase&)>& test, std::size_t needed) {
  const std::size_t looked = std::min<std::size_t>(windows.complete.size(), 5);
  const Increase* const end = windows.complete.begin() + looked;
  if (static_cast<std::size_t>(std::count_if(windows.complete.begin(), end, test)) >= needed) return Held::Sustained;
  return test(windows.latest) ? Held::Once : Held::Never;
}

std::vector<std::uint8_t> lossless_priorities(const Profile& profile) {
  std::vector<std::uint8_t> out;
  for (std::uint8_t p = 0; p < kPriorities; ++p) {
    if (profile.is_lossless(p)) out.push_back(p);
  }
  return out;
}

bool readable(const Evidence& seen, Outcomes& out, CounterId id, const Reading<Windows>& windows,
              std::optional<std::uint8_t> priority) {
  if (windows) return true;
  if (seen.never_shown(id)) {
    out.not_looked_at("never_shown", std::string(info_of(id).name) + ": this NIC's driver does not count it", "",
                      priority);
  } else if (seen.counter(id, priority.value_or(kNoLane))) {
    out.not_looked_at("longer_window", windows.absent().detail, "a longer --window, or the daemon", priority);
  } else {
    out.unknown(windows.absent(), priority);
  }
  return false;
}

void cannot_read(Outcomes& out, const Absent& absent, const std::string& what) {
  if (absent.why != Why::NotSupported) return out.unknown(absent);
  out.not_looked_at("never_shown", "this NIC's driver does not show " + what + ": " + absent.detail,
                    "the vendor's tool, and an attestation in the configuration");
}

void quiet(const Evidence& seen, Outcomes& out, double needed_seconds, std::optional<std::uint8_t> priority) {
  // A sampler that ticks every second never observes exactly the full time.
  const double observed = seen.observed_of(needed_seconds, priority);
  const double apart = averaged_over(seen, needed_seconds, priority);
  if (apart > 0) {
    out.not_looked_at("longer_window",
                      "below the limit on an average over " + duration_text(apart) +
                          ", which does not tell how it was spread: the rule looks at each minute",
                      "counters read more often: --window, or the daemon", priority);
  } else if (observed >= kComplete * needed_seconds) {
    out.pass(priority);
  } else {
    out.not_looked_at(
        "longer_window",
        "nothing seen in " + duration_text(observed) + "; to be sure takes " + duration_text(needed_seconds),
        "--window " + std::to_string(static_cast<long>(needed_seconds)) + "s, or the daemon", priority);
  }
}

}  // namespace roceready::rules
