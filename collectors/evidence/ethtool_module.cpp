// SPDX-License-Identifier: Apache-2.0
// ethtool -m NETDEV: "\tIdentifier   : 0x11 (QSFP28)", cable, what the module measures and its limits.
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"
#include "collectors/module_eeprom.h"

namespace roceready::evidence {
namespace {

/// Begins of keys that no other tool's aligned "key : value" lines have.
constexpr std::string_view kOwnKeys[] = {"Extended identifier",
                                         "Module temperature",
                                         "Module voltage",
                                         "Laser bias current",
                                         "Laser output power",
                                         "Laser tx ",
                                         "Laser rx ",
                                         "Transmit avg optical power",
                                         "Rcvr signal avg optical power",
                                         "Receiver signal average optical power",
                                         "Length (",
                                         "Transceiver codes",
                                         "Transceiver type",
                                         "Optical diagnostics support",
                                         "Transmitter technology",
                                         "Cable assembly length",
                                         "Passive Cu cmplnce.",
                                         "Module State",
                                         "Alarm/warning flags implemented",
                                         "BR, Nominal",
                                         "BR Nominal",
                                         "Revision Compliance",
                                         "Rate identifier"};

/// How ethtool names what a module measures, and its limits.
struct Measure {
  std::string_view value, limits;
  const char* what;
  const char* unit;
  double scale;  ///< of the number that is printed
};
constexpr Measure kMeasures[] = {
    {"Module temperature", "Module temperature", "temperature", "degrees C", 1},
    {"Module voltage", "Module voltage", "supply voltage", "V", 1},
    {"Laser bias current", "Laser bias current", "bias current", "A", 1e-3},
    {"Laser tx bias current", "Laser bias current", "bias current", "A", 1e-3},
    {"Laser output power", "Laser output power", "transmit power", "W", 1e-3},
    {"Transmit avg optical power", "Laser output power", "transmit power", "W", 1e-3},
    {"Receiver signal average optical power", "Laser rx power", "receive power", "W", 1e-3},
    {"Rcvr signal avg optical power", "Laser rx power", "receive power", "W", 1e-3}};
constexpr std::array<std::string_view, 4> kLimits{" low alarm threshold", " low warning threshold",
                                                  " high warning threshold", " high alarm threshold"};

bool made_by(std::span<const std::string> words, About& about) {
  return ethtool_asks(words, {"-m", "--dump-module-eeprom", "--module-info"}, about);
}

/// "Key   : value": ethtool pads its keys to one column.
std::optional<KeyValue> aligned(std::string_view line) {
  const auto colon = line.find(" : ");
  if (colon == std::string_view::npos) return std::nullopt;
  const KeyValue pair{trim(line.substr(0, colon)), trim(line.substr(colon + 3))};
  if (pair.key.empty()) return std::nullopt;
  return pair;
}

std::optional<unsigned> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  constexpr std::string_view kDigits = "0123456789abcdef";
  unsigned out = 0;
  const auto word = text.substr(2, text.find_first_of(" \t") - 2);
  if (word.empty() || word.size() > 2) return std::nullopt;
  for (const char c : lower(word)) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    out = out * 16 + static_cast<unsigned>(digit);
  }
  return out;
}

Fit fit(std::string_view line, About&) {
  const auto pair = aligned(line);
  if (!pair) return refusal_of(line) ? Fit::Possible : Fit::No;
  if (pair->key == "Identifier" && hexadecimal(pair->value)) return Fit::Begins;
  const bool own = std::any_of(std::begin(kOwnKeys), std::end(kOwnKeys),
                               [&](std::string_view key) { return pair->key.starts_with(key); });
  return own ? Fit::Certain : Fit::Possible;
}

/// The number that a text begins with: "3.2856 V", "0.50m", "-5.00 degrees C / 23.00 degrees F".
std::optional<double> leading_number(std::string_view text) {
  return parse_double(text.substr(0, text.find_first_not_of("+-.0123456789")));
}

/// "(Channel 3)" and "(Chan 3)": 3; 0 without.
std::uint32_t lane_of(std::string_view key) {
  const auto bracket = key.find("(Chan");
  if (bracket == std::string_view::npos) return 0;
  const auto from = key.find_first_of("0123456789", bracket);
  if (from == std::string_view::npos) return 0;
  return parse_u32(key.substr(from, key.find(')', from) - from)).value_or(0);
}

class Reader {
 public:
  bool take(const Line& line) {
    const auto pair = aligned(line.text);
    if (!pair) return false;
    any_ = true;
    if (pair->key == "Identifier" && !identifier_) identifier_ = hexadecimal(pair->value);
    cable(*pair);
    if (pair->key == "Module State") state_ = std::string(pair->value), state_line_ = line.number;
    if (pair->key == "Optical diagnostics support") measures_ = yes_or_no(pair->value);
    if (pair->key == "Alarm/warning flags implemented") limited_ = yes_or_no(pair->value);
    for (const Measure& measure : kMeasures) {
      if (pair->key.starts_with(measure.value) && note_value(measure, *pair, line.number)) break;
    }
    for (const Measure& measure : kMeasures) note_limit(measure, *pair);
    return true;
  }

  [[nodiscard]] bool any() const { return any_; }

  /// Names the line of each value as a finding calls it: "receive power of lane 2".
  void cite(Draft& draft, const std::string& source, const Section& section) const {
    for (const Value& one : values_) {
      const std::string lane = one.lane > 0 ? " of lane " + std::to_string(one.lane) : "";
      draft.cite(source, one.measure->what + lane, section, one.line);
    }
    if (state_) draft.cite(source, "module state", section, state_line_);
  }

  [[nodiscard]] ModuleFacts facts() const {
    ModuleFacts out;
    const auto first = static_cast<std::byte>(identifier_.value_or(0));
    if (identifier_) out.form = module_form(first);
    const ModuleLayout layout = identifier_ ? module_layout(first) : ModuleLayout::Unknown;
    if (copper_ && *copper_ && metres_ && *metres_ > 0)
      out.copper_length_metres = *metres_;
    else if (copper_ && !(*copper_ && !metres_))
      out.copper_length_metres = Absent{Why::NotPresent, *copper_ ? "the cable states no length" : "no copper cable"};
    if (state_ && state_->find("Fault") != std::string::npos)
      out.fault = std::string("the module says that it is in its fault state");
    else if (state_ || layout == ModuleLayout::Sfp || layout == ModuleLayout::Qsfp)
      out.fault = Absent{Why::NotPresent, "no fault"};
    out.monitors = monitors();
    return out;
  }

 private:
  using Limits = std::array<std::optional<double>, 4>;

  void cable(const KeyValue& pair) {
    if (pair.key == "Passive Cu cmplnce.") copper_ = true;
    if (pair.key == "Transmitter technology") {
      // QSFP has the technology in the upper half of its byte, CMIS in all of it.
      const unsigned code = hexadecimal(pair.value).value_or(0);
      const unsigned technology = code > 15 ? code >> 4U : code;
      copper_ = technology == 0x0a || technology == 0x0b;
    }
    if (pair.key.starts_with("Length (Copper") || pair.key == "Cable assembly length")
      metres_ = leading_number(pair.value);
    if (pair.key == "Optical diagnostics support" && !copper_ && yes_or_no(pair.value).value_or(false)) copper_ = false;
  }

  bool note_value(const Measure& measure, const KeyValue& pair, std::uint32_t line) {
    if (pair.key.find(" alarm") != std::string_view::npos || pair.key.find(" warning") != std::string_view::npos)
      return false;
    // "Laser output power" begins no other measure's key, "Laser bias current" does not begin "Laser tx bias current".
    const auto number = leading_number(pair.value);
    if (!number) return false;
    constexpr std::size_t kMostValues = 64;
    if (values_.size() < kMostValues) values_.push_back({&measure, lane_of(pair.key), *number * measure.scale, line});
    return true;
  }

  void note_limit(const Measure& measure, const KeyValue& pair) {
    if (!pair.key.starts_with(measure.limits)) return;
    const std::string_view rest = pair.key.substr(measure.limits.size());
    for (std::size_t i = 0; i < kLimits.size(); ++i) {
      const auto number = rest == kLimits[i] ? leading_number(pair.value) : std::nullopt;
      if (number) limits_[measure.limits][i] = *number * measure.scale;
    }
  }

  [[nodiscard]] Reading<std::vector<ModuleMonitor>> monitors() const {
    if (copper_.value_or(false)) return Absent{Why::NotPresent, "a passive copper cable measures nothing"};
    std::vector<ModuleMonitor> out;
    for (const Value& value : values_) {
      const auto found = limits_.find(value.measure->limits);
      if (found == limits_.end()) continue;
      const Limits& limits = found->second;
      if (!limits[0] || !limits[1] || !limits[2] || !limits[3] || !(*limits[3] > *limits[0])) continue;
      out.push_back({value.measure->what, value.lane, value.value, value.measure->unit, *limits[0], *limits[1],
                     *limits[2], *limits[3]});
    }
    if (!out.empty()) return out;
    if (measures_ && !*measures_) return Absent{Why::NotPresent, "the module measures nothing"};
    if (!limits_.empty() || (limited_ && !*limited_)) return Absent{Why::NotPresent, "the module states no limits"};
    return Absent{Why::NotRecorded, "the lines of what it measures are not there"};
  }

  struct Value {
    const Measure* measure;
    std::uint32_t lane;
    double value;
    std::uint32_t line;
  };
  bool any_ = false;
  std::optional<unsigned> identifier_;
  std::optional<bool> copper_, measures_, limited_;
  std::optional<double> metres_;
  std::optional<std::string> state_;
  std::uint32_t state_line_ = 0;
  std::vector<Value> values_;
  std::map<std::string_view, Limits> limits_;
};

void parse(const Section& section, Draft& draft) {
  Netdev& netdev = draft.netdev(section.about.netdev);
  Reader reader;
  const auto refused = take_lines(section, draft, [&](const Line& line) {
    if (!reader.take(line)) return false;
    draft.cite("ethtool -m " + section.about.netdev, section, line.number);
    return true;
  });
  reader.cite(draft, "ethtool -m " + section.about.netdev, section);
  if (reader.any())
    netdev.ethtool.module = reader.facts();
  else if (refused)
    netdev.ethtool.module = *refused;
}

}  // namespace

extern const Format kEthtoolModule;
constinit const Format kEthtoolModule{"ethtool -m", "ethtool -m NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
