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

}  // namespace
}  // namespace roceready
