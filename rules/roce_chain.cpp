// SPDX-License-Identifier: Apache-2.0
#include "rules/roce_chain.h"

#include <array>
#include <map>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Where packets of one ToS byte end up, and what put them there.
struct Place {
  std::uint8_t priority = 0;
  std::string by;
  Recipe cure = Recipe::None;  // where it is the wrong priority
};

/// Priority of a socket with this ToS (kernel: rt_tos2priority), from which a VLAN's egress map starts.
std::uint32_t kernel_priority(std::uint32_t tos) {
  constexpr std::array<std::uint8_t, 16> kByTos{0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4};
  return kByTos[tos >> 1 & 0xfU];
}

/// The tag that a VLAN gives to packets of this ToS; without a ToS RoCE's priority where that of any ToS gives it.
std::uint32_t tag_of(const std::map<std::string, std::uint32_t>& map, std::optional<std::uint32_t> tos,
                     std::uint32_t roce) {
  for (const std::uint32_t any : {0U, 8U, 16U, 24U}) {
    const auto entry = map.find(std::to_string(kernel_priority(any)));
    if (!tos && entry != map.end() && entry->second == roce) return roce;
  }
  const auto found = map.find(std::to_string(kernel_priority(tos.value_or(0))));
  return found == map.end() ? 0 : found->second;
}

/// With trust in the VLAN tag: the tag that each address's netdev gives, none meaning priority 0.
std::vector<Place> places_by_tag(const Evidence& seen, std::optional<std::uint32_t> tos) {
  std::vector<Place> out;
  const std::string& design = seen.profile()->trust;
  const Recipe of_untagged = design == "pcp" ? Recipe::EgressMap : Recipe::Trust;
  const Recipe of_tagged = design == "dscp" ? Recipe::Trust : Recipe::EgressMap;
  std::vector<std::string> names = seen.port().uppers;
  names.insert(names.end(), seen.port().members.begin(), seen.port().members.end());
  for (const std::string& name : names) {
    const Netdev* netdev = seen.now().netdev(name);
    if (netdev == nullptr) continue;
    bool routable = false;
    for (const IpAddress& address : netdev->link.addresses) routable = routable || address.is_routable();
    if (!routable) continue;
    if (netdev->link.kind != "vlan") {
      out.push_back({0, "the NIC trusts the VLAN tag and " + name + " sends none", of_untagged});
    } else if (netdev->link.vlan) {
      const std::uint32_t tag = tag_of(netdev->link.vlan->egress_qos, tos, seen.profile()->roce_priority);
      out.push_back({static_cast<std::uint8_t>(tag % kPriorities), "the VLAN tag that " + name + " sends", of_tagged});
    }
  }
  return out;
}

/// By the NIC's DSCP map: no matter of the map where the ToS is not RoCE's, or where the design has tags.
Place place_by_dscp(const Evidence& seen, std::uint32_t dscp, std::uint32_t priority) {
  const Profile& profile = *seen.profile();
  const bool of_design = dscp == profile.roce_dscp || (profile.has_second_class() && dscp == *profile.second_dscp);
  const Recipe cure = profile.trust == "pcp" ? Recipe::Trust : !of_design ? Recipe::Tos : Recipe::DscpMap;
  return {static_cast<std::uint8_t>(priority % kPriorities), "the DSCP map", cure};
}

/// Which hop breaks for packets that end up there. Absent: a hop could not be read.
Reading<ChainBreak> break_at(const Evidence& seen, const Place& place) {
  const DcbFacts& dcb = seen.member().dcb;
  const std::uint8_t priority = place.priority;
  const std::string own = "priority " + std::to_string(priority);
  // What the design wants lossless is there to be repaired; elsewhere packets should not have come.
  const bool astray = !seen.profile()->is_lossless(priority);
  if (!dcb.pfc) return dcb.pfc.absent();
  if (!dcb.pfc->on(priority)) return ChainBreak{"PFC is off on " + own, {astray ? place.cure : Recipe::Pfc}};
  if (dcb.ets) {
    const std::uint32_t lossy = sharing(dcb.ets->priority_to_class, priority) & ~dcb.pfc->enabled;
    if (lossy != 0)
      return ChainBreak{own + " shares traffic class " + std::to_string(dcb.ets->priority_to_class[priority]) +
                            " with lossy " + priorities_text(lossy),
                        {astray ? place.cure : Recipe::Ets}};
  } else if (dcb.ets.absent().why != Why::NotSupported) {
    return dcb.ets.absent();
  }
  return ChainBreak{};
}

/// The way of one DSCP, by the NIC's map.
Reading<ChainBreak> break_by_dscp(const Evidence& seen, std::uint32_t dscp) {
  const auto& map = seen.member().dcb.dscp_to_priority;
  if (!map) return map.absent();
  if (dscp >= map->size()) return Absent{Why::Malformed, "the DSCP map is cut off"};
  const Place place = place_by_dscp(seen, dscp, (*map)[dscp]);
  Reading<ChainBreak> hop = break_at(seen, place);
  if (hop && !hop->words.empty())
    hop->words = "DSCP " + std::to_string(dscp) + " goes to priority " + std::to_string(place.priority) + " (" +
                 place.by + "), and " + hop->words;
  return hop;
}

/// The way of what each address sends, by its tag.
Reading<ChainBreak> break_by_tag(const Evidence& seen, std::optional<std::uint32_t> tos) {
  const std::vector<Place> places = places_by_tag(seen, tos);
  if (places.empty()) return Absent{Why::NotPresent, "no routable address, so how RoCE is tagged is not known"};
  ChainBreak first;
  std::size_t broken = 0;
  for (const Place& place : places) {
    const Reading<ChainBreak> hop = break_at(seen, place);
    if (!hop) return hop.absent();
    if (hop->words.empty() || ++broken > 1) continue;
    first = *hop;
    first.words = (tos ? "DSCP " + std::to_string(*tos >> 2) : std::string("RoCE")) + " goes to priority " +
                  std::to_string(place.priority) + " (" + place.by + "), and " + hop->words;
  }
  first.of_some = broken > 0 && broken < places.size();
  return first;
}

}  // namespace

std::optional<std::uint32_t> roce_tos(const Evidence& seen) {
  if (seen.port().forced_traffic_class) return *seen.port().forced_traffic_class;
  if (seen.profile()->trust == "pcp") return {};
  return std::uint32_t{seen.profile()->roce_dscp} << 2U;
}

Reading<ChainBreak> chain_break(const Evidence& seen, std::optional<std::uint32_t> tos) {
  const Reading<std::string>& trust = seen.member().dcb.trust;
  if (!trust) return trust.absent();
  if (*trust != "dscp") return break_by_tag(seen, tos);
  // A design of tags has no DSCP: what goes by that goes as the packets of everybody.
  const Profile& profile = *seen.profile();
  const std::uint32_t none_stated = profile.trust == "pcp" ? 0 : profile.roce_dscp;
  Reading<ChainBreak> way = break_by_dscp(seen, tos ? *tos >> 2 : none_stated);
  const bool is_roce = tos == roce_tos(seen) && !seen.port().forced_traffic_class;
  if (!way || !way->words.empty() || !is_roce || !profile.has_second_class()) return way;
  return break_by_dscp(seen, *profile.second_dscp);
}

std::vector<Recipe> cures_of_chain(const Evidence& seen) {
  if (!seen.has_member() || seen.profile() == nullptr) return {};
  const Reading<ChainBreak> own = chain_break(seen, roce_tos(seen));
  if (!own) return {};
  if (!own->words.empty() || seen.port().forced_traffic_class || !seen.port().cma_default_tos) return own->cures;
  const Reading<ChainBreak> of_cm = chain_break(seen, *seen.port().cma_default_tos);
  return of_cm ? of_cm->cures : std::vector<Recipe>();
}

}  // namespace roceready::rules
