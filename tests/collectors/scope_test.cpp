// SPDX-License-Identifier: Apache-2.0
// Ports that were used and have lost their address.
#include <gtest/gtest.h>

#include <string>

#include "collectors/sampler.h"
#include "tests/collectors/mlx5_pair.h"

namespace roceready {
namespace {

/// A host and a sampler over it; one second passes before each sample.
struct Bench {
  doubles::FakeHost machine = one_port();
  Sampler sampler{SamplerOptions{}};
  Snapshot sample() {
    machine.advance(1'000'000'000);
    Host host = machine.host();
    return sampler.sample(host);
  }
};

/// Whether the only port is in scope after its device, once used, was gone and is back without an address.
bool in_scope_without_an_address_after_it_was_gone(Bench& bench, const std::string& name) {
  EXPECT_TRUE(bench.sample().ports.at(0).in_scope);
  bench.machine.list(answer_key::kAddresses, {});
  bench.machine.list(answer_key::kRdmaDevices, {});
  bench.machine.list(answer_key::list("/sys/class/infiniband"), {});
  EXPECT_TRUE(bench.sample().ports.empty());
  EXPECT_TRUE(bench.sample().ports.empty());
  const auto place = bench.machine.answers[answer_key::link("/sys/class/infiniband/mlx5_0")];
  add_mlx5_function(bench.machine, name, "eth0", "0000:3b:00.0");
  bench.machine.answers[answer_key::link("/sys/class/infiniband/" + name)] = place;
  const Snapshot back = bench.sample();
  EXPECT_EQ(back.ports.size(), 1U);
  EXPECT_EQ(back.ports.at(0).device, name);
  return back.ports.at(0).in_scope;
}

TEST(Scope, a_port_whose_driver_was_loaded_again_stays_in_scope_without_an_address) {
  for (const char* name : {"mlx5_0", "mlx5_7"}) {
    Bench bench;
    EXPECT_TRUE(in_scope_without_an_address_after_it_was_gone(bench, name)) << name;
  }
}

TEST(Scope, software_rdma_that_was_made_anew_must_have_an_address_to_be_in_scope) {
  Bench bench;
  bench.machine.link("/sys/class/infiniband/mlx5_0", "../../devices/virtual/infiniband/mlx5_0");
  EXPECT_FALSE(in_scope_without_an_address_after_it_was_gone(bench, "mlx5_0"));
}

TEST(Scope, a_used_port_stays_in_scope_under_new_options) {
  Bench bench;
  (void)bench.sample();
  bench.machine.list(answer_key::kAddresses, {});
  ASSERT_TRUE(bench.sample().ports.at(0).in_scope);
  SamplerOptions options;
  options.selection.include = {"mlx5_7"};
  bench.sampler.configure(options);
  const Snapshot after = bench.sample();
  EXPECT_TRUE(after.ports.at(0).in_scope) << after.ports.at(0).why_not;
  for (const CollectorRun& run : after.collectors) EXPECT_TRUE(run.ran) << run.collector;
  Bench other;
  other.machine.list(answer_key::kAddresses, {});
  ASSERT_FALSE(other.sample().ports.at(0).in_scope);
  other.sampler.recall_used_ports(bench.sampler.used_ports());
  EXPECT_TRUE(other.sample().ports.at(0).in_scope);
}

TEST(Scope, a_port_that_was_excluded_counts_as_unused_afterwards) {
  for (const char* pattern : {"mlx5_0", "mlx5_0/1", "eth0"}) {
    Bench bench;
    (void)bench.sample();
    bench.machine.list(answer_key::kAddresses, {});
    SamplerOptions options;
    options.selection.exclude = {pattern};
    bench.sampler.configure(options);
    EXPECT_TRUE(bench.sample().ports.empty()) << pattern;
    EXPECT_TRUE(bench.sampler.used_ports().empty()) << pattern;
    bench.sampler.configure({});
    EXPECT_FALSE(bench.sample().ports.at(0).in_scope) << pattern;
  }
}

/// A pod: the device is visible, its netdev is not.
doubles::FakeHost pod() {
  doubles::FakeHost machine = one_port();
  machine.list(answer_key::kLinks, {});
  machine.data(answer_key::rdma_port("mlx5_0", 1), doubles::rdma_port_bytes(""));
  add_netdev(machine, "eth9", 2, "");
  return machine;
}

TEST(Scope, where_all_ports_netdevs_are_elsewhere_those_with_an_address_are_listed_instead) {
  Bench bench;
  bench.machine = pod();
  add_netdev(bench.machine, "idle0", 3, "");
  const Snapshot snapshot = bench.sample();
  ASSERT_EQ(snapshot.ports.size(), 1U);
  EXPECT_FALSE(snapshot.ports[0].in_scope);
  EXPECT_EQ(snapshot.ports[0].netdev.absent().why, Why::OtherNamespace);
  ASSERT_EQ(snapshot.netdevs.size(), 1U) << "one without an address is nobody's";
  EXPECT_EQ(snapshot.netdevs[0].link.name, "eth9");
  EXPECT_FALSE(bench.machine.asked_about("ethtool/statistics_values/eth9")) << "its link alone is looked at";
}

TEST(Scope, beside_a_port_whose_netdev_is_here_no_others_are_listed) {
  Bench bench;
  add_mlx5_function(bench.machine, "mlx5_1", "", "0000:5e:00.0");
  add_netdev(bench.machine, "eno1", 7, "0000:01:00.0");
  bench.machine.answers[answer_key::kAddresses].items.push_back(doubles::ipv4_bytes(7, {10, 1, 0, 1}));
  const Snapshot snapshot = bench.sample();
  ASSERT_EQ(snapshot.ports.size(), 2U);
  EXPECT_EQ(snapshot.netdev("eno1"), nullptr);
}

TEST(Gids, a_table_whose_beginning_sysfs_refuses_begins_with_another_namespaces_entries) {
  const std::string types = "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/";
  const auto tables = [&](int refusal) {
    Bench bench;
    for (const char* slot : {"0", "1"}) bench.machine.refuse(answer_key::file(types + slot), refusal);
    bench.machine.file("/sys/class/infiniband/mlx5_0/ports/1/gids/2", "0000:0000:0000:0000:0000:ffff:0a00:0001\n");
    bench.machine.file(types + "2", "RoCE v2\n");
    bench.machine.file("/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/2", "eth0\n");
    return bench.sample().ports.at(0).gids;
  };
  const auto foreign = tables(EINVAL);
  ASSERT_TRUE(foreign);
  ASSERT_EQ(foreign->size(), 3U);
  EXPECT_EQ((*foreign)[0].index, 0U);
  EXPECT_EQ((*foreign)[1].netdev.absent().why, Why::OtherNamespace);
  EXPECT_EQ((*foreign)[2].netdev.value_or(""), "eth0");
  EXPECT_EQ(tables(EACCES)->size(), 1U) << "a refusal of another kind says nothing";
}

}  // namespace
}  // namespace roceready
