// SPDX-License-Identifier: Apache-2.0
#include "probes/subset.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace roceready::probes {
namespace {

/// Finaliser of splitmix64 [Steele, Lea, Flood 2014]: each bit of the result depends on each of the input.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// The few peers with the highest scores of those offered.
class Best {
 public:
  explicit Best(std::size_t most) : most_(most), lowest_(most == 0 ? ~std::uint64_t{0} : 0) { kept_.reserve(most); }
  void offer(std::uint64_t score, std::uint32_t index) {
    if (score > lowest_) keep(score, index);
  }
  void append_to(std::vector<std::uint32_t>& out) const {
    for (const auto& [score, index] : kept_) out.push_back(index);
  }

 private:
  void keep(std::uint64_t score, std::uint32_t index) {
    if (kept_.size() == most_) {
      std::pop_heap(kept_.begin(), kept_.end(), std::greater<>());
      kept_.pop_back();
    }
    kept_.emplace_back(score, index);
    std::push_heap(kept_.begin(), kept_.end(), std::greater<>());
    if (kept_.size() == most_) lowest_ = kept_.front().first;
  }

  std::size_t most_;
  std::uint64_t lowest_;  ///< what does not exceed it is not among the best
  std::vector<std::pair<std::uint64_t, std::uint32_t>> kept_;
};

struct Quota {
  std::size_t inside, outside;
};

/// `neighbours` of `peers` share our label.
Quota quota_of(const SubsetNode& self, std::size_t neighbours, std::size_t peers, std::size_t most) {
  const std::size_t strangers = peers - neighbours;
  const std::size_t inside = std::min(neighbours, most / 2);
  std::size_t outside = most - inside;
  const std::size_t rack = neighbours + 1;
  if (rack > strangers) {
    // A rack of n beside r others may send outside as many picks in all as `most` / 2 for each of the r.
    const std::uint64_t picks = std::uint64_t{most / 2} * strangers;
    outside = std::min<std::size_t>(outside, picks / rack + (mix(self.id) % rack < picks % rack ? 1 : 0));
  }
  return {std::min(neighbours, most - outside), outside};
}

}  // namespace

std::uint64_t subset_id(std::string_view name) {
  if (name.empty()) return 0;
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return std::max<std::uint64_t>(mix(hash), 1);
}

std::vector<std::uint32_t> choose_subset(const SubsetNode& self, std::span<const SubsetNode> peers, std::size_t most) {
  std::vector<std::uint32_t> out;
  if (peers.size() <= most) {
    for (std::uint32_t i = 0; i < peers.size(); ++i) out.push_back(i);
    return out;
  }
  const auto is_inside = [&](const SubsetNode& peer) { return self.label != 0 && peer.label == self.label; };
  const auto neighbours = self.label == 0 ? 0 : std::ranges::count_if(peers, is_inside);
  const Quota quota = quota_of(self, static_cast<std::size_t>(neighbours), peers.size(), most);
  Best inside(quota.inside), outside(quota.outside);
  const std::uint64_t own = mix(self.id);
  std::uint32_t index = 0;
  for (const SubsetNode& peer : peers) {
    const std::uint64_t score = mix(own + peer.id);
    (is_inside(peer) ? inside : outside).offer(score, index++);
  }
  inside.append_to(out);
  outside.append_to(out);
  std::ranges::sort(out);
  return out;
}

}  // namespace roceready::probes
