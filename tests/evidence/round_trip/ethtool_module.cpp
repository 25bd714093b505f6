// SPDX-License-Identifier: Apache-2.0
// ethtool -m of QSFP, SFP and CMIS modules: the lines that state cable, limits and measured values.
#include <array>
#include <cstdio>
#include <map>

#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

std::string row(const std::string& key, const std::string& value) {
  constexpr std::size_t kColumn = 41;
  std::string out = "\t" + key;
  if (out.size() < kColumn + 1) out.resize(kColumn + 1, ' ');
  return out + " : " + value + "\n";
}

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

struct Form {
  const char* form;
  const char* identifier;
};
constexpr std::array<Form, 8> kForms{{{"SFP", "0x03 (SFP)"},
                                      {"QSFP", "0x0c (QSFP)"},
                                      {"QSFP+", "0x0d (QSFP+)"},
                                      {"QSFP28", "0x11 (QSFP28)"},
                                      {"QSFP-DD", "0x18 (QSFP-DD)"},
                                      {"OSFP", "0x19 (OSFP)"},
                                      {"SFP-DD", "0x1a (SFP-DD)"},
                                      {"QSFP-CMIS", "0x1e (QSFP+ or later with CMIS)"}}};

struct Measure {
  const char* what;
  const char* value;  ///< of the whole module
  const char* lane;   ///< of one lane
  const char* limits;
  const char* unit;
  double scale;
};
constexpr std::array<Measure, 5> kMeasures{
    {{"temperature", "Module temperature", "Module temperature", "Module temperature", " degrees C", 1},
     {"supply voltage", "Module voltage", "Module voltage", "Module voltage", " V", 1},
     {"bias current", "Laser bias current", "Laser tx bias current (Channel ", "Laser bias current", " mA", 1e3},
     {"transmit power", "Laser output power", "Transmit avg optical power (Channel ", "Laser output power", " mW", 1e3},
     {"receive power", "Receiver signal average optical power", "Rcvr signal avg optical power(Channel ",
      "Laser rx power", " mW", 1e3}}};

std::string monitors(const std::vector<ModuleMonitor>& list) {
  std::string values, limits;
  std::map<std::string, bool> stated;
  for (const ModuleMonitor& monitor : list) {
    for (const Measure& measure : kMeasures) {
      if (monitor.what != measure.what) continue;
      const auto text = [&](double value) { return decimal(value * measure.scale) + measure.unit; };
      const std::string lane = measure.lane;
      const bool by_lane = monitor.lane > 0 && lane.ends_with("(Channel ");
      values += row(by_lane ? lane + std::to_string(monitor.lane) + ")" : measure.value, text(monitor.value));
      if (stated[measure.limits]) continue;
      stated[measure.limits] = true;
      const std::string name = measure.limits;
      limits += row(name + " high alarm threshold", text(monitor.high_alarm));
      limits += row(name + " low alarm threshold", text(monitor.low_alarm));
      limits += row(name + " high warning threshold", text(monitor.high_warning));
      limits += row(name + " low warning threshold", text(monitor.low_warning));
    }
  }
  return values + row("Alarm/warning flags implemented", "Yes") + limits;
}

}  // namespace

void ethtool_module(Terminal& terminal, const Netdev& netdev) {
  const Reading<ModuleFacts>& module = netdev.ethtool.module;
  std::string out;
  if (module) {
    for (const Form& form : kForms)
      if (module->form == form.form) out += row("Identifier", form.identifier);
    const bool sfp = module->form == "SFP";
    if (module->copper_length_metres) {
      const std::string metres = decimal(*module->copper_length_metres) + "m";
      if (sfp)
        out += row("Passive Cu cmplnce.", "0x01 (unknown) [SFF-8472 rev9.5 only]") + row("Length (Copper)", metres);
      else
        out += row("Transmitter technology", "0xa0 (Copper cable unequalized)") +
               row("Length (Copper or Active cable)", metres);
    } else if (!sfp) {
      out += row("Transmitter technology", "0x00 (850 nm VCSEL)");
    }
    if (module->fault) out += row("Module State", "0x05 (ModuleFault)");
    if (module->monitors)
      out += row("Optical diagnostics support", "Yes") + monitors(*module->monitors);
    else if (module->monitors.absent().why == Why::NotPresent)
      out += row("Optical diagnostics support", "No");
  } else {
    out = refusal(module.absent());
  }
  if (!out.empty()) terminal.run("ethtool -m " + netdev.link.name, out);
}

}  // namespace roceready::round_trip
