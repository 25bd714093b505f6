// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rules/report.h"

namespace roceready::rules {

/// Finding: a condition that lasts. Drift: a setting that changed. Clock: the wall clock stepped. The last two are
/// moments.
enum class IncidentKind { Finding, Drift, Clock };
[[nodiscard]] const char* name_of(IncidentKind kind);
enum class IncidentState { Active, Recovering, Ended };
[[nodiscard]] const char* name_of(IncidentState state);

/// How a condition looked at one moment.
struct IncidentView {
  std::int64_t wall_ns = 0;
  Severity severity = Severity::Warning;
  std::string seen;
  std::vector<EvidenceItem> evidence;
};

/// Something that happened, from begin to end.
struct Incident {
  std::uint64_t id = 0;  ///< unique in a state directory, grows
  IncidentKind kind = IncidentKind::Finding;
  std::string key;   ///< of the finding; "drift@mlx5_0/1 trust", "clock@node"
  std::string rule;  ///< id, "" for drift and clock
  std::string title;
  Subject subject;
  IncidentState state = IncidentState::Active;
  Instant begin;               ///< monotonic in the boot of `boot`; wall as that clock says it now
  std::string boot;            ///< boot_id_hash
  IncidentView first;          ///< when it was first published as warning or critical
  IncidentView peak;           ///< gravest: severity, then the number that the rule compares
  std::uint32_t relapses = 0;  ///< times that it came back while it was recovering
  std::optional<Instant> end;  ///< when the condition had gone; Recovering: when that was first seen
  std::string ended_by;        ///< cleared, device_gone, out_of_scope, waived, not_judged; "" while it lasts
  std::string what, from, to;  ///< of a drift: the setting and its values; of a clock step: "wall_clock", times
};

struct IncidentChange {
  enum class Kind { Begins, Changes, Ends };
  Kind kind = Kind::Begins;
  Incident incident;
};

/// Takes one report after the other and tells what began, changed and ended.
/// An info finding is no incident. A condition that recovers and comes back within its hold-down is one incident. What
/// cannot be judged neither ends nor begins. Limits: 1024 open ones; a further one is counted, not followed.
class Incidents {
 public:
  [[nodiscard]] std::vector<IncidentChange> take(const Report& report);
  /// A setting that changed, as an incident of one moment.
  [[nodiscard]] Incident drift(const Report& report, const Subject& subject, const std::string& what,
                               const std::string& from, const std::string& to);
  /// Goes on where an earlier process ended: what was kept, the last id given, the last moment seen and its boot.
  void resume(const std::vector<Incident>& kept, std::uint64_t last_id, const std::optional<Instant>& last,
              const std::string& boot);

  [[nodiscard]] const std::map<std::string, Incident>& open() const { return open_; }
  [[nodiscard]] std::uint64_t last_id() const { return last_id_; }
  [[nodiscard]] std::uint64_t not_followed() const { return not_followed_; }

 private:
  void note_clock(const Report& report, const std::string& boot, std::vector<IncidentChange>& out);
  void see(const Finding& finding, const Report& report, const std::string& boot, std::vector<IncidentChange>& out);
  [[nodiscard]] std::optional<std::string> why_over(const Incident& incident, const Report& report) const;
  Incident moment(IncidentKind kind, const Instant& at, const std::string& boot);

  std::map<std::string, Incident> open_;           // by key
  std::map<std::string, std::int64_t> last_ends_;  // by key, monotonic: no two of one key overlap
  std::map<std::string, bool> unconfirmed_;        // taken over, not judged since
  std::uint64_t last_id_ = 0, not_followed_ = 0;
  std::optional<Instant> last_;
  std::string boot_;
};

/// JSON and back; nothing where it makes no sense.
[[nodiscard]] std::string incident_text(const Incident& incident);
[[nodiscard]] std::optional<Incident> incident_from(const std::string& text);

}  // namespace roceready::rules
