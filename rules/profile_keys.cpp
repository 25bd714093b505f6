// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "rules/profile_changes.h"

namespace roceready::rules {
namespace {

std::uint32_t whole(const std::string& text) {
  return static_cast<std::uint32_t>(parse_u64(text).value_or(0));
}
std::uint8_t small(const std::string& text) {
  return static_cast<std::uint8_t>(whole(text));
}
std::string text_of(const std::optional<std::uint8_t>& value) {
  return value ? std::to_string(*value) : "";
}
std::string text_of(bool value) {
  return value ? "true" : "false";
}

/// "[3, 4]" or "3, 4" as bits.
std::uint8_t bits(const std::string& text) {
  unsigned out = 0;
  for (const char c : text)
    if (c >= '0' && c <= '7') out |= 1U << static_cast<unsigned>(c - '0');
  return static_cast<std::uint8_t>(out);
}
std::string list_of(std::uint8_t priorities) {
  std::string out;
  for (unsigned p = 0; p < 8; ++p)
    if ((priorities >> p & 1U) != 0) out += (out.empty() ? "" : ", ") + std::to_string(p);
  return "[" + out + "]";
}

template <class Enum, std::size_t N>
Enum word_in(const std::array<const char*, N>& words, const std::string& text) {
  const auto found = std::find(words.begin(), words.end(), text);
  return static_cast<Enum>(found == words.end() ? 0 : found - words.begin());
}

// In the order of their enumerators.
constexpr std::array<const char*, 4> kGlobalPause{"any", "off", "allowed", "required"};
constexpr std::array<const char*, 4> kCongestionControl{"any", "dcqcn", "other", "off"};
constexpr std::array<const char*, 3> kEcn{"any", "on", "off"};
constexpr std::array<const char*, 4> kDcbx{"any", "static", "willing", "none"};
constexpr std::array<const char*, 3> kWatchdog{"any", "default", "required"};

struct Speed {
  const char* name;
  std::uint64_t bits_per_second;
};
constexpr std::array<Speed, 9> kSpeeds{{{"10G", 10'000'000'000},
                                        {"25G", 25'000'000'000},
                                        {"40G", 40'000'000'000},
                                        {"50G", 50'000'000'000},
                                        {"56G", 56'000'000'000},
                                        {"100G", 100'000'000'000},
                                        {"200G", 200'000'000'000},
                                        {"400G", 400'000'000'000},
                                        {"800G", 800'000'000'000}}};

void set_speed(Profile& p, const std::string& text) {
  for (const Speed& speed : kSpeeds)
    if (text == speed.name) p.link_speed_bits_per_second = speed.bits_per_second;
}
std::string speed_of(const Profile& p) {
  for (const Speed& speed : kSpeeds)
    if (p.link_speed_bits_per_second == speed.bits_per_second) return speed.name;
  return "";
}

template <std::size_t N>
std::vector<std::string> list(const std::array<const char*, N>& words) {
  return {words.begin(), words.end()};
}
std::vector<std::string> speed_names() {
  std::vector<std::string> out;
  for (const Speed& speed : kSpeeds) out.emplace_back(speed.name);
  return out;
}

using P = Profile;
using S = const std::string&;
using T = ProfileKeyType;

std::vector<ProfileKey> class_keys() {
  return {
      {"trust",
       T::Words,
       "",
       0,
       0,
       {"dscp", "pcp", "any"},
       "What classifies packets: the DSCP, the priority in the VLAN tag, or no matter.",
       [](P& p, S text) { p.trust = text; },
       [](const P& p) { return p.trust; }},
      {"roce_dscp",
       T::Number,
       "",
       0,
       63,
       {},
       "DSCP of RoCE data.",
       [](P& p, S text) { p.roce_dscp = small(text); },
       [](const P& p) { return std::to_string(p.roce_dscp); }},
      {"roce_priority",
       T::Number,
       "",
       0,
       7,
       {},
       "Priority of RoCE data.",
       [](P& p, S text) { p.roce_priority = small(text); },
       [](const P& p) { return std::to_string(p.roce_priority); }},
      {"pfc_priorities",
       T::Priorities,
       "priority",
       0,
       7,
       {},
       "Priorities that must have PFC, exactly these.",
       [](P& p, S text) { p.pfc_priorities = bits(text); },
       [](const P& p) { return list_of(p.pfc_priorities); }},
      {"second_dscp",
       T::Number,
       "",
       0,
       63,
       {},
       "DSCP of a second lossless class of RoCE data.",
       [](P& p, S text) { p.second_dscp = small(text); },
       [](const P& p) { return text_of(p.second_dscp); }},
      {"second_priority",
       T::Number,
       "",
       0,
       7,
       {},
       "Priority of that second class; that of RoCE data where there is no second class.",
       [](P& p, S text) { p.second_priority = small(text); },
       [](const P& p) { return text_of(p.second_priority); }},
      {"cnp_dscp",
       T::Number,
       "",
       0,
       63,
       {},
       "DSCP of congestion notifications. NVIDIA's NIC configuration operator programs 4, the firmware 48.",
       [](P& p, S text) { p.cnp_dscp = small(text); },
       [](const P& p) { return text_of(p.cnp_dscp); }},
      {"cnp_priority",
       T::Number,
       "",
       0,
       7,
       {},
       "Priority of congestion notifications.",
       [](P& p, S text) { p.cnp_priority = small(text); },
       [](const P& p) { return text_of(p.cnp_priority); }},
      {"cnp_strict",
       T::Boolean,
       "",
       0,
       0,
       {},
       "Congestion notifications leave on a strict traffic class.",
       [](P& p, S text) { p.cnp_strict = text == "true"; },
       [](const P& p) { return text_of(p.cnp_strict); }},
      {"roce_ets_min_percent",
       T::Number,
       "percent",
       0,
       100,
       {},
       "Least ETS share of the RoCE class where the NIC is shared (modifier converged).",
       [](P& p, S text) { p.roce_ets_min_percent = whole(text); },
       [](const P& p) { return p.roce_ets_min_percent ? std::to_string(*p.roce_ets_min_percent) : ""; }},
      {"heartbeat_priority",
       T::Number,
       "",
       0,
       7,
       {},
       "Priority of a second class that must exist, without PFC.",
       [](P& p, S text) { p.heartbeat_priority = small(text); },
       [](const P& p) { return text_of(p.heartbeat_priority); }},
  };
}

std::vector<ProfileKey> control_keys() {
  return {
      {"congestion_control", T::Words, "", 0, 0, list(kCongestionControl),
       "Congestion control of the NIC; other: by round-trip time, or programmable.",
       [](P& p, S text) { p.congestion_control = word_in<CongestionControl>(kCongestionControl, text); },
       [](const P& p) { return std::string(kCongestionControl[static_cast<std::size_t>(p.congestion_control)]); }},
      {"ecn", T::Words, "", 0, 0, list(kEcn), "ECN marking of the data class.",
       [](P& p, S text) { p.ecn = word_in<Ecn>(kEcn, text); },
       [](const P& p) { return std::string(kEcn[static_cast<std::size_t>(p.ecn)]); }},
      {"global_pause", T::Words, "", 0, 0, list(kGlobalPause), "Pause of the whole link (802.3x).",
       [](P& p, S text) { p.global_pause = word_in<GlobalPause>(kGlobalPause, text); },
       [](const P& p) { return std::string(kGlobalPause[static_cast<std::size_t>(p.global_pause)]); }},
      {"dcbx", T::Words, "", 0, 0, list(kDcbx),
       "Who sets QoS: the host (static), the switch (willing), no DCBX (none).",
       [](P& p, S text) { p.dcbx = word_in<Dcbx>(kDcbx, text); },
       [](const P& p) { return std::string(kDcbx[static_cast<std::size_t>(p.dcbx)]); }},
      {"lldp_required",
       T::Boolean,
       "",
       0,
       0,
       {},
       "The switch must announce itself by LLDP.",
       [](P& p, S text) { p.lldp_required = text == "true"; },
       [](const P& p) { return text_of(p.lldp_required); }},
      {"nic_watchdog", T::Words, "", 0, 0, list(kWatchdog),
       "Pause storm prevention of the NIC; required: within a second.",
       [](P& p, S text) { p.nic_watchdog = word_in<NicWatchdog>(kWatchdog, text); },
       [](const P& p) { return std::string(kWatchdog[static_cast<std::size_t>(p.nic_watchdog)]); }},
      {"adaptive_routing",
       T::Boolean,
       "",
       0,
       0,
       {},
       "The fabric sends packets of one flow over several paths: reordering is no loss.",
       [](P& p, S text) { p.adaptive_routing = text == "true"; },
       [](const P& p) { return text_of(p.adaptive_routing); }},
      {"gpudirect_required",
       T::Boolean,
       "",
       0,
       0,
       {},
       "RDMA into GPU memory must work.",
       [](P& p, S text) { p.gpudirect_required = text == "true"; },
       [](const P& p) { return text_of(p.gpudirect_required); }},
      {"allow_rate_limit",
       T::Boolean,
       "",
       0,
       0,
       {},
       "A shaped RoCE class is meant so.",
       [](P& p, S text) { p.allow_rate_limit = text == "true"; },
       [](const P& p) { return text_of(p.allow_rate_limit); }},
  };
}

std::vector<ProfileKey> size_keys() {
  return {
      {"roce_mtu",
       T::Number,
       "bytes",
       256,
       4096,
       {},
       "RDMA path MTU.",
       [](P& p, S text) { p.roce_mtu = whole(text); },
       [](const P& p) { return std::to_string(p.roce_mtu); }},
      {"host_mtu",
       T::Number,
       "bytes",
       576,
       65535,
       {},
       "MTU of the network device.",
       [](P& p, S text) { p.host_mtu = whole(text); },
       [](const P& p) { return std::to_string(p.host_mtu); }},
      {"switch_mtu",
       T::Number,
       "bytes",
       576,
       65535,
       {},
       "MTU of the switch port.",
       [](P& p, S text) { p.switch_mtu = whole(text); },
       [](const P& p) { return std::to_string(p.switch_mtu); }},
      {"link_speed", T::Words, "", 0, 0, speed_names(), "Speed that the links must have.", set_speed, speed_of},
      {"pause_warn",
       T::Share,
       "share of time",
       0,
       1,
       {},
       "Received pause that is a warning.",
       [](P& p, S text) { p.pause_warn = parse_double(text).value_or(p.pause_warn); },
       [](const P& p) { return number_text(p.pause_warn); }},
      {"loss_warn",
       T::Share,
       "share of packets",
       0,
       1,
       {},
       "Loss that is a warning.",
       [](P& p, S text) { p.loss_warn = parse_double(text).value_or(p.loss_warn); },
       [](const P& p) { return number_text(p.loss_warn); }},
      {"loss_crit",
       T::Share,
       "share of packets",
       0,
       1,
       {},
       "Loss that is critical.",
       [](P& p, S text) { p.loss_crit = parse_double(text).value_or(p.loss_crit); },
       [](const P& p) { return number_text(p.loss_crit); }},
  };
}

}  // namespace

const std::vector<ProfileKey>& profile_keys() {
  static const std::vector<ProfileKey> all = [] {
    std::vector<ProfileKey> out = class_keys();
    for (const ProfileKey& key : control_keys()) out.push_back(key);
    for (const ProfileKey& key : size_keys()) out.push_back(key);
    return out;
  }();
  return all;
}

const ProfileKey* profile_key_named(std::string_view name) {
  const auto found = std::find_if(profile_keys().begin(), profile_keys().end(),
                                  [&](const ProfileKey& key) { return name == key.name; });
  return found == profile_keys().end() ? nullptr : &*found;
}

}  // namespace roceready::rules
