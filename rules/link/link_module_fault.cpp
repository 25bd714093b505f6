// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/event_share.h"
#include "rules/link/link_history.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kHour = 3600;

struct Event {
  CounterId id;
  const char* words;
  Severity severity;
};
constexpr Event kEvents[] = {{CounterId::ModuleHighTemp, "too hot", Severity::Critical},
                             {CounterId::ModuleBusStuck, "its control bus is stuck", Severity::Critical},
                             {CounterId::ModuleBadShorted, "bad or shorted cable", Severity::Critical},
                             {CounterId::ModuleUnplug, "pulled out", Severity::Warning}};

/// What is wrong, worst first.
struct Faults {
  Severity severity = Severity::Info;
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  void add(Severity how_bad, std::string what, EvidenceItem item) {
    severity = std::max(severity, how_bad);
    words.push_back(std::move(what));
    evidence.push_back(std::move(item));
  }
};

/// Events of the driver. Returns whether it counts any of them.
bool add_events(const Evidence& seen, Faults& faults) {
  bool known = false;
  for (const Event& event : kEvents) {
    const Reading<Increase> grown = outside_grace(
        seen, [&](double seconds, double ago) { return seen.increase(event.id, seconds, kNoLane, ago); }, kHour, 0,
        Explained::ByHand);  // the loss of carrier beside it is its effect
    known = known || seen.counter(event.id).has_value();
    if (!grown || grown->amount < seen.limit("events_1h")) continue;
    faults.add(event.severity, counted(grown->amount, "time") + " in the last hour: " + event.words,
               seen.item(info_of(event.id).name, grown->amount, "events", ">=", seen.limit("events_1h"),
                         seen.source_of(event.id)));
  }
  return known;
}

/// What the driver counts of events and does not show now may be the fault.
bool none_hidden(const Evidence& seen, Outcomes& out) {
  return nothing_hidden(
      seen, out,
      {CounterId::ModuleHighTemp, CounterId::ModuleBusStuck, CounterId::ModuleBadShorted, CounterId::ModuleUnplug});
}

/// Lanes that are not used are dark, and no fault while the link is up.
bool is_dark(const ModuleMonitor& monitor) {
  constexpr double kDarkWatts = 1e-7;  // -40 dBm
  return monitor.unit == "W" && monitor.value <= kDarkWatts;
}

void add_monitors(const Evidence& seen, const std::vector<ModuleMonitor>& monitors, Faults& faults) {
  const std::string source = "ethtool -m " + seen.member().link.name;
  for (const ModuleMonitor& one : monitors) {
    if (is_dark(one)) continue;
    const bool high = one.value > one.high_warning, low = one.value < one.low_warning;
    const bool alarm = one.value > one.high_alarm || one.value < one.low_alarm;
    if (!high && !low && !alarm) continue;
    const bool above = one.value > one.high_warning || one.value > one.high_alarm;
    const double bound =
        above ? (alarm ? one.high_alarm : one.high_warning) : (alarm ? one.low_alarm : one.low_warning);
    std::string what = one.what;
    if (one.lane > 0) what += " of lane " + std::to_string(one.lane);
    faults.add(alarm ? Severity::Critical : Severity::Warning,
               what + " is " + short_number(one.value) + " " + one.unit + ", " + (above ? "above" : "below") + " the " +
                   (alarm ? "alarm" : "warning") + " limit of " + short_number(bound) + " " + one.unit,
               seen.item(what, one.value, one.unit, above ? ">" : "<", bound, source));
  }
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::string& name = seen.member().link.name;
  const Reading<ModuleFacts>& module = seen.member().ethtool.module;
  Faults faults;
  const bool counts_events = add_events(seen, faults);
  if (module && module->fault)
    faults.add(Severity::Critical, *module->fault, seen.word("module state", "fault", "ethtool -m " + name));
  const Reading<std::vector<ModuleMonitor>> monitors = field(module, &ModuleFacts::monitors);
  if (monitors) add_monitors(seen, *monitors, faults);
  if (!faults.words.empty()) {
    std::string sentence = "The module of " + name;
    if (module) sentence += " (" + module->form + ")";
    sentence += " reports: ";
    for (std::size_t k = 0; k < faults.words.size(); ++k) sentence += (k > 0 ? "; " : "") + faults.words[k];
    out.fail(faults.severity, sentence + ".", std::move(faults.evidence));
    return;
  }
  if (monitors) {
    if (none_hidden(seen, out)) out.pass();
    return;
  }
  const Why why = monitors.absent().why;
  if (why != Why::NotPresent && why != Why::NotSupported) return out.unknown(monitors.absent());
  if (!none_hidden(seen, out)) return;
  if (counts_events) return quiet(seen, out, kHour);
  if (why == Why::NotPresent) return out.not_applicable(monitors.absent().detail);
  out.not_looked_at("never_shown", "neither driver nor module tell of faults: " + monitors.absent().detail, "");
}

}  // namespace

extern const Rule kLinkModuleFault;
constinit const Rule kLinkModuleFault{
    .id = "link-module-fault",
    .family = "link",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic | kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Optical module or cable reports a fault",
    .what =
        "Reads the module events that the driver counts, and temperature, voltage, light and bias current against the "
        "limits in the module's own EEPROM. Critical outside of an alarm limit and at an event in the last hour, a "
        "warning outside of a warning limit and when the module was pulled out.",
    .why = "A module outside of its limits loses packets now or drops the link soon.",
    .next = "Clean and reseat the module; check the airflow if it is hot; replace it if the value stays.",
    .likely_causes = {"dirty or bent fibre", "module too hot: airflow", "ageing laser", "module not seated well",
                      "defective cable"},
    .fix = {Recipe::Optic},
    .traps =
        {"Copper cables measure nothing: driver events alone are judged there.",
         "Lanes without light while the link is up are unused ones: no finding.",
         "Values bounce around a limit: a daemon reports a fault once three of five reads, half a minute apart, show "
         "it.",
         "The module's latched flags are not read, as reading clears them for others: values are compared instead.",
         "Without CAP_NET_ADMIN the module cannot be read: unknown, unless the driver counts an event."},
    .needs = {CounterId::ModuleHighTemp, CounterId::ModuleBusStuck, CounterId::ModuleBadShorted,
              CounterId::ModuleUnplug},
    .limits = {Limit{.name = "events_1h",
                     .value = 1,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'K',
                     .help = "module events of one kind in an hour that are a finding"}},
    .facts = {"module-eeprom-layouts", "module-flags-latched", "ethtool-module-eeprom"},
    .hold_seconds = 90,
    .hold_within_seconds = 150,
    .judge = judge,
};

}  // namespace roceready::rules
