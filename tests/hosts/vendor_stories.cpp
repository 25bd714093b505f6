// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/mlx5_host.h"
#include "tests/hosts/stories.h"

namespace roceready::hosts {
namespace {

using namespace doubles;
using nlohmann::json;

struct VendorStory {
  const char *name, *description, *profile;
  const NicModel& (*nic)();
  std::map<std::uint8_t, std::uint8_t> dscp;  ///< entries of the application table
  std::size_t ports;
  json expect;
};

json ready() {
  return {{"verdict", {"ready"}}, {"first_cause", json::array()}, {"score", 100}, {"others", "none"}};
}

json not_applicable() {
  return {{"verdict", {"not_applicable"}}, {"first_cause", json::array()}, {"others", "none"}};
}

Story tell(const VendorStory& one) {
  Mlx5Host host = healthy_host_of(one.nic(), one.ports);
  for (Mlx5Member& member : host.members) member.dscp = one.dscp;
  Story story{one.name, host.build(), one.expect};
  story.recording.info.description = one.description;
  story.recording.info.profile = one.profile;
  record_absences(story.recording);
  return story;
}

}  // namespace

std::vector<Story> vendor_stories() {
  const VendorStory kStories[] = {
      {"thor2-pair-healthy",
       "Two Broadcom Thor 2 ports at 400 Gb/s as they should be. The driver never shows what it trusts.",
       "broadcom-lossless",
       thor2,
       {{26, 3}, {48, 7}},
       2,
       ready()},
      {"e810-pair-healthy",
       "Two Intel E810 ports at 100 Gb/s as they should be, the host manages DCB. No RoCE retransmission counters, no "
       "pause durations.",
       "intel-e800-lossless",
       e810,
       {{26, 3}},
       2,
       ready()},
      {"hip09-pair-healthy",
       "Two ports of a Kunpeng's own NIC (HIP09) at 200 Gb/s as they should be.",
       "nvidia-lossless",
       kunpeng920b,
       {{26, 3}, {48, 6}},
       2,
       ready()},
      {"pollara-pair-healthy",
       "Two AMD Pollara ports at 400 Gb/s as they should be. The driver has no DCB netlink: PFC, trust and maps can "
       "never be shown.",
       "amd-pollara",
       pollara,
       {},
       2,
       ready()},
      {"ql41000-healthy",
       "One Marvell FastLinQ port at 25 Gb/s as it should be. Its RDMA driver has no counters.",
       "nvidia-lossless",
       ql41000,
       {},
       1,
       ready()},
      {"connectx3-healthy",
       "One ConnectX-3 Pro port at 40 Gb/s as it should be; its counters also stand at the device.",
       "nvidia-lossless",
       connectx3,
       {},
       1,
       ready()},
      {"mana-vm",
       "A virtual machine of a cloud with one MANA port, whose counters stand at port and device.",
       "lossy-ecn",
       mana,
       {},
       1,
       ready()},
      {"x722-iwarp",
       "Two Intel X722 ports, which speak iWARP: RoCE readiness does not apply.",
       "",
       x722,
       {},
       2,
       not_applicable()},
      {"t6-iwarp", "Two Chelsio T6 ports, which speak iWARP.", "", t6, {}, 2, not_applicable()},
      {"erdma-vm",
       "A virtual machine of a cloud with elastic RDMA, which is iWARP over an overlay.",
       "",
       erdma,
       {},
       1,
       not_applicable()},
      {"efa-vm",
       "A virtual machine of a cloud with one EFA device, which is no Ethernet and has no network device.",
       "",
       efa,
       {},
       1,
       not_applicable()},
  };
  std::vector<Story> out;
  for (const VendorStory& one : kStories) out.push_back(tell(one));
  return out;
}

}  // namespace roceready::hosts
