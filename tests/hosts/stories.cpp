// SPDX-License-Identifier: Apache-2.0
#include "tests/hosts/stories.h"

#include <algorithm>
#include <cerrno>

#include "tests/doubles/mlx5_host.h"

namespace roceready::hosts {
namespace {

using namespace doubles;
using nlohmann::json;

constexpr char kProfile[] = "nvidia-lossless";
constexpr std::uint64_t kBytesPerSecond = 22'000'000'000;
const std::vector<std::string> kBoth{"mlx5_0/1", "mlx5_1/1"};

Story make(const char* name, const char* description, const char* profile, const Mlx5Host& host, json expect) {
  Story story{name, host.build(), std::move(expect)};
  story.recording.info.description = description;
  story.recording.info.profile = profile;
  if (host.members.empty()) story.recording.info.driver.clear();
  record_absences(story.recording);
  return story;
}

json finding(const char* rule, const char* severity, std::vector<std::string> subjects) {
  return {{"rule", rule}, {"severity", severity}, {"subjects", std::move(subjects)}};
}

json ready() {
  return {{"verdict", {"ready"}}, {"first_cause", json::array()}, {"score", 100}, {"others", "none"}};
}

void set_traffic(Mlx5Host& host, std::uint8_t priority) {
  for (Mlx5Member& member : host.members) {
    const std::uint64_t downs = member.carrier_downs;
    member.statistics = {};
    member.fec_corrected = member.fec_corrected_per_sample = 0;
    member.statistics.start["link_down_events_phy"] = downs;
    member.add_traffic(priority, kBytesPerSecond, host.uptime_seconds);
  }
  for (Mlx5Device& device : host.devices) {
    device.hardware = {};
    device.add_traffic(host.uptime_seconds);
  }
}

void set_growth(CounterTrack& track, const char* name, std::uint64_t start, std::uint64_t per_sample) {
  track.start[name] = start;
  track.per_sample[name] = per_sample;
}

Story pfc_lost_at_reboot() {
  Mlx5Host host = healthy_mlx5_host();
  host.uptime_seconds = 1211.48;
  host.port_counters = true;
  host.rdma_cm_tos.reset();
  std::uint64_t more = 0;
  for (Mlx5Member& member : host.members) {
    member.pfc = 0;
    member.trust_dscp = false;
    member.channels = 2;
    member.carrier_downs = 1;
  }
  set_traffic(host, 0);  // untagged frames, trust PCP: everything is priority 0
  for (Mlx5Member& member : host.members) {
    set_growth(member.statistics, "rx_discards_phy", 241'906 + more, 641 + more / 10);
    set_growth(member.statistics, "rx_prio0_discards", 241'906 + more, 641 + more / 10);
    set_growth(member.statistics, "rx_buffer_passed_thres_phy", 18'233 + more, 48);
    more += 1187;
  }
  more = 0;
  for (Mlx5Device& device : host.devices) {
    set_growth(device.hardware, "packet_seq_err", 79'641 + more, 212 + more / 10);
    set_growth(device.hardware, "out_of_sequence", 68'022 + more, 181 + more / 10);
    set_growth(device.hardware, "local_ack_timeout_err", 1'120 + more / 10, 3);
    set_growth(device.hardware, "duplicate_request", 2'207 + more, 6);
    set_growth(device.hardware, "roce_adp_retrans", 1'644 + more, 4);
    more += 397;
  }
  return make(
      "cx7-pair-pfc-lost-at-reboot",
      "Two ConnectX-7 ports. The node was rebooted 20 minutes ago and nothing set its QoS again: PFC is off on all "
      "priorities and the NIC trusts PCP. RDMA traffic flows in the default class, drops, and is sent again.",
      kProfile, host,
      {{"verdict", {"not_ready"}},
       {"first_cause", {"qos-trust-pcp", "pfc-disabled"}},
       {"must_have",
        {finding("pfc-disabled", "critical", kBoth), finding("qos-trust-pcp", "critical", kBoth),
         finding("qos-chain-broken", "critical", kBoth), finding("transport-seq-err", "info", kBoth)}},
       // With trust PCP every untagged frame is priority 0, whatever its ToS: the counters prove nothing of the ToS.
       {"must_not",
        {"link-down", "link-flap", "roce-mtu-low", "pfc-wrong-priority", "pcie-width-degraded",
         "roce-tos-default-zero"}},
       {"symptoms", {{"pfc-disabled", json::array({"transport-seq-err"})}}},
       // PFC 40; of qos trust 40 and a quarter of the broken chain's 40; a warning of the cable's length 3.
       {"score", 7}});
}

Story pair_healthy() {
  Mlx5Host host = healthy_mlx5_host();
  host.port_counters = true;
  for (Mlx5Member& member : host.members) member.channels = 2;
  return make("cx7-pair-healthy", "Two ConnectX-7 ports at 400 Gb/s as they should be, RDMA at 176 Gb/s each way.",
              kProfile, host, ready());
}

Story pfc_on_wrong_priority() {
  Mlx5Host host = healthy_mlx5_host();
  for (Mlx5Member& member : host.members) member.pfc = 1U << 4;
  set_traffic(host, 3);
  return make("cx7-pfc-on-wrong-priority", "PFC is on for priority 4 alone, RoCE is priority 3.", kProfile, host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"pfc-wrong-priority"}},
               {"must_have",
                {finding("pfc-wrong-priority", "critical", kBoth), finding("qos-chain-broken", "critical", kBoth)}},
               {"must_not", {"pfc-disabled", "qos-trust-pcp", "qos-dscp-map"}},
               {"others", "none"}});
}

Story trust_pcp() {
  Mlx5Host host = healthy_mlx5_host();
  for (Mlx5Member& member : host.members) member.trust_dscp = false;
  set_traffic(host, 0);
  return make("cx7-trust-pcp",
              "PFC is on for priority 3, but the NIC trusts PCP and RoCE is untagged: it goes as priority 0.", kProfile,
              host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"qos-trust-pcp"}},
               {"must_have", {finding("qos-trust-pcp", "critical", kBoth)}},
               {"must_not", {"pfc-disabled", "pfc-wrong-priority", "link-down", "roce-tos-default-zero"}}});
}

Story dscp26_to_prio0() {
  Mlx5Host host = healthy_mlx5_host();
  for (Mlx5Member& member : host.members) member.dscp[26] = 0;
  set_traffic(host, 0);
  return make("cx7-dscp26-to-prio0",
              "The NIC trusts DSCP, but DSCP 26 is mapped to priority 0; PFC is on for priority 3.", kProfile, host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"qos-dscp-map"}},
               {"must_have", {finding("qos-dscp-map", "critical", kBoth)}},
               {"must_not", {"pfc-disabled", "pfc-wrong-priority", "qos-trust-pcp"}}});
}

Story storm_rx() {
  Mlx5Host host = healthy_mlx5_host();
  host.samples = 5;
  Mlx5Member& member = host.members.front();
  for (std::size_t sample = 2; sample < host.samples; ++sample) {
    auto& held = member.statistics.in_sample[sample];
    held["rx_prio3_pause"] = 24'118;
    held["rx_prio3_pause_duration"] = 999'412;
    held["rx_prio3_pause_transition"] = 1;
    for (const char* name : {"tx_prio3_bytes", "tx_prio3_packets", "tx_vport_rdma_unicast_bytes",
                             "tx_vport_rdma_unicast_packets", "tx_prio3_pause", "tx_prio3_pause_duration"})
      held[name] = 0;
    held["tx_bytes_phy"] = 31'457'280;
    held["tx_packets_phy"] = 20'777;
    auto& hardware = host.devices.front().hardware.in_sample[sample];
    hardware["local_ack_timeout_err"] = 48;
    hardware["port_xmit_data"] = hardware["port_xmit_packets"] = 0;
  }
  return make("cx7-storm-rx", "Somebody pauses mlx5_0 without end: 99.9 % of three seconds, nothing leaves.", kProfile,
              host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"pfc-storm-rx"}},
               {"must_have", {finding("pfc-storm-rx", "critical", {"mlx5_0/1:3"})}},
               {"must_not", {"pfc-storm-tx", "pfc-tx-pause-high", "pfc-disabled", "link-down"}}});
}

Story slow_receiver() {
  Mlx5Host host = healthy_mlx5_host();
  Mlx5Member& member = host.members.front();
  member.pcie_width = 8;
  set_growth(member.statistics, "tx_prio3_pause", 91'220'114, 9'870);
  set_growth(member.statistics, "tx_prio3_pause_duration", 8'204'551'911, 82'300);
  set_growth(member.statistics, "outbound_pci_stalled_wr_events", 91'207, 1);
  member.statistics.start["outbound_pci_stalled_wr"] = 62;
  return make("cx7-slow-receiver-pcie-x8",
              "mlx5_0 trained eight of sixteen PCIe lanes and pauses the switch 8 % of the time.", kProfile, host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"pcie-width-degraded"}},
               {"must_have",
                {finding("pcie-width-degraded", "critical", {"mlx5_0/1"}),
                 finding("pfc-tx-pause-high", "info", {"mlx5_0/1:3"})}},
               {"must_not", {"pfc-rx-pause-high", "pfc-storm-tx", "pcie-speed-degraded"}},
               {"symptoms", {{"pcie-width-degraded", json::array({"pfc-tx-pause-high"})}}}});
}

Story statistics_refused() {
  Mlx5Host host = healthy_mlx5_host();
  for (const Mlx5Member& member : host.members) host.refuse["ethtool/statistics_values/" + member.netdev] = EINVAL;
  return make("cx7-statistics-refused", "Healthy, but the driver refuses ETHTOOL_GSTATS with EINVAL.", kProfile, host,
              {{"verdict", {"ready", "unknown"}},
               {"others", "none"},
               {"unknown",
                {"pfc-rx-pause-high", "pfc-tx-pause-high", "pfc-storm-rx", "pfc-storm-tx", "drop-rx-lossless-prio"}}});
}

Story one_hw_counter_einval() {
  Mlx5Host host = healthy_mlx5_host();
  host.hardware_counter_files = true;
  host.refuse["netlink/rdma/statistics/mlx5_0/1"] = EOPNOTSUPP;
  host.refuse["netlink/rdma/statistics/mlx5_1/1"] = EOPNOTSUPP;
  host.refuse["sys/class/infiniband/mlx5_0/ports/1/hw_counters/local_ack_timeout_err"] = EINVAL;
  return make("cx7-one-hw-counter-einval",
              "Healthy; an older kernel has hardware counters in sysfs only, and one of mlx5_0 cannot be read.",
              kProfile, host,
              {{"verdict", {"ready", "unknown"}},
               {"others", "none"},
               {"unknown", {"transport-ack-timeout@mlx5_0/1"}},
               {"not_unknown", {"transport-ack-timeout@mlx5_1/1", "transport-seq-err"}}});
}

Story bond_one_member_down() {
  Mlx5Host host = healthy_mlx5_host();
  host.bond.emplace();
  host.devices.resize(1);
  host.devices[0].name = "mlx5_bond_0";
  host.devices[0].netdev = "bond0";
  Mlx5Member& second = host.members[1];
  second.pci = "0000:3b:00.1";
  second.bridge = host.members[0].bridge;
  second.netdev = "enp59s0f1np1";
  second.physical_port = "p1";
  host.members[0].netdev = "enp59s0f0np0";
  for (Mlx5Member& member : host.members) member.speed_mbit = 200'000;
  second.carrier = false;
  second.carrier_downs = 3;
  second.statistics.per_sample.clear();
  return make("cx7-bond-one-member-down",
              "RoCE LAG over both ports of one card (802.3ad). The second port has no carrier; the bond and its RDMA "
              "port are up.",
              kProfile, host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"link-down"}},
               {"must_have", {finding("link-down", "critical", {"mlx5_bond_0/1+enp59s0f1np1"})}},
               {"must_not", {"pfc-disabled", "qos-trust-pcp", "roce-no-v2-gid", "roce-mtu-low"}}});
}

Story virtual_functions() {
  Mlx5Host host = healthy_mlx5_host(1);
  host.virtual_functions = 128;
  json expect = ready();
  expect["out_of_scope"] = 32;
  return make("cx7-128-virtual-functions",
              "One healthy port with 128 virtual functions, each with netdev and RDMA device.", kProfile, host, expect);
}

Story link_down_no_cable() {
  Mlx5Host host = healthy_mlx5_host();
  Mlx5Member& member = host.members[1];
  member.carrier = false;
  member.down_reason = {4, 0};
  member.carrier_downs = 0;
  member.statistics = {};
  member.fec_corrected = member.fec_corrected_per_sample = 0;
  host.devices[1].hardware = {};
  host.devices[1].state = 1;
  host.devices[1].physical_state = 3;
  return make("cx7-link-down-no-cable", "mlx5_1 has an address but no cable.", kProfile, host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"link-down"}},
               {"must_have", {finding("link-down", "critical", {"mlx5_1/1"})}},
               {"others", "none"}});
}

Story mtu_1500() {
  Mlx5Host host = healthy_mlx5_host();
  for (Mlx5Member& member : host.members) member.mtu = 1500;
  return make("cx7-mtu-1500", "Both netdevs have MTU 1500, so RoCE packets carry 1024 bytes.", kProfile, host,
              {{"verdict", {"degraded"}},
               {"first_cause", {"roce-mtu-low"}},
               {"must_have", {finding("roce-mtu-low", "warning", kBoth)}},
               {"others", "none"},
               {"score", 88}});
}

Story no_v2_gid() {
  Mlx5Host host = healthy_mlx5_host();
  host.devices[0].gids = std::vector<Gid>{{"fe80::bace:f6ff:fe10:2030", false}, {"::ffff:10.10.0.17", false}};
  return make("cx7-no-v2-gid", "The GID table of mlx5_0 has RoCE v1 entries only.", kProfile, host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"roce-no-v2-gid"}},
               {"must_have", {finding("roce-no-v2-gid", "critical", {"mlx5_0/1"})}},
               {"others", "none"}});
}

Story global_pause() {
  Mlx5Host host = healthy_mlx5_host();
  for (Mlx5Member& member : host.members) {
    member.pfc = 0;
    member.pause_rx = member.pause_tx = true;
  }
  set_traffic(host, 3);
  for (Mlx5Member& member : host.members) {
    for (const char* name : {"rx_global_pause", "rx_pause_ctrl_phy"})
      set_growth(member.statistics, name, 4'408'112, 214);
    for (const char* name : {"tx_global_pause", "tx_pause_ctrl_phy"})
      set_growth(member.statistics, name, 1'204'009, 63);
    set_growth(member.statistics, "rx_global_pause_duration", 4'011'225, 188);
  }
  return make("cx7-global-pause", "Link-level pause both ways, as the card comes out of the box, and no PFC.", kProfile,
              host,
              {{"verdict", {"not_ready"}},
               {"first_cause", {"pfc-global-pause", "pfc-disabled"}},
               {"must_have",
                {finding("pfc-disabled", "critical", kBoth), finding("pfc-global-pause", "warning", kBoth),
                 finding("qos-chain-broken", "critical", kBoth)}},
               {"others", "none"}});
}

Story unprivileged_healthy() {
  Mlx5Host host = healthy_mlx5_host();
  host.privileged = false;
  json expect = ready();
  return make("cx7-unprivileged-healthy",
              "The healthy pair as an ordinary user sees it: 64 bytes of PCI configuration space.", kProfile, host,
              expect);
}

Story strange_names() {
  Mlx5Host host = healthy_mlx5_host(1);
  host.name = "g\xfcnther";  // Latin-1
  host.members[0].netdev = host.devices[0].netdev = "enp59s0np0abcde";
  host.members[0].extra_statistics = {"rx packets of the odd kind", "\x01\x7f\xff_bytes",
                                      "abcdefghijklmnopqrstuvwxyz_12345"};
  host.members[0].statistics.per_sample["rx packets of the odd kind"] = 5;
  host.more_links = {"caf\xe9", "\xff\xfe\xfd", "a\"b\\c"};
  return make("cx7-strange-names",
              "Healthy, with names that are legal and ugly: statistics with spaces, unprintable bytes and no "
              "terminator, a netdev of "
              "15 bytes, netdevs and a host name that are not UTF-8.",
              kProfile, host, ready());
}

Story no_rdma() {
  Mlx5Host host;
  host.rdma_loaded = false;
  host.slurmd = false;
  return make("no-rdma", "A machine without any RDMA device or RDMA-capable NIC.", "", host,
              {{"verdict", {"not_applicable"}}, {"first_cause", json::array()}, {"others", "none"}});
}

Story rdma_driver_missing() {
  Mlx5Host host = healthy_mlx5_host();
  host.rdma_loaded = false;
  return make("cx7-rdma-driver-missing",
              "Two ConnectX-7 ports whose RDMA driver is not loaded, on a node that is meant for RoCE.", kProfile, host,
              {{"verdict", {"not_ready"}}});
}

Story ib_link_layer() {
  Mlx5Host host = healthy_mlx5_host(1);
  host.devices[0].infiniband = true;
  host.devices[0].gids = std::vector<Gid>{{"fe80::b8ce:f603:10:2030", false}};
  host.members[0].netdev = "ibp59s0";
  host.members[0].mtu = 4092;
  host.members[0].pfc = 0;
  host.members[0].trust_dscp = false;
  host.devices[0].netdev.clear();
  return make("ib-link-layer", "One port of the same family with link layer InfiniBand.", "", host,
              {{"verdict", {"not_applicable"}}, {"first_cause", json::array()}, {"others", "none"}});
}

Story no_profile() {
  return make("cx7-pair-no-profile", "The healthy pair, and nobody said what is expected of it: never ready.", "",
              healthy_mlx5_host(), {{"verdict", {"unknown", "degraded"}}, {"others", "none"}});
}

}  // namespace

std::vector<Story> stories() {
  std::vector<Story> out;
  for (Story (*tell)() : {pfc_lost_at_reboot,
                          pair_healthy,
                          pfc_on_wrong_priority,
                          trust_pcp,
                          dscp26_to_prio0,
                          storm_rx,
                          slow_receiver,
                          statistics_refused,
                          one_hw_counter_einval,
                          bond_one_member_down,
                          virtual_functions,
                          link_down_no_cable,
                          mtu_1500,
                          no_v2_gid,
                          global_pause,
                          unprivileged_healthy,
                          strange_names,
                          no_rdma,
                          rdma_driver_missing,
                          ib_link_layer,
                          no_profile})
    out.push_back(tell());
  for (Story& story : vendor_stories()) out.push_back(std::move(story));
  std::sort(out.begin(), out.end(), [](const Story& a, const Story& b) { return a.name < b.name; });
  return out;
}

}  // namespace roceready::hosts
