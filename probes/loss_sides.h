// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace roceready::probes {

/// Losses of small probes by where they happened.
struct LostSides {
  std::uint32_t there = 0;  ///< on the way to the peer
  std::uint32_t back = 0;   ///< the probe arrived, its replies did not
};

/// Where the probes of a session were lost, from the responder's count of probes that arrived: between two answers it
/// rises by one for the newer of them and for each probe that was lost on its way back.
///
///   sequence   7 answered   8 lost   9 lost   10 answered
///   arrived    7                              9            → one of the two arrived: one there, one back
///
/// Probes are looked at in the order of their sequence, each when none before it is open any more. Threads: one.
/// Memory: 24 bytes for each probe that ended before an older one, 16 for each of the newest 128 losses.
class LossSides {
 public:
  enum class End { Answered, Lost, NotSent };
  /// The probe of `sequence` has ended; `small`: losses of it are counted. `arrived`: of Answered, where the responder
  /// counts. `first_open`: the lowest sequence that has not ended. What became known by it.
  [[nodiscard]] LostSides ended(std::uint64_t sequence, End end, bool small, std::optional<std::uint32_t> arrived,
                                std::uint64_t first_open);
  /// A probe that ended as lost was answered after all: it was lost nowhere. What had been made known of it, wrongly.
  [[nodiscard]] LostSides came_late(std::uint64_t sequence, std::optional<std::uint32_t> arrived);

 private:
  struct Fate {
    std::uint64_t sequence = 0;
    End end = End::Lost;
    bool small = true;
    std::optional<std::uint32_t> arrived;
  };
  enum class Side { Open, There, Back, Unknown };
  struct Loss {
    std::uint64_t sequence = 0;
    bool small = true;
    Side side = Side::Open;
  };
  [[nodiscard]] LostSides take(const Fate& fate);
  void settle(Side side);
  std::deque<Fate> fates_;                   // by sequence
  std::uint32_t arrived_ = 0;                // as the newest answer had it
  std::uint32_t small_lost_ = 0, lost_ = 0;  // since then
  std::deque<Loss> losses_;                  // the newest, by sequence
};

}  // namespace roceready::probes
