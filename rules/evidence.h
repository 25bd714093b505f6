// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/reading.h"
#include "core/base/subject.h"
#include "core/history/history.h"
#include "core/snapshot/snapshot.h"
#include "rules/few.h"
#include "rules/past.h"
#include "rules/profile.h"
#include "rules/report.h"

namespace roceready::rules {

struct Rule;

/// What the configuration demands of the host beyond the profile.
struct HostDemands {
  /// "MATCH VERSION": MATCH is a driver ("mlx5_core"), a PSID ("MT_0000000838") or a PCI id ("15b3:1021").
  std::vector<std::string> firmware_min, firmware_bad;
  std::int64_t gid_index = -1;  ///< that the RDMA programs are told to use; -1: they choose
  bool operator==(const HostDemands&) const = default;
};

/// Result of a rule on one subject.
/// Attested: could not be read, and somebody vouches for it in the configuration; no rule says so itself.
enum class Outcome { Pass, Fail, Unknown, NotApplicable, NotLookedAt, Attested };

struct Judgement {
  Outcome outcome = Outcome::Unknown;
  Subject subject;
  Severity severity = Severity::Info;  // Fail
  double confidence = 1.0;             // Fail
  std::string sentence;                // Fail: what was seen. Else: the reason
  std::string why;                     // Unknown, NotLookedAt: see Gap::why
  std::string settle_with;
  std::vector<EvidenceItem> evidence;
  bool derived_threshold = false;
};

/// What a rule writes. One entry a subject.
class Outcomes {
 public:
  explicit Outcomes(Subject subject) : own_(std::move(subject)) {}
  Outcomes(const Outcomes&) = delete;
  Outcomes& operator=(const Outcomes&) = delete;
  ~Outcomes() = default;
  /// Empty, for the next question. `subject` must outlive it.
  void begin_anew(const Subject& subject) {
    subject_ = &subject;
    entries_.clear();
  }

  void pass(std::optional<std::uint8_t> priority = {});
  /// A failure: its sentence and the numbers it rests on. The returned entry may be refined (confidence…).
  Judgement& fail(Severity severity, std::string sentence, std::vector<EvidenceItem> evidence,
                  std::optional<std::uint8_t> priority = {});
  /// Should have been seen and could not be.
  void unknown(const Absent& absent, std::optional<std::uint8_t> priority = {});
  void not_applicable(std::string reason, std::optional<std::uint8_t> priority = {});
  /// Deliberately or necessarily not looked at; outside coverage. `why` as Gap::why.
  void not_looked_at(std::string why, std::string detail, std::string settle_with,
                     std::optional<std::uint8_t> priority = {});

  [[nodiscard]] std::vector<Judgement>& entries() { return entries_; }

 private:
  Judgement& add(Outcome outcome, std::optional<std::uint8_t> priority);
  Subject own_;
  const Subject* subject_ = &own_;
  std::vector<Judgement> entries_;
};

inline constexpr std::size_t kMostWindows = 5;

/// Growth of a counter in successive windows that end now.
struct Windows {
  double length_seconds = 60;
  /// Newest first; complete: all but a tenth, or one read's period, was observed.
  Few<Increase, kMostWindows> complete;
  Increase latest;  ///< newest window, however much of it was observed
  /// Seconds before now at which complete[i] ended; windows with a gap are left out.
  Few<double, kMostWindows> ago{};
};

/// How long a condition on windows has held.
enum class Held { Never, Once, Sustained };

/// What is counted at one side of a port: by the driver of a member, or by the RDMA device.
struct CountedSide {
  CountedSide() = default;
  CountedSide(const History& history, const std::string& owner, const CounterReadings& counters);
  /// As CounterReadings::find, without a search: rules ask for a great many counters in every sample.
  [[nodiscard]] const CounterValue* find(CounterId id, std::uint8_t lane) const;
  const CounterReadings* readings = nullptr;
  const HistoryOwner* past = nullptr;  ///< null: it was never seen
  std::bitset<kCounterIds> shows;      ///< what the driver can show

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  std::array<std::uint16_t, kCounterIds> first_{};  // place of the first value of a counter
};
/// PCI function of each netdev, null where there is none in the snapshot.
[[nodiscard]] std::vector<const PciFunction*> functions_of_netdevs(const Snapshot& now);
/// PCI function of a member, else of its port; null where there is none in the snapshot.
[[nodiscard]] const PciFunction* function_of(const Snapshot& now, const RdmaPort* port, const Netdev* member);

/// Everything that a rule may look at: facts of the newest snapshot, growth of counters, the profile, its own limits.
/// No clock, no file, no log, no other rule's result.
class Evidence {
 public:
  struct Context {
    const History* history = nullptr;
    const Snapshot* now = nullptr;
    const RdmaPort* port = nullptr;    // null for node rules
    const Netdev* member = nullptr;    // null for node and port rules
    const Profile* profile = nullptr;  // null: none is stated
    const Rule* rule = nullptr;
    const std::map<std::string, double>* limits = nullptr;  // changed limits by "rules.<id>.<name>"
    bool one_shot = true;
    const std::vector<std::string>* rdma_units = nullptr;  // never null where a rule asks for it
    const Past* past = nullptr;                            // null: nothing is kept
    const HostDemands* demands = nullptr;
    // The same for all rules of a port or member; null: looked up for this one.
    const CountedSide* member_side = nullptr;
    const CountedSide* port_side = nullptr;
    std::optional<const PciFunction*> function{};                // see pci()
    const std::vector<const PciFunction*>* functions = nullptr;  // of each netdev of `now`; null: looked up
  };
  explicit Evidence(const Context& context);
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;
  ~Evidence() = default;

  [[nodiscard]] const Snapshot& now() const { return *context_.now; }
  [[nodiscard]] const RdmaPort& port() const { return *context_.port; }
  [[nodiscard]] const Netdev& member() const { return *context_.member; }
  [[nodiscard]] bool has_member() const { return context_.member != nullptr; }
  [[nodiscard]] const Profile* profile() const { return context_.profile; }
  [[nodiscard]] const History& history() const { return *context_.history; }
  [[nodiscard]] const Rule& rule() const { return *context_.rule; }
  [[nodiscard]] bool one_shot() const { return context_.one_shot; }
  /// Units that run RDMA programs, as configured: "slurmd". Empty: any.
  [[nodiscard]] const std::vector<std::string>& rdma_units() const { return *context_.rdma_units; }
  /// What a daemon kept; null where nothing is.
  [[nodiscard]] const Past* past() const { return context_.past; }
  [[nodiscard]] const HostDemands& demands() const;
  [[nodiscard]] double observed_seconds() const;
  /// For how long of the last `seconds` the growth of what this rule reads first was observed.
  [[nodiscard]] double observed_of(double seconds, std::optional<std::uint8_t> priority) const;
  /// Value of this rule's limit, the user's where it was changed.
  [[nodiscard]] double limit(std::string_view name) const;
  /// Whether the user set the limit, be it to what is the default.
  [[nodiscard]] bool limit_is_set(std::string_view name) const;
  /// True while the user left the limit alone and its default is our own reasoning.
  [[nodiscard]] bool limit_is_derived(std::string_view name) const;
  /// Name of the NIC's vendor as recipes use it: "nvidia", "broadcom", "intel", "amd", "generic".
  [[nodiscard]] std::string vendor() const;
  /// PCI function of the member, else of the port; null where there is none in the snapshot.
  [[nodiscard]] const PciFunction* pci() const;
  /// PCI function of now().netdevs[at]; null where there is none in the snapshot.
  [[nodiscard]] const PciFunction* pci_of_netdev(std::size_t at) const;
  /// The PCI bridge above a function, null at the root complex.
  [[nodiscard]] const PciFunction* bridge_above(const PciFunction& function) const;
  /// Whole-link speed of the member; absent as in the snapshot.
  [[nodiscard]] Reading<std::uint64_t> link_speed() const;

  /// True when neither the member's nor the port's driver can ever show this counter (a fact of their vendor tables).
  [[nodiscard]] bool never_shown(CounterId id) const;
  /// Newest reading, base units. `lane` is a priority for per-priority counters.
  [[nodiscard]] Reading<double> counter(CounterId id, std::uint8_t lane = kNoLane) const;
  /// Growth in the window of `seconds` that ended `ago` seconds before now.
  [[nodiscard]] Reading<Increase> increase(CounterId id, double seconds, std::uint8_t lane = kNoLane,
                                           double ago = 0) const;
  /// The same where the reason does not matter. Most counters stand still and many are hidden: it costs little.
  [[nodiscard]] std::optional<Increase> growth(CounterId id, double seconds, std::uint8_t lane = kNoLane,
                                               double ago = 0) const;
  /// Whether the counter has a value now.
  [[nodiscard]] bool is_shown(CounterId id, std::uint8_t lane = kNoLane) const;
  /// Of at most kMostWindows successive windows.
  [[nodiscard]] Reading<Windows> windows(CounterId id, double seconds, std::size_t count,
                                         std::uint8_t lane = kNoLane) const;
  /// Between the two newest reads of this counter; 0 before the second.
  [[nodiscard]] double read_period_seconds(CounterId id) const;
  /// Growth of each of the newest samples, newest first.
  [[nodiscard]] std::vector<Increase> samples(CounterId id, std::size_t count, std::uint8_t lane = kNoLane) const;
  /// Downward link transitions of the member in the last `seconds` that no admin change, driver reload or counter reset
  /// within 120 s explains.
  [[nodiscard]] std::vector<HistoryEvent> events(HistoryEvent::Kind kind, double seconds) const;

  /// `seen.item(...)`: evidence with its source and time filled in.
  [[nodiscard]] EvidenceItem item(std::string what, double value, std::string unit, std::string source) const;
  [[nodiscard]] EvidenceItem item(std::string what, double value, std::string unit, std::string op, double limit,
                                  std::string source) const;
  [[nodiscard]] EvidenceItem word(std::string what, std::string value, std::string source) const;
  [[nodiscard]] EvidenceItem word(std::string what, std::string value, std::string op, std::string limit,
                                  std::string source) const;
  /// Where a counter came from, for a person: "ethtool -S eth0", "rdma statistic mlx5_0/1".
  [[nodiscard]] std::string source_of(CounterId id) const;

 private:
  [[nodiscard]] const double* set_limit(std::string_view name) const;
  /// The member's or the port's: whichever driver counts this one; null where none does.
  [[nodiscard]] const CountedSide* side_of(CounterId id) const;
  [[nodiscard]] std::string owner_of_counter(CounterId id) const;
  /// Why a counter has no value now.
  [[nodiscard]] Absent why_not(const CountedSide* side, CounterId id, std::uint8_t lane) const;
  Context context_;
  std::optional<CountedSide> own_member_, own_port_;
};

/// "3 of the last 5 windows": Sustained when at least `needed` of the complete windows satisfy the test, Once when the
/// newest (complete or not) does, else Never.
[[nodiscard]] Held held(const Windows& windows, const std::function<bool(const Increase&)>& test,
                        std::size_t needed = 3);

/// Priorities that the profile wants lossless, in order.
[[nodiscard]] std::vector<std::uint8_t> lossless_priorities(const Profile& profile);

/// Ready sentences for rate rules on one counter that could not be judged: NotLookedAt where the driver can never show
/// it, Unknown else. Returns false when it wrote something.
bool readable(const Evidence& seen, Outcomes& out, CounterId id, const Reading<Windows>& windows,
              std::optional<std::uint8_t> priority = {});
/// Ends a rule on a fact of a driver that is absent: not looked at where it can never show it (its table says so and
/// the collector left NotSupported), else unknown. `what` as in "its PFC priorities".
void cannot_read(Outcomes& out, const Absent& absent, const std::string& what);
/// Ends a rate rule whose condition does not hold: pass when enough was observed, else "longer_window".
void quiet(const Evidence& seen, Outcomes& out, double needed_seconds, std::optional<std::uint8_t> priority = {});

}  // namespace roceready::rules
