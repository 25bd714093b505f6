// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/snapshot/probe.h"
#include "probes/budget.h"
#include "probes/cm/manager.h"
#include "probes/verbs/verbs.h"
#include "probes/wake.h"
#include "probes/wire.h"

namespace roceready::probes {

/// Kind of PeerProbe that these probes give: `sent` and `lost` are connections tried and failed in the last ten
/// minutes, `not_sent` those that this host could not try or that the peer's manager refused by its own word. Why none
/// is tried is the absent `error` (NotSupported: the peer or this host offers no connection manager; Denied: no
/// permission).
inline constexpr char kCmKind[] = "rdmacm";

/// A port of a peer with which a mesh has a session.
struct CmTarget {
  PeerProbe named;  ///< who probes whom: the fields that name ports, peers and labels
  verbs::Gid from{}, to{};
  std::uint64_t session = 0;
  SessionKey key{};
  std::uint16_t service = 0;  ///< on which the peer's responder listens, 0: it does not
  std::uint8_t traffic_class = 0;
  std::uint32_t budget_target = 0;  ///< Budget::ask
};

/// Makes a connection to each target now and then, as applications do with librdmacm: resolving address and route,
/// connecting, and disconnecting.
/// Threads: any; run has a few of its own, since step waits for the connection manager.
/// Cost: an attempt a minute to a target, four a second in all; one that gets no answer takes up to 11 s.
/// Limits: the budget of the mesh, of which an attempt takes four messages of 256 bytes.
class CmProber {
 public:
  static constexpr std::int64_t kIntervalNs = 60'000'000'000;  ///< between two attempts to a target
  static constexpr std::int64_t kWindowNs = 600'000'000'000;   ///< that results are about
  static constexpr std::int64_t kSpacingNs = 250'000'000;      ///< between two attempts

  /// All outlive the prober.
  CmProber(cm::Manager& manager, const verbs::Verbs& clock, Budget& budget)
      : manager_(manager), clock_(clock), budget_(budget) {}

  /// Those of before that are not among them are forgotten.
  void set_targets(std::vector<CmTarget> targets);
  /// Makes at most one attempt; false: none is due.
  bool step(const std::stop_token& stop);
  void run(const std::stop_token& stop);
  [[nodiscard]] std::vector<PeerProbe> results() const;
  /// Puts the results where they belong in the order of the facts.
  void add_to(ProbeFacts& facts) const;

 private:
  enum class Ended { Well, Failed, NotTried };
  struct Tried {
    std::int64_t at_ns = 0;
    Ended how = Ended::Well;
  };
  struct Known {
    CmTarget target;
    std::uint64_t attempts = 0;  ///< of all sessions
    std::int64_t due_ns = 0;
    std::deque<Tried> newest;
    std::uint32_t lost_in_row = 0;
    std::uint64_t total_sent = 0, total_lost = 0;
    Reading<std::string> error = Absent{Why::NotPresent, "no connection failed"};
  };
  void work(const std::stop_token& stop);
  [[nodiscard]] static bool same(const CmTarget& a, const CmTarget& b);
  [[nodiscard]] Known* next_due(std::int64_t now_ns);
  void note(const CmTarget& tried, const cm::Outcome& outcome, std::uint64_t attempt);
  [[nodiscard]] static PeerProbe told(const Known& known, std::int64_t now_ns);

  cm::Manager& manager_;
  const verbs::Verbs& clock_;
  Budget& budget_;
  mutable std::mutex lock_;  // of all below; never held while the manager works
  std::vector<Known> targets_;
  std::int64_t not_before_ns_ = 0;
  WakeUp wake_up_;
};

}  // namespace roceready::probes
