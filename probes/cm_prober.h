// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/snapshot/probe.h"
#include "probes/budget.h"
#include "probes/cm/manager.h"
#include "probes/verbs/verbs.h"
#include "probes/wire.h"

namespace roceready::probes {

/// Kind of PeerProbe that these probes give: `sent` and `lost` are connections tried and failed in the last ten
/// minutes, or in the time of four tries where those are further apart; `not_sent` those that this host could not try,
/// that the peer refused by its own word, and that failed while datagrams were lost as well or with a session that was
/// replaced meanwhile. `lost_in_row` are failures of one time in which datagrams were answered, each
/// CmProber::kIntervalNs or more after the one before. `discarded` are the newest tries since a connection was made,
/// whatever became of them. Why none is tried is the absent `error` (NotSupported: the peer or this host offers no
/// connection manager; Denied: no permission).
inline constexpr char kCmKind[] = "rdmacm";

/// A port of a peer with which a mesh has, or had, a session of datagrams.
struct CmTarget {
  PeerProbe named;  ///< who probes whom: the fields that name ports, peers and labels
  verbs::Gid from{}, to{};
  std::uint64_t session = 0;
  SessionKey key{};
  std::uint16_t service = 0;  ///< on which the peer's responder listens, 0: it does not
  std::uint8_t traffic_class = 0;
  std::uint32_t budget_target = 0;  ///< Budget::ask

  std::weak_ptr<verbs::Port> port;  ///< from which it is probed
  verbs::KernelPort through;        ///< the same
  std::stop_token closing;          ///< asked for: that port is to be let go at once

  /// The session is there, our port is up, and datagrams are answered.
  bool carries = false;
  std::uint64_t datagrams_lost = 0, datagrams_answered = 0;  ///< of those to it since the mesh began
  std::int64_t known_until_ns = 0;                           ///< what became of each that was sent before is known
};

/// Makes a connection to each target now and then, as applications do: resolving address and route, connecting, and
/// disconnecting. What fails is judged some seconds later, by what became of the datagrams of that time: what failed
/// while many of them, or two in a row, were lost says nothing of the connection manager; nor does what failed with a
/// session that is another by then, since the peer may have forgotten it. Once datagrams are not answered any more, or
/// the address is another, failures are counted anew.
/// Threads: any; set_targets and keep_workers from one. From the first target that takes connections on it has workers
/// that wait for the connection manager, and a keeper that only lets queue pairs go, so that no port waits for a peer.
/// Cost: an attempt to a target each 45 s, or each 3 minutes once three failed in a row; less often where there are so
/// many that four a second in all are not enough, or that all workers wait for answers. One that gets none takes up to
/// 15 s. Each has a queue pair of its own until it is over and 5 s longer.
/// Limits: the budget of the mesh, of which an attempt takes four messages of 256 bytes.
class CmProber {
 public:
  static constexpr std::int64_t kIntervalNs = 45'000'000'000;  ///< between two attempts to a target, at least
  static constexpr std::int64_t kRetryNs = 180'000'000'000;    ///< the same, once kOften failed in a row
  static constexpr std::uint32_t kOften = 3;
  static constexpr std::int64_t kWindowNs = 600'000'000'000;   ///< that results are about, at least
  static constexpr std::int64_t kSpacingNs = 250'000'000;      ///< between two attempts
  static constexpr std::int64_t kKeptAfterNs = 5'000'000'000;  ///< a queue pair, when its connection is over

  /// All outlive the prober.
  CmProber(cm::Manager& manager, const verbs::Verbs& clock, Budget& budget)
      : manager_(manager), clock_(clock), budget_(budget) {}
  ~CmProber();

  /// Those of before that are not among them are forgotten.
  void set_targets(std::vector<CmTarget> targets);
  /// Has as many workers as the targets need, at most 16; those that there are stay until the end. Never waits.
  void keep_workers();
  /// Asks all threads to end; the destructor waits for them.
  void request_stop();
  /// Makes at most one attempt; false: none is due.
  bool step(const std::stop_token& stop);
  [[nodiscard]] std::size_t workers() const { return workers_.size(); }
  /// Queue pairs that it has at the moment, besides those of attempts under way.
  [[nodiscard]] std::size_t queue_pairs_kept() const;
  [[nodiscard]] std::vector<PeerProbe> results() const;
  /// Puts the results where they belong in the order of the facts.
  void add_to(ProbeFacts& facts) const;

 private:
  enum class Ended { Well, Failed, NotTried };
  struct Tried {
    std::int64_t at_ns = 0;
    Ended how = Ended::Well;
  };
  /// A failure that waits for what became of the datagrams.
  struct Doubtful {
    std::int64_t ended_ns = 0;
    std::uint64_t session = 0;                                 ///< with which it was tried
    std::uint64_t datagrams_lost = 0, datagrams_answered = 0;  ///< before it began
    std::string why;
  };
  struct Known {
    CmTarget target;
    std::optional<std::int64_t> begun_ns;  ///< the newest attempt
    std::int64_t able_ns = 0;              ///< since when it may be tried, as far as is known
    std::int64_t apart_ns = 0;             ///< between the two newest attempts, but for times when it might not
    std::deque<Tried> newest;
    std::optional<Doubtful> doubtful;
    std::uint32_t lost_in_row = 0;
    std::uint64_t since_well = 0;  ///< attempts that ended since one went well
    std::uint64_t total_sent = 0, total_lost = 0;
    Reading<std::string> error = Absent{Why::NotPresent, "no connection failed"};

    [[nodiscard]] bool may_be_tried() const { return target.service != 0 && target.carries; }
    [[nodiscard]] std::int64_t pause_ns() const { return lost_in_row < kOften ? kIntervalNs : kRetryNs; }
    [[nodiscard]] std::int64_t due_ns() const;
    [[nodiscard]] std::int64_t window_ns() const;
    void begin(std::int64_t now_ns);
    void conclude(Ended how, std::int64_t now_ns, Reading<std::string> why);
    void refuse(const std::string& why, std::int64_t now_ns);
    void judge(std::int64_t now_ns);
  };
  /// What an attempt needs of our port. Goes in reverse.
  struct Owned {
    std::shared_ptr<verbs::Port> port;
    std::unique_ptr<verbs::Rc> queue_pair;
    std::stop_token closing;
    std::int64_t until_ns = 0;
  };
  struct Attempt {
    CmTarget target;
    std::uint64_t number = 0;
  };

  void work(const std::stop_token& stop);
  void keep(const std::stop_token& stop);
  void book(std::int64_t& cpu_ns);
  void rest(const std::stop_token& stop);
  [[nodiscard]] static bool same(const CmTarget& a, const CmTarget& b);
  [[nodiscard]] Known* find(const CmTarget& target);
  [[nodiscard]] Known* next_due(std::int64_t now_ns);
  [[nodiscard]] std::optional<Attempt> begin();
  [[nodiscard]] cm::Outcome make(const Attempt& attempt, const std::stop_token& stop);
  void note(const Attempt& attempt, const cm::Outcome& outcome);
  void let_go(std::int64_t now_ns);
  [[nodiscard]] static PeerProbe told(const Known& known, std::int64_t now_ns);

  cm::Manager& manager_;
  const verbs::Verbs& clock_;
  Budget& budget_;
  mutable std::mutex lock_;  // of all below but the workers; never held while the manager or a driver works
  std::condition_variable_any woken_;
  std::vector<Known> targets_;
  std::vector<Owned> kept_;
  std::uint64_t attempts_ = 0;  // of all targets: rises within each session
  std::int64_t not_before_ns_ = 0;
  std::stop_source ends_;  // one for all time, so that any thread may use it
  std::jthread keeper_;
  std::vector<std::jthread> workers_;
};

}  // namespace roceready::probes
