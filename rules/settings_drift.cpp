// SPDX-License-Identifier: Apache-2.0
#include "rules/settings_drift.h"

namespace roceready::rules {

bool settings_are_kept(const Evidence& seen, Outcomes& out) {
  if (seen.past() != nullptr && seen.past()->settings_kept) return true;
  out.not_looked_at("longer_window", "only a daemon knows what was set before",
                    "the running daemon's report: --daemon");
  return false;
}

std::string drift_words(const Evidence& seen, std::vector<EvidenceItem>& evidence,
                        const std::function<bool(const SettingDrift&)>& test) {
  std::string out;
  for (const SettingDrift& drift : seen.past()->drift) {
    const bool mine = drift.subject.device == seen.port().device && drift.subject.port == seen.port().port;
    if (!mine || !test(drift)) continue;
    const std::string& of = drift.subject.netdev.empty() ? drift.subject.device : drift.subject.netdev;
    out += (out.empty() ? "" : "; ") + drift.what + " of " + of + " is " + drift.now + ", it was " + drift.accepted;
    evidence.push_back(seen.word(drift.what + " of " + of, drift.now, "!=", drift.accepted,
                                 "settings that were accepted " + rfc3339(drift.accepted_wall_ns)));
  }
  return out;
}

}  // namespace roceready::rules
