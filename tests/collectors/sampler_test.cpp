// SPDX-License-Identifier: Apache-2.0
#include "collectors/sampler.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "tests/collectors/mlx5_pair.h"

namespace roceready {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr char kNames[] = "ethtool/statistics_names/eth0";
constexpr char kValues[] = "ethtool/statistics_values/eth0";

/// A host and a sampler over it; one second passes before each sample but the first.
struct Bench {
  doubles::FakeHost machine = one_port();
  Sampler sampler;
  bool first = true;
  explicit Bench(SamplerOptions options = {}) : sampler(std::move(options)) {}
  Snapshot sample(std::int64_t later_ns = kSecond) {
    if (!first) machine.advance(later_ns);
    first = false;
    machine.asked.clear();
    Host host = machine.host();
    return sampler.sample(host);
  }
};

const CollectorRun* run_of(const Snapshot& snapshot, const std::string& name) {
  for (const CollectorRun& run : snapshot.collectors) {
    if (run.collector == name) return &run;
  }
  return nullptr;
}

TEST(Sampler, first_sample_has_everything) {
  Bench bench;
  const Snapshot first = bench.sample();
  ASSERT_EQ(first.ports.size(), 1U);
  const RdmaPort& port = first.ports[0];
  EXPECT_TRUE(port.in_scope) << port.why_not;
  EXPECT_EQ(port.driver, "mlx5_ib");
  EXPECT_EQ(port.key, "0000:3b:00.0/1");
  EXPECT_EQ(*port.link_layer, "Ethernet");
  EXPECT_EQ(port.members, (std::vector<std::string>{"eth0"}));
  EXPECT_EQ(port.counters.find(CounterId::CnpSent)->raw, 5U);
  ASSERT_NE(first.netdev("eth0"), nullptr);
  const Netdev& netdev = *first.netdev("eth0");
  EXPECT_EQ(netdev.counters.find(CounterId::PfcRxPauseDuration, 3)->raw, 8U);
  EXPECT_EQ((*netdev.ethtool.statistics->names)[2], "novel");
  EXPECT_TRUE(netdev.dcb.pfc->on(3));
  EXPECT_EQ(*netdev.dcb.trust, "dscp");
  EXPECT_EQ((*netdev.dcb.dscp_to_priority)[26], 3U);
  EXPECT_EQ(first.pci.size(), 2U);
  EXPECT_EQ(first.function("0000:3b:00.0")->parent, "0000:3a:00.0");
  for (const CollectorRun& run : first.collectors) EXPECT_TRUE(run.ran) << run.collector;
  EXPECT_EQ(port.cma_default_tos.absent().why, Why::NotPresent);
  EXPECT_EQ(port.port_counters.absent().why, Why::NotPresent);
}

TEST(Sampler, carries_slow_slices_over_and_reads_counters_each_time) {
  Bench bench;
  (void)bench.sample();
  bench.machine.data(kValues, doubles::statistic_values_bytes({70, 80, 90}));
  const Snapshot second = bench.sample();
  EXPECT_FALSE(run_of(second, "gids")->ran);
  EXPECT_TRUE(run_of(second, "gids")->success);
  EXPECT_TRUE(run_of(second, "dcb")->ran) << "PFC that goes off is seen in the next sample";
  EXPECT_FALSE(bench.machine.asked_about("config"));
  EXPECT_EQ(bench.machine.times_asked(kNames), 0U);
  EXPECT_TRUE(second.netdev("eth0")->dcb.pfc->on(3));
  EXPECT_EQ(second.netdev("eth0")->counters.find(CounterId::PfcRxPauseFrames, 3)->raw, 70U);
  EXPECT_EQ(second.pci.size(), 2U);
  EXPECT_LE(second.before.monotonic_ns, second.after.monotonic_ns);
}

TEST(Sampler, configuration_is_due_after_ten_seconds_and_the_machine_after_thirty) {
  Bench bench;
  (void)bench.sample();
  int gids = 0, pci = 0;
  for (int i = 0; i < 30; ++i) {
    const Snapshot snapshot = bench.sample();
    gids += run_of(snapshot, "gids")->ran ? 1 : 0;
    pci += run_of(snapshot, "pci")->ran ? 1 : 0;
  }
  EXPECT_EQ(gids, 3);
  EXPECT_EQ(pci, 1);
}

TEST(Sampler, names_are_shared_until_the_driver_changes_them) {
  Bench bench;
  const CounterNames first = bench.sample().netdev("eth0")->ethtool.statistics->names;
  std::size_t asked = 0;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(bench.sample().netdev("eth0")->ethtool.statistics->names, first);
    asked += bench.machine.times_asked(kNames);
  }
  EXPECT_EQ(asked, 2U) << "with the configuration, every ten seconds";
  bench.machine.data(kNames, doubles::statistic_names_bytes({"rx_prio3_pause", "rx_prio4_pause", "a", "b"}));
  bench.machine.data(kValues, doubles::statistic_values_bytes({1, 2, 3, 4}));
  const Snapshot changed = bench.sample();
  EXPECT_EQ(bench.machine.times_asked(kNames), 1U);
  EXPECT_EQ(changed.netdev("eth0")->ethtool.statistics->values.size(), 4U);
  EXPECT_EQ(changed.netdev("eth0")->counters.find(CounterId::PfcRxPauseFrames, 4)->raw, 2U);
  EXPECT_EQ(changed.netdev("eth0")->counters.find(CounterId::PfcRxPauseDuration, 3), nullptr);
  const CounterNames hw = changed.ports[0].hw_counters->names;
  EXPECT_EQ(bench.sample().ports[0].hw_counters->names, hw);
}

TEST(Sampler, pfc_that_moves_to_another_priority_is_counted_there_at_once) {
  Bench bench;
  (void)bench.sample();
  bench.machine.data(answer_key::dcb_ieee("eth0"), doubles::ieee_bytes(1U << 4, {{5, 26, 4}}));
  bench.machine.data(kNames, doubles::statistic_names_bytes({"rx_prio4_pause", "rx_prio4_pause_duration", "novel"}));
  const Snapshot moved = bench.sample();
  const CounterReadings& counters = moved.netdev("eth0")->counters;
  ASSERT_NE(counters.find(CounterId::PfcRxPauseFrames, 4), nullptr);
  EXPECT_EQ(counters.find(CounterId::PfcRxPauseFrames, 4)->raw, 7U);
  EXPECT_EQ(counters.find(CounterId::PfcRxPauseDuration, 4)->raw, 8U);
  EXPECT_EQ(counters.find(CounterId::PfcRxPauseFrames, 3), nullptr);
  (void)bench.sample();
  EXPECT_EQ(bench.machine.times_asked(kNames), 0U);
}

TEST(Sampler, names_are_asked_again_when_pause_or_dcb_changes_or_comes_and_goes) {
  Bench bench;
  const auto pause = [](std::uint8_t rx) {
    return doubles::Attrs()
        .number(uapi::kEthtoolAPauseAutoneg, std::uint8_t{0})
        .number(uapi::kEthtoolAPauseRx, rx)
        .number(uapi::kEthtoolAPauseTx, std::uint8_t{0})
        .bytes();
  };
  const std::string pause_key = answer_key::ethtool(EthtoolMessage::Pause, "eth0");
  const std::string dcb_key = answer_key::dcb_ieee("eth0");
  const CounterNames first = bench.sample().netdev("eth0")->ethtool.statistics->names;
  const auto asks = [&](bool expected, const char* what) {
    EXPECT_EQ(bench.sample().netdev("eth0")->ethtool.statistics->names, first) << what;
    EXPECT_EQ(bench.machine.times_asked(kNames), expected ? 1U : 0U) << what;
  };
  bench.machine.data(pause_key, pause(0));
  asks(true, "pause appears");
  asks(false, "nothing changed");
  bench.machine.data(pause_key, pause(1));
  asks(true, "receive pause on");
  bench.machine.answers.erase(pause_key);
  asks(true, "pause is gone");
  const Answer dcb = bench.machine.answers[dcb_key];
  bench.machine.answers.erase(dcb_key);
  asks(true, "DCB is gone");
  asks(false, "nothing changed");
  bench.machine.answers[dcb_key] = dcb;
  asks(true, "DCB is back");
}

TEST(Sampler, statistics_are_read_once_a_second_at_most) {
  Bench bench;
  std::size_t reads = 0;
  for (int i = 0; i < 41; ++i) {  // ten seconds
    bench.machine.data(answer_key::dcb_ieee("eth0"), doubles::ieee_bytes(i % 2 == 0 ? 8 : 16, {}));
    ASSERT_TRUE(bench.sample(kSecond / 4).netdev("eth0")->ethtool.statistics);
    reads += bench.machine.times_asked(kValues);
  }
  EXPECT_EQ(reads, 11U);
  for (int i = 0; i < 10; ++i) {
    (void)bench.sample(i % 2 == 0 ? kSecond * 97 / 100 : kSecond * 103 / 100);
    EXPECT_EQ(bench.machine.times_asked(kValues), 1U) << "a tick that comes early is no reason to skip";
  }
}

TEST(Sampler, statistics_that_are_not_there_are_asked_once_a_second_at_most) {
  Bench bench;
  bench.machine.answers.erase(kValues);
  std::size_t reads = 0;
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(bench.sample(kSecond / 4).netdev("eth0")->ethtool.statistics.absent().why, Why::Malformed)
        << "a driver that has statistics and does not give them hides what they would say";
    reads += bench.machine.times_asked(kValues);
  }
  EXPECT_EQ(reads, 3U);
}

TEST(Sampler, a_set_of_names_that_never_settles_is_absent_not_wrong) {
  Bench bench;
  bench.machine.data(kValues, doubles::statistic_values_bytes({1, 2}));
  const Snapshot snapshot = bench.sample();
  ASSERT_FALSE(snapshot.netdev("eth0")->ethtool.statistics);
  EXPECT_EQ(bench.machine.times_asked(kValues), 2U);
  EXPECT_EQ(snapshot.netdev("eth0")->counters.find(CounterId::PfcRxPauseFrames, 3), nullptr);
}

TEST(Sampler, a_refused_statistics_read_is_remembered_and_retried_rarely) {
  Bench bench;
  bench.machine.refuse(kValues, EIO);
  const Snapshot first = bench.sample();
  ASSERT_FALSE(first.netdev("eth0")->ethtool.statistics);
  const Snapshot second = bench.sample();
  EXPECT_EQ(bench.machine.times_asked(kValues), 0U);
  const Absent& why = second.netdev("eth0")->ethtool.statistics.absent();
  EXPECT_NE(why.detail.find("since 2026-01-01T00:00:00"), std::string::npos) << why.detail;
  EXPECT_EQ(second.netdev("eth0")->counters.why_absent, why);
  int asked = 0;
  for (int i = 0; i < 20; ++i) {
    (void)bench.sample();
    asked += static_cast<int>(bench.machine.times_asked(kValues));
  }
  EXPECT_EQ(asked, 2);
  bench.machine.data(kValues, doubles::statistic_values_bytes({1, 2, 3}));
  bool back = false;
  for (int i = 0; i < 12 && !back; ++i) back = bench.sample().netdev("eth0")->ethtool.statistics.has_value();
  EXPECT_TRUE(back);
}

TEST(Sampler, stretches_a_slow_statistics_read) {
  Bench bench;
  bench.machine.cost_ns[kValues] = kSecond / 10;  // 2 % of five seconds
  int reads = 0;
  for (int i = 0; i < 20; ++i) {
    const Snapshot snapshot = bench.sample();
    reads += static_cast<int>(bench.machine.times_asked(kValues));
    ASSERT_TRUE(snapshot.netdev("eth0")->ethtool.statistics);
    EXPECT_EQ(snapshot.netdev("eth0")->ethtool.statistics->read_ns, kSecond / 10);
  }
  EXPECT_EQ(reads, 4);
}

TEST(Sampler, excluded_devices_are_not_touched_at_all) {
  for (const char* pattern : {"mlx5_1", "mlx5_1/1", "mlx5_1/*", "*_1"}) {
    SamplerOptions options;
    options.selection.exclude = {pattern, "eth1"};
    Bench bench(options);
    add_mlx5_function(bench.machine, "mlx5_1", "eth1", "0000:3b:00.1");
    add_netdev(bench.machine, "eth1", 3, "0000:3b:00.1");
    const Snapshot snapshot = bench.sample();
    EXPECT_EQ(snapshot.ports.size(), 1U) << pattern;
    EXPECT_FALSE(bench.machine.asked_about("eth1")) << pattern;
    if (std::string(pattern) != "mlx5_1/1") {
      EXPECT_FALSE(bench.machine.asked_about("mlx5_1")) << pattern;
    }
    EXPECT_FALSE(bench.machine.asked_about("mlx5_1/1")) << pattern;
    EXPECT_FALSE(bench.machine.asked_about("3b:00.1")) << pattern;
    EXPECT_TRUE(snapshot.nics_without_rdma.empty()) << pattern;
  }
}

TEST(Sampler, a_device_whose_netdev_is_excluded_is_asked_once_whose_it_is_and_never_again) {
  SamplerOptions options;
  options.selection.exclude = {"eth1"};
  Bench bench(options);
  add_mlx5_function(bench.machine, "mlx5_1", "eth1", "0000:3b:00.1");
  add_netdev(bench.machine, "eth1", 3, "0000:3b:00.1");
  EXPECT_EQ(bench.sample().ports.size(), 1U);
  const Snapshot second = bench.sample();
  EXPECT_EQ(second.ports.size(), 1U);
  EXPECT_FALSE(bench.machine.asked_about("mlx5_1"));
  EXPECT_FALSE(bench.machine.asked_about("eth1"));
}

TEST(Sampler, virtual_functions_are_capped_and_cost_only_their_link) {
  Bench bench;
  for (int i = 0; i < 128; ++i) {
    const std::string device = "vf_" + std::to_string(i);
    const std::string pci = "0000:3b:" + std::string(1, "0123456789abcdef"[i / 8]) + "1." + std::to_string(i % 8);
    add_mlx5_function(bench.machine, device, "ethv" + std::to_string(i), pci);
    bench.machine.link("/sys/bus/pci/devices/" + pci + "/physfn", "../0000:3b:00.0");
    add_netdev(bench.machine, "ethv" + std::to_string(i), 100 + static_cast<std::uint32_t>(i), pci);
  }
  const Snapshot snapshot = bench.sample();
  ASSERT_EQ(snapshot.ports.size(), 33U);
  EXPECT_EQ(snapshot.ports[1].function, FunctionKind::Virtual);
  EXPECT_FALSE(snapshot.ports[1].in_scope);
  EXPECT_EQ(*snapshot.ports[1].state, "ACTIVE");
  EXPECT_EQ(snapshot.ports[1].hw_counters.absent().why, Why::Filtered);
  EXPECT_NE(snapshot.ports[32].why_not.find("96 more"), std::string::npos);
  EXPECT_FALSE(bench.machine.asked_about("ethtool/statistics_values/ethv"));
  EXPECT_FALSE(bench.machine.asked_about("netlink/rdma/statistics/vf_"));
  EXPECT_FALSE(bench.machine.asked_about("netlink/dcb/ieee/ethv"));
}

TEST(Sampler, a_device_that_vanishes_between_list_and_read_costs_only_itself) {
  Bench bench;
  add_mlx5_function(bench.machine, "mlx5_1", "eth1", "0000:3b:00.1");
  bench.machine.on_ask = [&](const std::string& key) {
    if (key.find("mlx5_1") == std::string::npos) return;
    std::erase_if(bench.machine.answers, [](const auto& a) { return a.first.find("mlx5_1") != std::string::npos; });
  };
  const Snapshot snapshot = bench.sample();
  ASSERT_EQ(snapshot.ports.size(), 2U);
  EXPECT_TRUE(snapshot.ports[0].in_scope);
  EXPECT_EQ(snapshot.ports[1].state.absent().why, Why::NotPresent);
}

TEST(Sampler, a_new_port_has_all_its_slices_at_once) {
  Bench bench;
  (void)bench.sample();
  add_mlx5_function(bench.machine, "mlx5_1", "eth1", "0000:3b:00.1");
  add_netdev(bench.machine, "eth1", 3, "0000:3b:00.1");
  add_address(bench.machine, 3);
  const Snapshot second = bench.sample();
  ASSERT_NE(second.netdev("eth1"), nullptr);
  EXPECT_TRUE(second.netdev("eth1")->dcb.pfc);
  EXPECT_EQ(second.pci.size(), 3U);
}

constexpr char kGidTable[] = "verbs/gid_table/mlx5_0";

TEST(Sampler, a_port_stays_in_scope_when_its_address_vanishes) {
  Bench bench;
  (void)bench.sample();
  bench.machine.list(answer_key::kAddresses, {});
  for (int i = 0; i < 12; ++i) {
    const Snapshot bare = bench.sample();
    ASSERT_EQ(bare.ports.size(), 1U);
    EXPECT_TRUE(bare.ports[0].in_scope);
    EXPECT_EQ(bare.ports[0].why_not, "");
    EXPECT_EQ(bare.ports[0].members, (std::vector<std::string>{"eth0"}));
    EXPECT_TRUE(bare.netdev("eth0")->link.addresses.empty());
    EXPECT_TRUE(bare.netdev("eth0")->ethtool.statistics);
    EXPECT_TRUE(bare.ports[0].hw_counters);
    EXPECT_EQ(bench.machine.asked_about(kGidTable), i < 2 || i == 9) << i;
  }
}

TEST(Sampler, a_port_in_scope_for_want_of_knowledge_leaves_it_when_the_addresses_are_known) {
  Bench bench;
  bench.machine.refuse(answer_key::kAddresses, EIO);
  EXPECT_TRUE(bench.sample().ports[0].in_scope);
  bench.machine.list(answer_key::kAddresses, {});
  EXPECT_FALSE(bench.sample().ports[0].in_scope);
}

TEST(Sampler, gids_and_mtu_are_read_at_once_when_addresses_mtu_or_carrier_change) {
  Bench bench;
  add_mlx5_function(bench.machine, "mlx5_1", "eth1", "0000:3b:00.1");
  add_netdev(bench.machine, "eth1", 3, "0000:3b:00.1");
  add_address(bench.machine, 3);
  (void)bench.sample();
  const auto asks = [&](bool expected, const char* what) {
    EXPECT_EQ(run_of(bench.sample(), "gids")->ran, expected) << what;
    EXPECT_EQ(bench.machine.asked_about(kGidTable), expected) << what;
    EXPECT_EQ(bench.machine.asked_about("verbs/port_attributes/mlx5_0/1"), expected) << what;
    EXPECT_FALSE(bench.machine.asked_about("verbs/gid_table/mlx5_1")) << what;
  };
  std::string& link = bench.machine.answers[answer_key::kLinks].items[0];
  asks(false, "nothing changed");
  bench.machine.answers[answer_key::kAddresses].items.push_back(doubles::ipv4_bytes(2, {10, 0, 1, 1}));
  asks(true, "an address more");
  asks(true, "the GID table follows its netdev a moment later");
  asks(false, "nothing changed");
  link += doubles::Attrs().number(uapi::kIflaCarrier, std::uint8_t{0}).bytes();
  asks(true, "no carrier");
  const auto mtu = link.find(doubles::number_bytes(std::uint32_t{9000}));
  ASSERT_NE(mtu, std::string::npos);
  (void)bench.sample();
  asks(false, "nothing changed");
  link.replace(mtu, 4, doubles::number_bytes(std::uint32_t{1500}));
  asks(true, "a smaller MTU");
}

TEST(Sampler, failing_dumps_leave_absent_facts_and_a_failed_collector) {
  Bench bench;
  (void)bench.sample();
  bench.machine.refuse(answer_key::kLinks, EIO);
  const Snapshot blind = bench.sample();
  EXPECT_FALSE(run_of(blind, "links")->success);
  ASSERT_EQ(blind.ports.size(), 1U);
  EXPECT_TRUE(blind.ports[0].in_scope);  // what is not known must not look healthy
  EXPECT_FALSE(blind.netdev("eth0")->link.carrier);
}

TEST(Sampler, expected_ports_that_are_not_there_are_named) {
  SamplerOptions options;
  options.selection.expected = {"mlx5_0", "eth0", "mlx5_7/1"};
  Bench bench(options);
  EXPECT_EQ(bench.sample().expected_missing, (std::vector<std::string>{"mlx5_7/1"}));
}

TEST(Sampler, an_expected_port_may_be_named_in_four_ways) {
  const std::string pci = Bench().sample().ports.at(0).pci_address.value_or("");
  ASSERT_FALSE(pci.empty());
  for (const std::string& name : {std::string("mlx5_0"), std::string("mlx5_0/1"), std::string("eth0"), pci}) {
    SamplerOptions options;
    options.selection.expected = {name};
    Bench bench(options);
    bench.machine.list(answer_key::kAddresses, {});
    const Snapshot seen = bench.sample();
    EXPECT_TRUE(seen.expected_missing.empty()) << name;
    EXPECT_TRUE(seen.ports.at(0).in_scope) << name << ": " << seen.ports.at(0).why_not;
  }
  SamplerOptions options;
  options.selection.expected = {"0000:ff:00.0"};
  EXPECT_EQ(Bench(options).sample().expected_missing, (std::vector<std::string>{"0000:ff:00.0"}));
}

TEST(Sampler, a_machine_without_anything_gives_an_empty_snapshot) {
  doubles::FakeHost nothing;
  Sampler sampler({});
  Host host = nothing.host();
  const Snapshot snapshot = sampler.sample(host);
  EXPECT_TRUE(snapshot.ports.empty());
  EXPECT_FALSE(*snapshot.host.rdma_subsystem);
  EXPECT_FALSE(nothing.asked_about("netlink/rdma"));
  EXPECT_TRUE(snapshot.host.memlock->empty());
  EXPECT_EQ(snapshot.host.kernel_command_line.absent().why, Why::NotPresent);
}

}  // namespace
}  // namespace roceready
