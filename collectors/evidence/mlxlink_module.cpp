// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/mlxlink_module.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "collectors/evidence/tool_lines.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

/// A limit that no value reaches; finite, as JSON has no other numbers.
constexpr double kNoAlarm = std::numeric_limits<double>::max();

enum class Scale { One, Thousandth, Decibel };
struct Measure {
  std::string_view key;
  const char* what;
  const char* unit;
  Scale scale;
};
constexpr Measure kMeasures[] = {{"Temperature [C]", "temperature", "degrees C", Scale::One},
                                 {"Voltage [mV]", "supply voltage", "V", Scale::Thousandth},
                                 {"Bias Current [mA]", "bias current", "A", Scale::Thousandth},
                                 {"Rx Power Current [dBm]", "receive power", "W", Scale::Decibel},
                                 {"Tx Power Current [dBm]", "transmit power", "W", Scale::Decibel}};

/// In the unit of ModuleMonitor. mlxlink prints -40 dBm for a lane without light.
double scaled(double number, Scale scale) {
  constexpr double kDarkDecibels = -40, kDarkWatts = 1e-7;
  if (scale == Scale::One) return number;
  if (scale == Scale::Thousandth) return number * 1e-3;
  return number <= kDarkDecibels ? kDarkWatts : 1e-3 * std::pow(10.0, number / 10);
}

std::optional<double> number_of(std::string_view text) {
  const auto number = parse_double(trim(text));
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

/// "8.380,8.380 [2..15]" in its parts.
struct Measured {
  std::vector<std::optional<double>> lanes;
  double low = 0, high = 0;
};
std::optional<Measured> measured_of(std::string_view text) {
  const auto open = text.rfind('['), dots = text.rfind("..");
  if (open == std::string_view::npos || dots == std::string_view::npos || dots < open || !text.ends_with(']'))
    return std::nullopt;
  const auto low = number_of(text.substr(open + 1, dots - open - 1));
  const auto high = number_of(text.substr(dots + 2, text.size() - dots - 3));
  if (!low || !high) return std::nullopt;
  Measured out{{}, *low, *high};
  for (const std::string_view part : roceready::split(text.substr(0, open), ',')) out.lanes.push_back(number_of(part));
  return out;
}

/// A word that tells something.
bool is_told(std::string_view value) {
  return !value.empty() && value != "N/A";
}

/// What ethtool -m told has alarm limits.
bool tells_more(const Reading<ModuleFacts>& known) {
  if (!known || !known->monitors) return false;
  return std::any_of(known->monitors->begin(), known->monitors->end(),
                     [](const ModuleMonitor& one) { return one.high_alarm < kNoAlarm; });
}

}  // namespace

void MlxlinkModule::take(const KeyValue& pair, std::uint32_t line) {
  measure(pair, line);
  if (!is_told(pair.value)) return;
  if (pair.key == "Identifier") form_ = std::string(pair.value), first_line_ = line;
  if (pair.key == "Cable Type") copper_ = lower(pair.value).find("passive copper") != std::string::npos;
  if (pair.key == "Transfer Distance [m]") metres_ = number_of(pair.value);
  if (pair.key == "Digital Diagnostic Monitoring") measures_ = yes_or_no(pair.value);
  if (pair.key == "Module State") state_ = std::string(pair.value), state_line_ = line;
}

void MlxlinkModule::measure(const KeyValue& pair, std::uint32_t line) {
  const auto* const known =
      std::find_if(std::begin(kMeasures), std::end(kMeasures), [&](const Measure& one) { return one.key == pair.key; });
  const auto measured = known == std::end(kMeasures) ? std::nullopt : measured_of(pair.value);
  if (!measured) return;
  if (first_line_ == 0) first_line_ = line;
  if (!(measured->high > measured->low)) {
    without_limits_ = true;
    return;
  }
  constexpr std::size_t kMostLanes = 16;
  const std::size_t lanes = std::min(measured->lanes.size(), kMostLanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    if (!measured->lanes[i]) continue;
    ModuleMonitor monitor;
    monitor.what = known->what;
    monitor.unit = known->unit;
    if (lanes > 1) monitor.lane = static_cast<std::uint32_t>(i + 1);
    monitor.value = scaled(*measured->lanes[i], known->scale);
    monitor.low_warning = scaled(measured->low, known->scale);
    monitor.high_warning = scaled(measured->high, known->scale);
    monitor.low_alarm = -kNoAlarm;
    monitor.high_alarm = kNoAlarm;
    values_.push_back({std::move(monitor), line});
  }
}

Reading<std::vector<ModuleMonitor>> MlxlinkModule::monitors() const {
  if (copper_.value_or(false)) return Absent{Why::NotPresent, "a passive copper cable measures nothing"};
  std::vector<ModuleMonitor> out;
  for (const Value& value : values_) out.push_back(value.monitor);
  if (!out.empty()) return out;
  if (measures_ && !*measures_) return Absent{Why::NotPresent, "the module measures nothing"};
  if (without_limits_) return Absent{Why::NotPresent, "the module states no limits"};
  return Absent{Why::NotRecorded, "the lines of what it measures are not there"};
}

ModuleFacts MlxlinkModule::facts() const {
  ModuleFacts out;
  out.form = form_;
  if (copper_ && *copper_ && metres_ && *metres_ > 0)
    out.copper_length_metres = *metres_;
  else if (copper_ && !*copper_)
    out.copper_length_metres = Absent{Why::NotPresent, "no copper cable"};
  if (lower(state_).find("fault") != std::string::npos)
    out.fault = std::string("the module says that it is in its fault state");
  else if (!state_.empty())
    out.fault = Absent{Why::NotPresent, "no fault"};
  out.monitors = monitors();
  return out;
}

void MlxlinkModule::put(Draft& draft, const Section& section) const {
  if (first_line_ == 0) return;
  Reading<ModuleFacts>& known = draft.netdev(section.about.netdev).ethtool.module;
  if (tells_more(known)) return;
  known = facts();
  const std::string source = "ethtool -m " + section.about.netdev;
  draft.cite(source, section, first_line_);
  for (const Value& value : values_) {
    const std::string lane = value.monitor.lane > 0 ? " of lane " + std::to_string(value.monitor.lane) : "";
    draft.cite(source, value.monitor.what + lane, section, value.line);
  }
  if (state_line_ > 0) draft.cite(source, "module state", section, state_line_);
}

}  // namespace roceready::evidence
