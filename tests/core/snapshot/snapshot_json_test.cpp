// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_json.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace roceready {
namespace {

using nlohmann::json;

RdmaPort full_port() {
  RdmaPort port;
  port.device = "mlx5_0";
  port.key = "0000:3b:00.0/1";
  port.driver = "mlx5_ib";
  port.function = FunctionKind::Physical;
  port.in_scope = true;
  port.netdev = std::string("eth0");
  port.pci_address = Absent{Why::NotPresent, "software"};
  port.members = {"eth0"};
  port.active_mtu = 4096U;
  port.gids = std::vector<GidEntry>{{3, "::ffff:10.0.0.1", "RoCE v2", std::string("eth0")}};
  RawCounters raw;
  raw.names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"out_of_buffer"});
  raw.values = {UINT64_MAX};
  raw.read_ns = 5;
  raw.at_ns = 7;
  port.hw_counters = raw;
  port.counters.values = {{CounterId::OutOfBuffer, kNoLane, 32, 9, 1.0},
                          {CounterId::RxBytesPriority, 3, 64, 10, 0.5, 7}};
  port.counters.offered = {CounterId::OutOfBuffer};
  port.counters.driver_known = true;
  port.counters.why_absent = {Why::Denied, "no"};
  port.vendor_files["tc/1/traffic_class"] = std::string("Global tclass=106");
  return port;
}

Snapshot full_snapshot() {
  Snapshot snapshot;
  snapshot.before = {1000, 1767225600000000000};
  snapshot.after = {2000, 1767225600001000000};
  snapshot.node.hostname = std::string("n1");
  snapshot.node.uptime_seconds = 12.5;
  snapshot.host.memlock = std::vector<MemlockLimit>{{"slurmd.service", UINT64_MAX, "/proc/9/limits"}};
  snapshot.host.iommu_present = false;
  snapshot.ports = {full_port()};
  Netdev dev;
  dev.link.name = "eth0";
  dev.link.vlan = VlanFacts{7, {{"3", 3}}};
  dev.link.addresses = {{"10.0.0.1", 24, false}};
  dev.dcb.pfc = PfcFacts{8, 8U, false, 7U, std::array<std::uint64_t, 8>{1, 2, 3, 4, 5, 6, 7, 8}, {}};
  dev.dcb.app = std::vector<AppEntry>{{5, 26, 3}};
  dev.ethtool.fec = FecFacts{{"RS"}, true, std::string("RS"), std::uint64_t{4}, Absent{Why::NotSupported, ""}, {}};
  snapshot.netdevs = {dev};
  PciFunction function;
  function.address = "0000:3b:00.0";
  function.numa_node = std::int64_t{-1};
  function.aer = std::map<std::string, std::uint64_t>{{"correctable", 3}};
  snapshot.pci = {function};
  snapshot.expected_missing = {"mlx5_9"};
  snapshot.collectors = {{"links", 500, true, true}};
  return snapshot;
}

TEST(SnapshotJson, round_trip_keeps_everything) {
  const json first = to_json(full_snapshot());
  const Result<Snapshot> back = snapshot_from_json(json::parse(first.dump()));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back).dump(), first.dump());
  EXPECT_EQ(back->before, full_snapshot().before);
  EXPECT_EQ(back->ports[0].counters.find(CounterId::RxBytesPriority, 3)->scale, 0.5);
  EXPECT_EQ(back->ports[0].counters.find(CounterId::RxBytesPriority, 3)->source, 7);
  EXPECT_EQ((*back->ports[0].hw_counters).values[0], UINT64_MAX);
  EXPECT_EQ(back->ports[0].pci_address.absent().why, Why::NotPresent);
  EXPECT_EQ((*back->netdevs[0].dcb.pfc->requests)[7], 8U);
  EXPECT_EQ((*back->host.memlock)[0].bytes, UINT64_MAX);
}

TEST(SnapshotJson, what_is_left_out_is_not_recorded) {
  const Result<Snapshot> sparse =
      snapshot_from_json(json::parse(R"({"ports": [{"device": "mlx5_0", "state": null}]})"));
  ASSERT_TRUE(sparse) << sparse.error().text();
  EXPECT_EQ(sparse->ports[0].port, 1U);
  EXPECT_EQ(sparse->ports[0].state.absent().why, Why::NotRecorded);
  EXPECT_EQ(sparse->ports[0].gids.absent().why, Why::NotRecorded);
}

TEST(SnapshotJson, plain_numbers_are_read_as_64_bit_too) {
  const auto read = snapshot_from_json(
      json::parse(R"({"netdevs": [{"ethtool": {"link_modes": {"speed_bits_per_second": 100000000000}}}]})"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read->netdevs[0].ethtool.link_modes->speed_bits_per_second, 100000000000U);
}

TEST(SnapshotJson, faults_name_their_path) {
  struct Case {
    const char* text;
    const char* where;
  };
  const Case cases[] = {
      {R"([])", "snapshot"},
      {R"({"portss": []})", "portss"},
      {R"({"ports": [{"gids": [{}, {}, {"index": "x"}]}]})", "ports[0].gids[2].index"},
      {R"({"ports": [{"port": 4294967296}]})", "ports[0].port"},
      {R"({"ports": [{"port": -1}]})", "ports[0].port"},
      {R"({"ports": [{"function": "banana"}]})", "ports[0].function"},
      {R"({"ports": [{"state": {"absent": "gone"}}]})", "ports[0].state.absent"},
      {R"({"ports": [{"state": {"absent": "denied", "x": "y"}}]})", "ports[0].state.x"},
      {R"({"ports": [{"hw_counters": {"names": ["a"], "values": []}}]})", "ports[0].hw_counters"},
      {R"({"ports": [{"counters": {"values": [{"id": "nope", "raw": 1}]}}]})", "ports[0].counters.values[0].id"},
      {R"({"ports": [{"counters": {"values": [{"raw": 1}]}}]})", "ports[0].counters.values[0]"},
      {R"({"ports": [{"counters": {"values": [{"id": "cnp_sent", "lane": 300}]}}]})",
       "ports[0].counters.values[0].lane"},
      {R"({"ports": [{"counters": {"values": [{"id": "cnp_sent"}, {"id": "cnp_sent"}]}}]})", "ports[0].counters"},
      {R"({"netdevs": [{"dcb": {"pfc": {"requests": [1]}}}]})", "netdevs[0].dcb.pfc.requests"},
      {R"({"before": {"wall": "yesterday"}})", "before.wall"},
      {R"({"before": {"monotonic_ns": 18446744073709551615}})", "before.monotonic_ns"},
      {R"({"host": 3})", "host"},
  };
  for (const Case& c : cases) {
    const auto read = snapshot_from_json(json::parse(c.text));
    ASSERT_FALSE(read) << c.text;
    EXPECT_EQ(read.error().where, c.where) << c.text << ": " << read.error().what;
  }
}

class SnapshotsFile : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        std::filesystem::temp_directory_path() /
        ("snapshots_" + std::to_string(getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  Result<std::vector<Snapshot>> read(const std::string& text) {
    std::ofstream(directory_ / "snapshots.json") << text;
    return read_snapshots(directory_);
  }
  std::filesystem::path directory_;
};

TEST_F(SnapshotsFile, patches_name_elements_and_counters) {
  const auto read = this->read(R"([
    {"before": {"monotonic_ns": "1000000000", "wall": "2026-01-01T00:00:00Z"},
     "ports": [{"device": "mlx5_0", "state": {"absent": "denied"}, "counters": {"values": [{"id": "cnp_sent", "raw": 1}]}},
               {"device": "mlx5_1", "port": 2}],
     "netdevs": [{"link": {"name": "eth0", "mtu": 9000}}]},
    {"after_seconds": 2, "patch": {
       "ports": {"mlx5_0": {"state": "ACTIVE", "counters": {"values": {"cnp_sent": "5", "rx_bytes_priority:3": "8"}}},
                 "mlx5_1/2": {"state": {"absent": "not_present"}}},
       "netdevs": {"eth0": {"link": {"mtu": 1500}}}}},
    {"after_seconds": 0.5, "patch": {"ports": {"mlx5_1/2": null}, "netdevs": []}}])");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 3U);
  const Snapshot& second = (*read)[1];
  EXPECT_EQ(*second.ports[0].state, "ACTIVE");
  EXPECT_EQ(second.ports[1].state.absent().why, Why::NotPresent);
  EXPECT_EQ(second.ports[0].counters.find(CounterId::CnpSent)->raw, 5U);
  EXPECT_EQ(second.ports[0].counters.find(CounterId::RxBytesPriority, 3)->raw, 8U);
  EXPECT_EQ(*second.netdevs[0].link.mtu, 1500U);
  EXPECT_EQ(second.before.monotonic_ns, 3000000000);
  EXPECT_EQ((*read)[2].ports.size(), 1U);
  EXPECT_TRUE((*read)[2].netdevs.empty());
  EXPECT_EQ((*read)[2].before.monotonic_ns, 3500000000);
}

TEST_F(SnapshotsFile, refuses_what_makes_no_sense) {
  for (const char* text :
       {"", "{}", "[]", "[1]", R"([{"patch": {}}])", R"([{}, {"patch": {}}])",
        R"([{}, {"after_seconds": 1, "patch": {"ports": {"x": {}}}}])", R"([{}, {"after_seconds": 1, "patch": 3}])",
        R"([{}, {"after_seconds": 1, "patch": {}, "z": 1}])"}) {
    EXPECT_FALSE(read(text)) << text;
  }
  EXPECT_FALSE(read(std::string(100000, '[')));
  EXPECT_FALSE(read_snapshots(directory_ / "absent"));
}

}  // namespace
}  // namespace roceready
