// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/counter_names.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "collectors/vendors/vendor.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

std::unordered_map<std::string_view, CounterSet> make_sets() {
  std::unordered_map<std::string_view, CounterSet> out;
  for (const VendorTable* table : vendor_tables()) {
    for (const CounterRow& row : table->rows) {
      if (row.source == Source::RdmaPortCounters) out[row.name] = CounterSet::Port;
      if (row.source == Source::RdmaHwCounters) out.try_emplace(row.name, CounterSet::Hardware);
    }
  }
  return out;
}

}  // namespace

CounterSet counter_set_of(std::string_view name) {
  static const std::unordered_map<std::string_view, CounterSet> kSets = make_sets();
  const auto at = kSets.find(name);
  return at == kSets.end() ? CounterSet::Unknown : at->second;
}

bool is_counter_name(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || name.size() > kLongest || !is_letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
}

bool keep_counter(Draft& draft, const About& about, CounterSet set, std::string_view name, std::string_view value,
                  const Section& section, std::uint32_t line) {
  if (name == "lifespan") return true;  // a setting of the driver, milliseconds
  RdmaPort& port = named_port(draft, about.device, about.port);
  const auto number = parse_count(trim(value));
  if (number && set == CounterSet::Port) {
    draft.port_counter(about.device, about.port, std::string(name), *number, section, line);
  } else if (number) {
    draft.hw_counter(about.device, about.port, std::string(name), *number, section, line);
  } else if (value.starts_with("N/A")) {
    Reading<RawCounters>& absent = set == CounterSet::Port ? port.port_counters : port.hw_counters;
    absent = Absent{Why::NotSupported, std::string(name) + " is \"" + std::string(value) + "\""};
  } else {
    return false;
  }
  return true;
}

}  // namespace roceready::evidence
