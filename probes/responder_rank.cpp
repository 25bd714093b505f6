// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "probes/responder.h"

namespace roceready::probes {
namespace {

/// Bytes in front that two addresses share, no more than a usual subnet has: what is below is the host's own.
unsigned common_network_bytes(const verbs::Gid& a, const verbs::Gid& b) {
  constexpr unsigned kMapped = 96, kIpv4Network = 24, kIpv6Network = 64;
  const unsigned bits = common_bits(a, b);
  if (!verbs::is_ipv4(a)) return std::min(bits, kIpv6Network) / 8;
  return std::min(bits - std::min(bits, kMapped), kIpv4Network) / 8;
}

/// The number at the end of a name, "" for none: mlx5_3 and roce3 are likely to be one rail.
std::string_view number_at_end(std::string_view name) {
  const std::size_t letter = name.find_last_not_of("0123456789");
  return letter == std::string_view::npos ? name : name.substr(letter + 1);
}

}  // namespace

/// The ports that may answer, the best first: that on the prober's rail, then in its subnet, then in the network that
/// is most like its own, then the one of the same name, of the same number and of the same port. The bits of an
/// address below its subnet say nothing: many ports of the prober would choose one of ours.
std::vector<verbs::PortName> Responder::rank(const std::vector<Candidate>& among, const SessionRequest& request) const {
  using Likeness = std::tuple<bool, bool, unsigned, bool, bool, bool>;
  std::vector<std::pair<Likeness, verbs::PortName>> ranked;
  const Endpoint& prober = request.endpoint;
  for (const Candidate& each : among) {
    if (!request.want_device.empty() && request.want_device != each.name.device) continue;
    if (request.want_port != 0 && request.want_port != each.name.port) continue;
    const auto gid = choose_gid(each.facts, prober.gid);
    if (!gid) continue;
    const auto rail = options_.labels.rails.find(each.name.text());
    const bool same_rail = rail != options_.labels.rails.end() && !rail->second.empty() && rail->second == prober.rail;
    const bool same_subnet = gid->subnet_bits != 0 && common_bits(gid->gid, prober.gid) >= gid->subnet_bits;
    const std::string_view number = number_at_end(prober.device);
    const bool same_number = !number.empty() && number == number_at_end(each.name.device);
    ranked.emplace_back(Likeness{same_rail, same_subnet, common_network_bytes(gid->gid, prober.gid),
                                 each.name.device == prober.device, same_number, each.name.port == prober.port},
                        each.name);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<verbs::PortName> out;
  for (const auto& [likeness, name] : ranked) out.push_back(name);
  return out;
}

}  // namespace roceready::probes
