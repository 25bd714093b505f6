// SPDX-License-Identifier: Apache-2.0
// ethtool -S, -I -a, -I --show-fec.
#include <algorithm>
#include <optional>

#include "collectors/vendors/vendor.h"
#include "tests/evidence/round_trip/counter_names.h"
#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {

void ethtool_statistics(Terminal& terminal, const Snapshot& snapshot, const Netdev& netdev) {
  const std::string command = "ethtool -S " + netdev.link.name;
  const auto list = statistics_of(snapshot, netdev);
  if (list.empty()) {
    const Reading<RawCounters>& raw = netdev.ethtool.statistics;
    const std::string words = raw ? "no stats available\n" : refusal(raw.absent(), "Cannot get stats information: ");
    if (!words.empty()) terminal.run(command, words);
    return;
  }
  std::string out = "NIC statistics:\n";
  for (const auto& [name, value] : list) out += "     " + name + ": " + std::to_string(value) + "\n";
  terminal.run(command, out);
}

void ethtool_pause(Terminal& terminal, const Netdev& netdev) {
  const std::string command = "ethtool -I -a " + netdev.link.name;
  const Reading<PauseFacts>& pause = netdev.ethtool.pause;
  if (!pause) {
    const std::string words = refusal(pause.absent());
    if (!words.empty()) terminal.run(command, words);
    return;
  }
  std::string out = "Pause parameters for " + netdev.link.name + ":\n";
  const auto flag = [&](const char* name, const Reading<bool>& on) {
    if (on) out += std::string(name) + (*on ? "on" : "off") + "\n";
  };
  flag("Autonegotiate:\t", pause->autoneg);
  flag("RX:\t\t", pause->rx);
  flag("TX:\t\t", pause->tx);
  if (pause->tx_frames || pause->rx_frames || pause->tx_storm_events) out += "Statistics:\n";
  const auto count = [&](const char* name, const Reading<std::uint64_t>& value) {
    if (value) out += "  " + std::string(name) + ": " + std::to_string(*value) + "\n";
  };
  count("tx_pause_frames", pause->tx_frames);
  count("rx_pause_frames", pause->rx_frames);
  count("tx_pause_storm_events", pause->tx_storm_events);
  terminal.run(command, out);
}

void ethtool_fec(Terminal& terminal, const Netdev& netdev) {
  const std::string command = "ethtool -I --show-fec " + netdev.link.name;
  const Reading<FecFacts>& fec = netdev.ethtool.fec;
  if (!fec) {
    const std::string words = refusal(fec.absent());
    if (!words.empty()) terminal.run(command, words);
    return;
  }
  std::string modes;
  if (fec->automatic.value_or(false)) modes += " Auto";
  for (const std::string& mode : fec->configured) modes += " " + mode;
  std::string out = "FEC parameters for " + netdev.link.name + ":\nSupported/Configured FEC encodings:" + modes + "\n";
  out += "Active FEC encoding: " + fec->active.value_or("None") + "\n";
  std::string totals;
  const auto count = [&](const char* name, const Reading<std::uint64_t>& value, CounterId id) {
    const CounterValue* canonical = netdev.counters.find(id);
    if (value || canonical != nullptr)
      totals += "  " + std::string(name) + ": " + std::to_string(value ? *value : canonical->raw) + "\n";
  };
  count("corrected_blocks", fec->corrected_blocks, CounterId::FecCorrectedBlocks);
  count("uncorrectable_blocks", fec->uncorrectable_blocks, CounterId::FecUncorrectableBlocks);
  count("corrected_bits", fec->corrected_bits, CounterId::FecCorrectedBits);
  if (!totals.empty()) out += "Statistics:\n" + totals;
  terminal.run(command, out);
}

}  // namespace roceready::round_trip
