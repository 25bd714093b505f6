// SPDX-License-Identifier: Apache-2.0
#include "rules/expectation.h"

#include <bit>
#include <set>
#include <utility>

#include "rules/inference.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

std::string vendor_of_driver(std::string_view driver) {
  if (driver.starts_with("mlx")) return "nvidia";
  if (driver.starts_with("bnxt")) return "broadcom";
  if (driver.starts_with("ice") || driver.starts_with("irdma")) return "intel";
  if (driver.starts_with("ionic")) return "amd";
  return {};
}

/// What of a stated profile does not go together with the NICs in scope, as sentences; "" where all does.
std::string contradictions(const Profile& profile, const Snapshot& now) {
  std::set<std::string> others;
  std::string out;
  for (const RdmaPort& port : now.ports) {
    if (!port.in_scope) continue;
    const std::string vendor = vendor_of_driver(port.driver);
    if (!profile.vendor.empty() && !vendor.empty() && vendor != profile.vendor)
      for (const Profile& other : profiles())
        if (other.vendor == vendor) others.insert(port.device + " is a NIC of profile " + other.name);
    for (const std::string& name : port.members) {
      const Netdev* member = now.netdev(name);
      if (member == nullptr || !member->dcb.pfc) continue;
      const PfcFacts& pfc = *member->dcb.pfc;
      const int wanted = std::popcount(static_cast<unsigned>(profile.pfc_priorities));
      const std::uint32_t able = pfc.capability.value_or(0);
      if (able != 0 && static_cast<int>(able) < wanted)
        others.insert(name + " can have PFC on " + std::to_string(able) + " of the " + std::to_string(wanted) +
                      " priorities");
      if (profile.mode == kNotRoce && pfc.enabled != 0)
        others.insert(name + " has PFC on " + priorities_text(pfc.enabled) + " as RoCE fabrics do");
    }
  }
  for (const std::string& other : others) out += (out.empty() ? "" : ", ") + other;
  return out;
}

/// E800 and FastLinQ ports speak iWARP or RoCE as their driver is told; all other iWARP NICs know nothing else.
bool may_be_set_to_roce(const Snapshot& now, const RdmaPort& port) {
  const Netdev* netdev = port.netdev ? now.netdev(*port.netdev) : nullptr;
  if (netdev == nullptr || !netdev->ethtool.driver) return false;
  const std::string& driver = netdev->ethtool.driver->driver;
  return driver == "ice" || driver == "qede";
}

/// Designs that iWARP may be part of (deployment-profiles 2.3 and 2.5).
bool runs_iwarp(const std::string& profile) {
  return profile == "azure-local" || profile == "azure-local-switchless" || profile == "lfc-simple";
}

}  // namespace

Expectation::Expectation(const JudgeOptions& options) : named_(options.profile), changes_(options.profile_changes) {
  if (named_.empty())
    take(options.kept, false);
  else if (const Profile* profile = profile_named(named_))
    effective_ = apply(*profile, changes_);
}

void Expectation::take(std::optional<KeptProfile> guess, bool here) {
  effective_.reset();
  settled_.reset();
  guess_ = std::move(guess);
  inferred_here_ = here;
  if (!guess_ || unconfigured()) return;
  const Profile* profile = profile_named(guess_->name);
  if (profile == nullptr) {  // kept by another version
    guess_.reset();
    return;
  }
  ProfileChanges changes = changes_;
  // What the site says holds over what was seen once.
  changes.overrides.insert(guess_->overrides.begin(), guess_->overrides.end());
  effective_ = apply(*profile, changes);
}

void Expectation::inherit(const Expectation& before) {
  candidate_ = before.candidate_;
  candidate_since_ = before.candidate_since_;
  why_not_ = before.why_not_;
  choices_ = before.choices_;
  if (named_.empty() && !guess_) take(before.guess_, before.inferred_here_);
}

void Expectation::look(const Snapshot& now, const Instant& at, double settle_seconds) {
  constexpr int kHeaviest = 2;
  if (!named_.empty() || (guess_ && weight_of(*guess_) >= kHeaviest)) return;
  Inference seen = infer_profile(now);
  why_not_ = std::move(seen.why_not);
  if (!seen.profile || seen.profile != candidate_) {
    candidate_ = std::move(seen.profile);
    candidate_since_ = at;
  }
  if (!candidate_ || seconds_between(candidate_since_, at) < settle_seconds) return;
  if (guess_ && weight_of(*candidate_) <= weight_of(*guess_)) return;
  KeptProfile taken = *candidate_;
  taken.since_wall_ns = at.wall_ns;
  take(std::move(taken), true);
}

void Expectation::settle(const Snapshot& now) {
  settled_.reset();
  not_roce_yet_.clear();
  for (const RdmaPort& port : now.ports)
    if (port.protocol && *port.protocol == "iw" && may_be_set_to_roce(now, port)) not_roce_yet_.insert(port.key);
  if (!effective_) return;
  choices_ = look_at_choices(effective_->profile, now, choices_);
  if (choices_ != OpenChoices{}) settled_ = with_choices(effective_->profile, choices_);
}

bool Expectation::unconfigured() const {
  return guess_ && guess_->name == kUnconfigured;
}

const Profile* Expectation::of(const RdmaPort& port) const {
  // iWARP is TCP: only where somebody named a design of RoCE, or this vendor's was seen here before, and the NIC could
  // follow it, it is a fault. Nor is it one on the side of another vendor's design, as where the management port is
  // such a NIC.
  const std::string vendor = effective_ ? effective_->profile.vendor : std::string();
  const bool of_vendor = !vendor.empty() && vendor == vendor_of_driver(port.driver);
  const bool named = !named_.empty() && !runs_iwarp(named_) && (vendor.empty() || of_vendor);
  const bool seen_before = guess_ && effective_ && !runs_iwarp(guess_->name) && of_vendor;
  const bool meant = not_roce_yet_.contains(port.key) && (named || seen_before);
  if (port.protocol && *port.protocol == "iw" && !meant) return profile_named("not-roce");
  if (named_.empty() && port.function == FunctionKind::Software) return profile_named("not-roce");
  return of_node();
}

std::optional<double> Expectation::guessed() const {
  return guess_ ? std::optional(guess_->confidence) : std::nullopt;
}

ProfileUse Expectation::use(const Snapshot& now) const {
  ProfileUse out;
  if (!effective_ && !guess_) {
    out.why = "no profile was named";
    if (candidate_)
      out.why += "; this state looks like " + candidate_->name + " and is taken for the design once it has stood";
    else if (!why_not_.empty())
      out.why += "; none can be inferred: " + why_not_;
    return out;
  }
  if (effective_) out.changed = effective_->changed;
  if (settled_)
    for (const ProfileKey& key : profile_keys())
      if (key.get(*settled_) != key.get(effective_->profile))
        out.changed.push_back({key.name, key.get(*settled_), key.get(effective_->profile)});
  out.modifiers = changes_.modifiers;
  out.role = changes_.role;
  if (guess_) {
    out.name = guess_->name;
    out.origin = inferred_here_ ? ProfileOrigin::Inferred : ProfileOrigin::Kept;
    out.since_wall_ns = guess_->since_wall_ns;
    out.confidence = guess_->confidence;
    out.why = guess_->why;
    out.guess_overrides = guess_->overrides;
    return out;
  }
  out.name = named_;
  out.origin = ProfileOrigin::Named;
  out.confidence = 1.0;
  out.why = "named by the user" + choice_words(choices_);
  const std::string against = contradictions(*of_node(), now);
  if (!against.empty())
    out.why += ", although " + against + "; if that is meant so, ignore this, else name another one";
  return out;
}

}  // namespace roceready::rules
