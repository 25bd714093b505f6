// SPDX-License-Identifier: Apache-2.0
#include "collectors/module_eeprom.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace roceready {
namespace {

// Sources: SFF-8024 (identifiers), SFF-8472 (SFP), SFF-8636 (QSFP), OIF-CMIS (QSFP-DD, OSFP). All numbers are
// big-endian.
constexpr std::uint8_t kMain = 0x50, kDiagnostics = 0x51;
constexpr ModulePart kSfpCable{kMain, 0, 8, 11}, kSfpMonitoring{kMain, 0, 92, 1}, kSfpLimits{kDiagnostics, 0, 0, 40},
    kSfpValues{kDiagnostics, 0, 96, 10};
constexpr ModulePart kQsfpValues{kMain, 0, 22, 36}, kQsfpCable{kMain, 0, 146, 2}, kQsfpLimits{kMain, 3, 128, 72};
constexpr ModulePart kCmisState{kMain, 0, 3, 1}, kCmisValues{kMain, 0, 14, 4}, kCmisMedia{kMain, 0, 85, 1},
    kCmisCable{kMain, 0, 202, 1}, kCmisLimits{kMain, 2, 128, 72}, kCmisTxPower{kMain, 0x11, 154, 16},
    kCmisRxPower{kMain, 0x11, 186, 16};

constexpr double kDegrees = 1.0 / 256, kVolts = 1e-4, kWatts = 1e-7, kAmperes = 2e-6;

struct Form {
  std::uint8_t identifier;
  const char* name;
  ModuleLayout layout;
};
constexpr Form kForms[] = {{0x03, "SFP", ModuleLayout::Sfp},
                           {0x0c, "QSFP", ModuleLayout::Qsfp},
                           {0x0d, "QSFP+", ModuleLayout::Qsfp},
                           {0x11, "QSFP28", ModuleLayout::Qsfp},
                           {0x18, "QSFP-DD", ModuleLayout::Cmis},
                           {0x19, "OSFP", ModuleLayout::Cmis},
                           {0x1e, "QSFP+ with CMIS", ModuleLayout::Cmis}};

const Form* form_of(std::uint8_t identifier) {
  for (const Form& form : kForms)
    if (form.identifier == identifier) return &form;
  return nullptr;
}

/// Bytes of the parts that were read, by their place in the EEPROM.
class Eeprom {
 public:
  explicit Eeprom(const std::map<ModulePart, Bytes>& parts) : parts_(parts) {}

  /// The byte at an offset of a page, wherever a part holds it.
  [[nodiscard]] std::optional<std::uint8_t> byte(const ModulePart& part, std::size_t offset) const {
    const auto found = parts_.find(part);
    if (found == parts_.end() || offset < part.offset || offset - part.offset >= found->second.size())
      return std::nullopt;
    return std::to_integer<std::uint8_t>(found->second[offset - part.offset]);
  }
  [[nodiscard]] std::optional<std::uint16_t> word(const ModulePart& part, std::size_t offset) const {
    const auto high = byte(part, offset), low = byte(part, offset + 1);
    if (!high || !low) return std::nullopt;
    return static_cast<std::uint16_t>(*high << 8U | *low);
  }
  [[nodiscard]] bool has(const ModulePart& part) const { return parts_.contains(part); }

 private:
  const std::map<ModulePart, Bytes>& parts_;
};

/// A value and where its four limits begin: high alarm, low alarm, high warning, low warning.
struct Place {
  const char* what;
  std::uint32_t lane;
  ModulePart values;
  std::size_t at;
  ModulePart limits;
  std::size_t limits_at;
  double scale;
  const char* unit;
};

void add(const Eeprom& eeprom, const Place& place, std::vector<ModuleMonitor>& out) {
  const bool is_signed = place.unit == std::string_view("degrees C");
  const auto number = [&](std::optional<std::uint16_t> word) -> std::optional<double> {
    if (!word) return std::nullopt;
    const double raw = is_signed ? static_cast<double>(static_cast<std::int16_t>(*word)) : static_cast<double>(*word);
    return raw * place.scale;
  };
  const auto value = number(eeprom.word(place.values, place.at));
  std::array<std::optional<double>, 4> limits;
  for (std::size_t k = 0; k < limits.size(); ++k)
    limits[k] = number(eeprom.word(place.limits, place.limits_at + 2 * k));
  if (!value || !limits[0] || !limits[1] || !limits[2] || !limits[3]) return;
  // Modules that do not monitor a value leave its limits 0, or set them to all ones.
  if (!(*limits[0] > *limits[1])) return;
  out.push_back({place.what, place.lane, *value, place.unit, *limits[1], *limits[3], *limits[2], *limits[0]});
}

std::vector<ModuleMonitor> sfp_monitors(const Eeprom& eeprom) {
  std::vector<ModuleMonitor> out;
  const auto one = [&](const char* what, std::size_t at, std::size_t limits_at, double scale, const char* unit) {
    add(eeprom, {what, 0, kSfpValues, at, kSfpLimits, limits_at, scale, unit}, out);
  };
  one("temperature", 96, 0, kDegrees, "degrees C");
  one("supply voltage", 98, 8, kVolts, "V");
  one("bias current", 100, 16, kAmperes, "A");
  one("transmit power", 102, 24, kWatts, "W");
  one("receive power", 104, 32, kWatts, "W");
  return out;
}

std::vector<ModuleMonitor> qsfp_monitors(const Eeprom& eeprom) {
  std::vector<ModuleMonitor> out;
  const auto one = [&](const char* what, std::uint32_t lane, std::size_t at, std::size_t limits_at, double scale,
                       const char* unit) {
    add(eeprom, {what, lane, kQsfpValues, at, kQsfpLimits, limits_at, scale, unit}, out);
  };
  one("temperature", 0, 22, 128, kDegrees, "degrees C");
  one("supply voltage", 0, 26, 144, kVolts, "V");
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    one("receive power", lane + 1, 34 + std::size_t{2} * lane, 176, kWatts, "W");
    one("bias current", lane + 1, 42 + std::size_t{2} * lane, 184, kAmperes, "A");
    one("transmit power", lane + 1, 50 + std::size_t{2} * lane, 192, kWatts, "W");
  }
  return out;
}

/// Bias currents are left out: their unit is in yet another page.
std::vector<ModuleMonitor> cmis_monitors(const Eeprom& eeprom) {
  std::vector<ModuleMonitor> out;
  add(eeprom, {"temperature", 0, kCmisValues, 14, kCmisLimits, 128, kDegrees, "degrees C"}, out);
  add(eeprom, {"supply voltage", 0, kCmisValues, 16, kCmisLimits, 136, kVolts, "V"}, out);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    const std::size_t step = std::size_t{2} * lane;
    add(eeprom, {"transmit power", lane + 1, kCmisTxPower, 154 + step, kCmisLimits, 176, kWatts, "W"}, out);
    add(eeprom, {"receive power", lane + 1, kCmisRxPower, 186 + step, kCmisLimits, 192, kWatts, "W"}, out);
  }
  return out;
}

struct Cable {
  bool copper = false;
  double metres = 0;  ///< 0: not stated
};

Cable cable_of(const Eeprom& eeprom, ModuleLayout layout) {
  if (layout == ModuleLayout::Sfp) {
    const bool passive = (eeprom.byte(kSfpCable, 8).value_or(0) & 0x04U) != 0;
    return {passive, static_cast<double>(eeprom.byte(kSfpCable, 18).value_or(0))};
  }
  if (layout == ModuleLayout::Qsfp) {
    const unsigned technology = eeprom.byte(kQsfpCable, 147).value_or(0) >> 4U;
    return {technology == 0x0a || technology == 0x0b, static_cast<double>(eeprom.byte(kQsfpCable, 146).value_or(0))};
  }
  constexpr std::uint8_t kPassiveCopper = 0x03;
  constexpr std::array kUnits{0.1, 1.0, 10.0, 100.0};
  const unsigned length = eeprom.byte(kCmisCable, 202).value_or(0);
  return {eeprom.byte(kCmisMedia, 85).value_or(0) == kPassiveCopper, (length & 0x3fU) * kUnits[length >> 6U]};
}

/// Memory that has no pages cannot hold limits.
bool is_flat(ModuleLayout layout, std::uint8_t status) {
  return layout == ModuleLayout::Cmis ? (status & 0x80U) != 0 : (status & 0x04U) != 0;
}

Reading<std::vector<ModuleMonitor>> monitors_of(const Eeprom& eeprom, ModuleLayout layout, bool copper) {
  if (copper) return Absent{Why::NotPresent, "a passive copper cable measures nothing"};
  const std::uint8_t monitoring = eeprom.byte(kSfpMonitoring, 92).value_or(0);
  if (layout == ModuleLayout::Sfp && (monitoring & 0x40U) == 0)
    return Absent{Why::NotPresent, "the module measures nothing"};
  if (layout == ModuleLayout::Sfp && (monitoring & 0x10U) != 0)
    return Absent{Why::NotSupported, "the module leaves calibration to its reader"};
  std::vector<ModuleMonitor> out = layout == ModuleLayout::Sfp    ? sfp_monitors(eeprom)
                                   : layout == ModuleLayout::Qsfp ? qsfp_monitors(eeprom)
                                                                  : cmis_monitors(eeprom);
  if (out.empty()) return Absent{Why::NotPresent, "the module states no limits"};
  return out;
}

}  // namespace

ModuleLayout module_layout(std::byte identifier) {
  const Form* form = form_of(std::to_integer<std::uint8_t>(identifier));
  return form == nullptr ? ModuleLayout::Unknown : form->layout;
}

const char* module_form(std::byte identifier) {
  const Form* form = form_of(std::to_integer<std::uint8_t>(identifier));
  return form == nullptr ? "" : form->name;
}

std::vector<ModulePart> module_parts(ByteSpan head) {
  if (head.size() < kModuleHead.length) return {};
  const ModuleLayout layout = module_layout(head[0]);
  const bool flat = is_flat(layout, std::to_integer<std::uint8_t>(head[2]));
  switch (layout) {
    case ModuleLayout::Sfp:
      return {kSfpCable, kSfpMonitoring, kSfpLimits, kSfpValues};
    case ModuleLayout::Qsfp:
      if (flat) return {kQsfpCable};
      return {kQsfpCable, kQsfpValues, kQsfpLimits};
    case ModuleLayout::Cmis:
      if (flat) return {kCmisState, kCmisMedia, kCmisCable};
      return {kCmisState, kCmisMedia, kCmisCable, kCmisValues, kCmisLimits, kCmisTxPower, kCmisRxPower};
    case ModuleLayout::Unknown:
      break;
  }
  return {};
}

ModuleFacts parse_module(const std::map<ModulePart, Bytes>& parts) {
  const Eeprom eeprom(parts);
  ModuleFacts out;
  out.fault = Absent{Why::NotPresent, "no fault"};
  const auto identifier = eeprom.byte(kModuleHead, 0);
  const Form* form = identifier ? form_of(*identifier) : nullptr;
  if (form == nullptr) {
    const Absent unknown{Why::NotSupported, "a module of unknown form"};
    out.copper_length_metres = unknown;
    out.monitors = unknown;
    return out;
  }
  out.form = form->name;
  const Cable cable = cable_of(eeprom, form->layout);
  if (cable.copper && cable.metres > 0)
    out.copper_length_metres = cable.metres;
  else
    out.copper_length_metres = Absent{Why::NotPresent, cable.copper ? "the cable states no length" : "no copper cable"};
  out.monitors = monitors_of(eeprom, form->layout, cable.copper);
  constexpr unsigned kFault = 5;
  if ((eeprom.byte(kCmisState, 3).value_or(0) >> 1U & 7U) == kFault && form->layout == ModuleLayout::Cmis)
    out.fault = std::string("the module says that it is in its fault state");
  return out;
}

}  // namespace roceready
