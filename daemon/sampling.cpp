// SPDX-License-Identifier: Apache-2.0
#include "daemon/sampling.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "daemon/evidence/places.h"
#include "daemon/log.h"
#include "daemon/process.h"
#include "daemon/scheduler.h"
#include "daemon/state/kept_profile.h"

namespace roceready::daemon {
namespace {

constexpr const char* kBaselines = "baselines";

rules::JudgeOptions with_source(rules::JudgeOptions options, const SampleSource& source) {
  options.source_kind = source.kind();
  options.source_detail = source.detail();
  return options;
}

bool same(const rules::JudgeOptions& a, const rules::JudgeOptions& b) {
  const auto all = [](const rules::JudgeOptions& o) {
    return std::tie(o.profile, o.profile_changes, o.waivers, o.attestations, o.limits, o.one_shot,
                    o.initializing_seconds, o.hold_down_seconds, o.rdma_units, o.demands);
  };
  return all(a) == all(b);
}

bool same(const SamplerOptions& a, const SamplerOptions& b) {
  const auto all = [](const SamplerOptions& o) {
    return std::tie(o.selection.include, o.selection.exclude, o.selection.expected, o.selection.max_virtual_functions,
                    o.selection.rdma_units, o.configuration_period_ns, o.machine_period_ns, o.retry_period_ns,
                    o.statistics_share);
  };
  return all(a) == all(b);
}

/// How long a changed setting has to stand until it is accepted: a limit of the rule that tells of it.
double accept_seconds(const std::map<std::string, double>& limits) {
  const auto changed = limits.find("rules.qos-config-drift.accept_s");
  if (changed != limits.end()) return changed->second;
  constexpr double kDay = 86400;
  const rules::Rule* rule = rules::rule_named("qos-config-drift");
  const rules::Limit* limit = rule != nullptr ? rules::limit_named(*rule, "accept_s") : nullptr;
  return limit != nullptr ? limit->value : kDay;
}

/// A fault that shows in rates and is there now, sustained or not.
bool suspects_trouble(const rules::Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(), [](const rules::Finding& finding) {
    const std::string_view family = finding.rule->family;
    const bool of_traffic = family == "transport" || family == "drop" || family == "pfc" || family == "ecn";
    return of_traffic && (finding.rule->judged & rules::kRate) != 0 && finding.state == rules::FindingState::Active;
  });
}

/// What a recording was made of may be other tools' files. Without its places the report is as good, but for sources.
void cite_places(rules::ReportPtr& report, const SampleSource& recording) {
  auto cited = with_places(report, recording.detail());
  if (cited)
    report = std::move(*cited);
  else
    log(Level::Warning, "cannot tell which lines of files the report rests on, going on without",
        {{"why", cited.error().text()}});
}

}  // namespace

Sampling::Sampling(std::unique_ptr<SampleSource> source, SamplingPlan plan, Board& board,
                   std::unique_ptr<Keeper> keeper)
    : source_(std::move(source)),
      plan_(std::move(plan)),
      board_(board),
      history_(rules::needed_signals()),
      engine_(with_source(plan_.judge, *source_)),
      keeper_(std::move(keeper)) {}

std::optional<std::int64_t> Sampling::next_burst_step_ns(std::int64_t now_ns) const {
  return burst_.next_step_ns(now_ns);
}

void Sampling::burst_step(std::int64_t now_ns) {
  source_->burst_step();
  const std::int64_t end_ns = monotonic_now_ns();
  burst_.stepped(end_ns, end_ns - now_ns);
}

bool Sampling::tick(std::uint64_t skipped_so_far) {
  SnapshotPtr snapshot = source_->next();
  if (!snapshot) return false;
  // Of a recording only the end is judged: a gate that asked half-way would get a verdict that one-shots never give.
  const bool ends = source_->ends();
  if (keeper_ && samples_ == 0 && resume(*snapshot)) {
    if (SnapshotPtr again = source_->next()) snapshot = std::move(again);
  }
  do {
    history_.add(std::move(snapshot));
    ++samples_;
  } while (ends && (snapshot = source_->next()));
  if (keeper_) engine_.set_past(keeper_->past());
  rules::ReportPtr report = engine_.judge(history_);
  if (ends) cite_places(report, *source_);
  if (plan_.bursts && source_->can_burst() && suspects_trouble(*report) && burst_.suspect(monotonic_now_ns())) {
    source_->begin_burst();
    log(Level::Info, "polling RDMA counters faster for a while", {{"why", "a fault that comes in rates"}});
  }
  DaemonFacts facts;
  facts.bursts = burst_.begun();
  facts.samples = samples_;
  facts.samples_skipped = skipped_so_far;
  if (const auto view = board_.config()) {
    facts.reload_success = view->reload_success;
    facts.reload_wall_ns = view->loaded_wall_ns;
  }
  facts.probes = board_.probe_refusals();
  keep(*report, facts);
  CounterTable counters = counter_table(*report, history_);
  log_conditions(*report, counters);
  board_.publish(std::make_shared<const Published>(std::move(report), std::move(counters), process_facts(), facts,
                                                   keeper_ ? keeper_->list() : nullptr));
  return true;
}

bool Sampling::resume(const Snapshot& first) {
  if (const auto text = keeper_->kept("profile")) {
    plan_.judge.kept = kept_profile_from(*text);
    if (plan_.judge.kept)
      engine_.reconfigure(with_source(plan_.judge, *source_));
    else
      log(Level::Warning, "the kept profile makes no sense, inferring it anew");
  }
  keeper_->resume(first, history_, engine_);
  forget_excluded_ports();
  return resume_ports(first);
}

bool Sampling::resume_ports(const Snapshot& first) {
  const auto text = keeper_->kept("ports");
  if (!text) return false;
  kept_ports_ = kept_ports_from(*text);
  if (!kept_ports_) log(Level::Warning, "the used ports that were kept make no sense");
  const std::string boot = first.node.boot_id_hash.value_or("");
  // As long as a history may be gone on with, an address that is missing was most likely taken by a fault.
  if (!kept_ports_ || !keeper_->resumed() || boot.empty() || kept_ports_->boot != boot) return false;
  source_->recall_used_ports(kept_ports_->used);
  return std::any_of(first.ports.begin(), first.ports.end(),
                     [&](const RdmaPort& port) { return !port.in_scope && kept_ports_->used.contains(port.key); });
}

void Sampling::forget_excluded_ports() {
  history_.forget_ports([&](const RdmaPort& port) { return plan_.sampler.selection.excludes(port); });
}

void Sampling::keep_ports() {
  KeptPorts now{history_.now()->node.boot_id_hash.value_or(""), source_->used_ports()};
  if (kept_ports_ == now || now.used.size() > kMostKeptPorts) return;
  keeper_->keep("ports", kept_ports_text(now));
  kept_ports_ = std::move(now);
}

std::optional<std::string> Sampling::kept_baselines() const {
  return keeper_ ? keeper_->kept(kBaselines) : std::nullopt;
}

void Sampling::keep_baselines() {
  Text newest = board_.probe_baselines();
  if (newest == nullptr || newest == kept_baselines_) return;
  keeper_->keep(kBaselines, *newest);
  kept_baselines_ = std::move(newest);
}

void Sampling::keep(const rules::Report& report, DaemonFacts& facts) {
  if (!keeper_) return;
  if (auto inferred = inferred_in(report); inferred && inferred != plan_.judge.kept) {
    // Once: what contradicts it from now on is a finding, not a new guess.
    keeper_->keep("profile", kept_profile_text(*inferred));
    plan_.judge.kept = std::move(inferred);
    engine_.reconfigure(with_source(plan_.judge, *source_));
  }
  keep_ports();
  keep_baselines();
  keeper_->took(report, history_, engine_, accept_seconds(plan_.judge.limits));
  const KeepingStatus status = keeper_->status();
  KeepingFacts kept;
  kept.writable = status.writable;
  kept.file_bytes = static_cast<double>(status.file_bytes);
  kept.open_warning = static_cast<double>(keeper_->open_incidents(rules::Severity::Warning));
  kept.open_critical = static_cast<double>(keeper_->open_incidents(rules::Severity::Critical));
  kept.begun_warning = static_cast<double>(keeper_->begun(rules::Severity::Warning));
  kept.begun_critical = static_cast<double>(keeper_->begun(rules::Severity::Critical));
  kept.settings_changed = static_cast<double>(keeper_->begun(rules::Severity::Info));
  facts.keeping = kept;
}

bool Sampling::finish(std::int64_t most_ms) {
  if (!keeper_) return true;
  keep_baselines();
  return keeper_->finish(history_, engine_, most_ms);
}

void Sampling::change(SamplingPlan plan) {
  const bool other_sampler = !same(plan.sampler, plan_.sampler), other_judge = !same(plan.judge, plan_.judge);
  plan.judge.kept = plan_.judge.kept;
  plan_ = std::move(plan);
  if (other_sampler) {
    source_->configure(plan_.sampler);
    forget_excluded_ports();
  }
  if (other_judge) engine_.reconfigure(with_source(plan_.judge, *source_));
}

void Sampling::log_conditions(const rules::Report& report, const CounterTable& counters) {
  std::map<std::string, std::string> now = conditions_of(report);
  // The count follows the findings of the moment and stands in the metric; each change of it is no news.
  for (const DroppedSeries& each : counters.dropped)
    now["series of " + each.device + "/" + each.port] =
        "too many for /metrics, leaving out those of idle priorities first (roce_series_dropped tells how many)";
  for (const ConditionChange& change : conditions_.update(std::move(now))) {
    const char* word = change.kind == ConditionChange::Kind::Begins    ? "begins"
                       : change.kind == ConditionChange::Kind::Changes ? "changes"
                                                                       : "ends";
    const bool calm = change.name == "verdict" || change.kind == ConditionChange::Kind::Ends;
    log(calm ? Level::Info : Level::Warning, change.text, {{"condition", change.name}, {"state", word}});
  }
}

}  // namespace roceready::daemon
