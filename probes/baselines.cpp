// SPDX-License-Identifier: Apache-2.0
#include "probes/baselines.h"

#include <algorithm>

namespace roceready::probes {
namespace {

template <class T>
std::optional<T> known(const Reading<T>& reading) {
  return reading ? std::optional<T>(*reading) : std::nullopt;
}

template <class T>
bool agree(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || *a == *b;
}

bool agree(const PortTerms& a, const PortTerms& b) {
  return agree(a.speed_bits_per_second, b.speed_bits_per_second) && agree(a.active_mtu, b.active_mtu) &&
         agree(a.firmware, b.firmware);
}

void complete(PortTerms& now, const PortTerms& before) {
  if (!now.speed_bits_per_second) now.speed_bits_per_second = before.speed_bits_per_second;
  if (!now.active_mtu) now.active_mtu = before.active_mtu;
  if (!now.firmware) now.firmware = before.firmware;
}

}  // namespace

PortTerms port_terms(const NodeDigest& node, const std::string& device, std::uint32_t port) {
  const auto found = std::ranges::find_if(
      node.ports, [&](const PortDigest& each) { return each.device == device && each.port == port; });
  if (found == node.ports.end()) return {};
  return {known(found->speed_bits_per_second), known(found->active_mtu), known(found->firmware)};
}

bool holds_for(const BaselineTerms& kept, const BaselineTerms& now) {
  BaselineTerms same = kept;
  same.own = now.own;
  same.peer = now.peer;
  return same == now && agree(kept.own, now.own) && agree(kept.peer, now.peer);
}

BaselineTerms completed(BaselineTerms now, const BaselineTerms& before) {
  complete(now.own, before.own);
  complete(now.peer, before.peer);
  return now;
}

std::int64_t LinkBaseline::learned_ns() const {
  std::int64_t newest = kNeverLearnedNs;
  for (const auto& each : learned)
    if (each) newest = std::max(newest, each->learned_ns);
  return newest;
}

}  // namespace roceready::probes
