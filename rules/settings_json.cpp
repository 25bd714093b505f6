// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "rules/remembered.h"
#include "rules/settings.h"

namespace roceready::rules {

using nlohmann::json;

std::string Settings::text() const {
  json out = json::array();
  for (const auto& [key, entry] : entries_) {
    out.push_back({{"owner", key.first},
                   {"what", key.second},
                   {"subject", remembered(entry.subject)},
                   {"accepted", entry.accepted},
                   {"now", entry.now},
                   {"accepted_wall_ns", entry.accepted_wall_ns},
                   {"since", remembered(entry.since)},
                   {"since_boot", entry.since_boot},
                   {"boot", entry.boot},
                   {"after_reboot", entry.after_reboot},
                   {"faulty", entry.faulty},
                   {"qos", entry.qos}});
  }
  return as_text(out);
}

bool Settings::recall(const std::string& text) {
  constexpr std::size_t kMost = 4096;
  const json from = parsed(text);
  if (!from.is_array() || from.size() > kMost) return false;
  std::map<std::pair<std::string, std::string>, Entry> read;
  for (const json& each : from) {
    Recalled one(each);
    Entry entry;
    std::string owner = one.text("owner"), what = one.text("what");
    entry.subject = one.subject("subject");
    entry.accepted = one.text("accepted");
    entry.now = one.text("now");
    entry.accepted_wall_ns = one.integer("accepted_wall_ns", 0, std::numeric_limits<std::int64_t>::max());
    entry.since = one.instant("since");
    entry.since_boot = one.text("since_boot");
    entry.boot = one.text("boot");
    entry.after_reboot = one.flag("after_reboot");
    entry.faulty = one.flag("faulty");
    entry.qos = one.flag("qos");
    if (!one.good()) return false;
    read.insert_or_assign({std::move(owner), std::move(what)}, std::move(entry));
  }
  entries_ = std::move(read);
  return true;
}

}  // namespace roceready::rules
