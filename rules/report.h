// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/reading.h"
#include "core/base/subject.h"
#include "core/base/time.h"
#include "core/snapshot/snapshot.h"
#include "rules/profile_changes.h"

namespace roceready::rules {

struct Rule;

enum class Severity { Info, Warning, Critical };
[[nodiscard]] const char* name_of(Severity severity);

/// Port or node, in the order in which the worst wins for a node: not_ready > unknown > degraded > initializing >
/// ready; not_applicable stands aside.
enum class Verdict { NotApplicable, Ready, Initializing, Degraded, Unknown, NotReady };
[[nodiscard]] const char* name_of(Verdict verdict);

/// One number or word that a finding rests on.
struct EvidenceItem {
  std::string what;  ///< "pfc_rx_pause_duration share of time"
  std::variant<double, std::string> value;
  std::string unit;               ///< "share", "events/s", "bytes", "" for words
  std::optional<std::string> op;  ///< how value stands to limit when the rule fires: ">=", "<", "!="
  std::optional<std::variant<double, std::string>> limit;
  std::string source;  ///< where it was read: "ethtool -S eth0", "DCB netlink eth0"
  std::int64_t at_wall_ns = 0;
};

struct FixCommand {
  std::string vendor;       ///< "nvidia", "generic"…
  std::string command;      ///< ready to type, names filled in
  bool persistent = false;  ///< survives a reboot
  std::string note;
};

enum class FindingState { Active, Recovering };

/// Time on the monotonic clock without a minute's rest.
struct Stretch {
  std::int64_t began_ns = 0, ended_ns = 0;
};

struct Finding {
  std::string key;  ///< id@subject key, stable
  const Rule* rule = nullptr;
  Severity severity = Severity::Info;
  double confidence = 1.0;
  FindingState state = FindingState::Active;
  std::int64_t since_wall_ns = 0;
  double age_seconds = 0;  ///< on the monotonic clock; 0 in a one-shot, which does not know
  /// When what it counts grew in the last ten minutes, newest first, to some ten seconds. Empty: nothing tells.
  std::vector<Stretch> grew;
  Subject subject;
  std::string seen;  ///< a sentence with the numbers
  std::string next;  ///< what to do or to look at next: the rule's own words, or what the evidence at hand leaves
                     ///< (docs/causes.md)
  std::vector<EvidenceItem> evidence;
  std::vector<FixCommand> fix;
  std::vector<std::string> cause_of, symptom_of;  ///< keys of findings
  bool derived_threshold = false;                 ///< rests on a limit that is our own reasoning (rules.md 7.7)
};

/// Why a rule could not be judged on a subject (unknown), or was outside what was looked at.
struct Gap {
  std::string rule;  ///< id, "" where it is about no rule
  Subject subject;
  std::string why;  ///< name_of(Why), or "no_profile", "not_configured", "longer_window", "never_shown", "planned",
                    ///< "on_demand"
  std::string detail;
  std::string settle_with;  ///< what would settle it
};

struct Coverage {
  double ratio = 0;  ///< weight of judged ÷ weight of judged and unknown; 0 when nothing applies
  std::uint32_t judged = 0, unknown = 0, not_applicable = 0;  ///< number of rules on subjects
};

/// 100 − Σ points = score.
struct Penalty {
  std::string finding;  ///< key; several where it is a cap
  std::string domain;   ///< link, pcie, …, or "cap"
  double points = 0;
  std::string note;
};

struct PortReport {
  std::string key;
  std::string device;
  std::uint32_t port = 0;
  bool in_scope = false;
  std::string why_not;
  std::string profile;  ///< name, "" when none is stated
  Verdict verdict = Verdict::NotApplicable;
  std::optional<double> score;
  std::optional<double> score_without_waivers;  ///< nothing where nothing is waived, or there is no score
  Coverage coverage;
  std::vector<Penalty> penalties;
  std::map<std::string, Reading<double>> rates;  ///< "rx_bits_per_second", "tx_pause_share_priority_3"…
};

enum class ProfileOrigin { Named, Inferred, Kept, None };
[[nodiscard]] const char* name_of(ProfileOrigin origin);

struct ProfileUse {
  std::string name;  ///< "" when none
  ProfileOrigin origin = ProfileOrigin::None;
  std::optional<std::int64_t> since_wall_ns;
  double confidence = 0;
  std::string why;
  std::vector<ChangedProfileValue> changed;  ///< values that differ from the profile as documented
  std::vector<std::string> modifiers;
  std::string role;                                      ///< "" for none
  std::map<std::string, std::string> guess_overrides{};  ///< Inferred, Kept: what was seen to differ from the profile
};

/// A finding that the operator accepts for a time. It is not among the findings.
struct WaivedFinding {
  Finding finding;
  std::string reason;
  std::int64_t expires_wall_ns = 0;
};

/// A mandatory check that could not be read and that somebody vouches for.
struct Attested {
  std::string rule;
  Subject subject;
  std::string detail;  ///< why it could not be read
  std::string by, reason;
  std::int64_t expires_wall_ns = 0;
  double confidence = 0.7;
};

struct ChangedLimit {
  std::string option;  ///< "rules.pfc-storm-rx.storm_share"
  double value = 0, default_value = 0;
};

/// How files that somebody sent were understood, for a report whose source is evidence.
struct FilesRead {
  std::uint64_t files = 0, lines_read = 0, lines_unread = 0;
  std::vector<std::string> formats;      ///< outputs that were recognised: "ethtool -S"
  std::vector<std::string> assumptions;  ///< sentences: what no file says and was taken for granted
  std::vector<std::string> skipped;      ///< "FILE: why"
  std::vector<std::string> unread;       ///< "FILE:LINE: text"; at most some thousand
  std::vector<std::string> ask_for;      ///< commands whose output would settle what is unknown, the best first
};

/// The judgement of one node at one moment. Everything that is shown is a view of it. Immutable once published.
struct Report {
  std::string source_kind = "live", source_detail;  ///< live, recorded, evidence
  std::optional<FilesRead> files_read;              ///< of evidence
  Instant at;
  ProfileUse profile;
  Verdict verdict = Verdict::NotApplicable;
  std::optional<double> score;
  std::optional<double> score_without_waivers;  ///< nothing where nothing is waived, or there is no score
  Coverage coverage;
  std::string summary;
  std::vector<std::string> causes;  ///< keys of root findings, first to fix first
  std::vector<Finding> findings;    ///< all, same order: roots, then symptoms, then info
  std::vector<PortReport> ports;
  std::vector<Penalty> penalties;  ///< of the node
  std::vector<Gap> unknown, not_looked_at, waived;
  std::vector<WaivedFinding> waived_findings;  ///< `waived` tells the same, in this order, and expired waivers behind
  std::vector<Attested> attested;
  std::vector<ChangedLimit> limits_changed;
  SnapshotPtr snapshot;       ///< facts that the views show beside the judgement
  double window_seconds = 0;  ///< how long was observed
  bool one_shot = true;
  double kernel_seconds = 0;  ///< time spent in kernel calls for the newest snapshot
  [[nodiscard]] const Finding* finding(const std::string& key) const;
};

using ReportPtr = std::shared_ptr<const Report>;

}  // namespace roceready::rules
