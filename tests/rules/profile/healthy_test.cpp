// SPDX-License-Identifier: Apache-2.0
// A healthy node of every design, with traffic and the totals of years: ready, and nothing above info.
#include <map>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;
using Growths = std::vector<Growth>;

Growths traffic(std::uint8_t priority) {
  return {{Id::RdmaTxBytes, 5e9},
          {Id::RdmaRxBytes, 5e9},
          {Id::RdmaTxPackets, 2e6},
          {Id::RdmaRxPackets, 2e6},
          {Id::TxBytesPhy, 5.2e9},
          {Id::RxBytesPhy, 5.2e9},
          {Id::RxPacketsPhy, 2e6},
          {Id::TxBytesPriority, 5.1e9, priority},
          {Id::RxBytesPriority, 5.1e9, priority},
          {Id::TxPacketsPriority, 2e6, priority},
          {Id::FecCorrectedBits, 1e3}};
}

void with_priority_4(Scene& scene) {
  DcbFacts& dcb = scene.eth0().dcb;
  dcb.pfc->enabled = 1U << 3U | 1U << 4U;
  (*dcb.dscp_to_priority)[3] = 3;
  (*dcb.dscp_to_priority)[4] = 4;
  dcb.buffers->priority_to_buffer = {0, 0, 0, 1, 2, 0, 0, 0};
  dcb.buffers->size_bytes[2] = 524032;
  scene.port().cma_default_tos = 14U;
  for (const Id id : {Id::PfcRxPauseFrames, Id::PfcTxPauseFrames, Id::PfcRxPauseDuration, Id::PfcTxPauseDuration})
    scene.shows(id, 4);
}

/// Storage on a tagged VLAN that gives priority 3, and a class of its own for the cluster's heartbeat.
void tagged(Scene& scene) {
  Netdev& eth0 = scene.eth0();
  eth0.dcb.trust = std::string("pcp");
  EtsFacts& ets = *eth0.dcb.ets;
  ets.priority_to_class = {0, 0, 0, 1, 0, 0, 0, 2};
  ets.algorithm.fill(kAlgorithmStrict);
  for (std::size_t k = 0; k < 3; ++k) ets.algorithm[k] = kAlgorithmEts;
  ets.bandwidth_percent = {49, 50, 1};
  Netdev vlan = eth0;
  vlan.link.name = "eth0.711";
  vlan.link.kind = "vlan";
  vlan.link.lower = "eth0";
  vlan.link.vlan = VlanFacts{711, {{"0", 3}}};
  eth0.link.addresses.clear();
  scene.now().netdevs.push_back(vlan);
  scene.port().uppers = {"eth0.711"};
  scene.port().cma_default_tos = 0U;
  for (GidEntry& gid : *scene.port().gids) gid.netdev = std::string("eth0.711");
}

void without_pfc(Scene& scene) {
  scene.eth0().dcb.pfc->enabled = 0;
  scene.eth0().dcb.buffers->priority_to_buffer.fill(0);
}

void link_pause(Scene& scene) {
  without_pfc(scene);
  scene.eth0().ethtool.pause = PauseFacts{true, true, true, 0U, 0U};
  scene.shows(Id::GlobalPauseRxFrames).shows(Id::GlobalPauseTxFrames);
  scene.port().cma_default_tos = 0U;
}

struct Design {
  const char* profile;
  void (*set_up)(Scene& scene);
  std::uint8_t priority;
};
const Design kDesigns[] = {{"nvidia-lossless", [](Scene&) {}, 3},
                           {"sonic-two-class", with_priority_4, 4},
                           {"azure-local", tagged, 3},
                           {"azure-local-switchless", tagged, 3},
                           {"meta-pfc-only", [](Scene&) {}, 3},
                           {"lossy-ecn", without_pfc, 3},
                           {"semi-lossless", without_pfc, 3},
                           {"ztr-rtt", without_pfc, 0},
                           {"spray-ar", [](Scene&) {}, 3},
                           {"lfc-simple", link_pause, 0}};

TEST(HealthyNode, of_every_design_is_ready_with_nothing_above_info) {
  for (const Design& design : kDesigns) {
    SCOPED_TRACE(design.profile);
    Scene scene;
    scene.profile(design.profile).daemon();
    design.set_up(scene);
    Growths growths = traffic(design.priority);
    if (std::string(design.profile) == "spray-ar") growths.push_back({Id::PacketSeqErr, 5e3});
    const ReportPtr report = scene.every(10, 40, growths).report();
    for (const Finding& finding : report->findings)
      EXPECT_EQ(finding.severity, Severity::Info) << finding.key << ": " << finding.seen;
    EXPECT_EQ(report->verdict, Verdict::Ready) << report->summary;
  }
}

/// The vendors' own defaults are judged on whole hosts of these vendors (tests/hosts), not-roce has no verdict.
TEST(HealthyNode, no_design_is_left_out) {
  for (const std::string& name : profile_names()) {
    const bool elsewhere =
        name == "broadcom-lossless" || name == "intel-e800-lossless" || name == "amd-pollara" || name == "not-roce";
    const bool here = std::any_of(std::begin(kDesigns), std::end(kDesigns),
                                  [&](const Design& design) { return name == design.profile; });
    EXPECT_NE(here, elsewhere) << name;
  }
}

}  // namespace
}  // namespace roceready::rules_test
