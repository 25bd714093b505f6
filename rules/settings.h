// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/snapshot/snapshot.h"
#include "rules/past.h"
#include "rules/report.h"

namespace roceready::rules {

/// One setting of a port in scope, or of a member of it, that somebody may change under us.
struct Setting {
  std::string owner;  ///< key of the port (outlives a rename), and the member
  Subject subject;
  std::string what;   ///< as SettingDrift::what; also "mtu", "gid_index", "firmware", "fec", "speed"
  std::string value;  ///< for a person; equal means unchanged
  bool qos = false;   ///< part of what has to be reapplied at boot
};
/// Those that could be read.
[[nodiscard]] std::vector<Setting> settings_of(const Snapshot& snapshot);

struct SettingChange {
  Subject subject;
  std::string what, from, to;
  bool after_reboot = false;
};

/// What was set when, over restarts and reboots. The first value seen is accepted. A later one is drift until it stands
/// for `accept_seconds`, or until it cures the port: static pfc, qos, ecn and roce faults stood while the accepted
/// value did and stand no more. Settings outside QoS are accepted at once: their rules judge them. What cannot be read
/// is not compared. Limits: 4096 settings.
class Settings {
 public:
  [[nodiscard]] std::vector<SettingChange> take(const Report& report, double accept_seconds);
  [[nodiscard]] std::vector<SettingDrift> drift() const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// JSON and back. Recall refuses the whole where anything makes no sense, and then nothing changes.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool recall(const std::string& text);

 private:
  struct Entry {
    Subject subject;
    std::string accepted, now;
    std::int64_t accepted_wall_ns = 0;
    Instant since;     // of `now`
    std::string boot;  // in which `now` was last seen
    std::string since_boot;
    bool after_reboot = false;
    bool faulty = false;  // the port had faults while `accepted` stood
    bool qos = false;
  };
  void see(const Setting& setting, const Report& report, const std::string& boot, bool faulty, double accept_seconds,
           std::vector<SettingChange>& out);
  std::map<std::pair<std::string, std::string>, Entry> entries_;  // owner, what
};

}  // namespace roceready::rules
