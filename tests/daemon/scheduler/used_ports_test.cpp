// SPDX-License-Identifier: Apache-2.0
// From the kernel's answers to the report: which ports a daemon looks at after a reload of its configuration, after a
// restart, and when a fault has taken their addresses.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/log.h"
#include "daemon/sampling.h"
#include "daemon/state/kept_ports.h"
#include "tests/collectors/mlx5_pair.h"
#include "tests/daemon/state/scratch.h"

namespace roceready::daemon {
namespace {

constexpr char kBoot[] = "/proc/sys/kernel/random/boot_id";

/// Two rails, each with an address.
doubles::FakeHost two_rails() {
  doubles::FakeHost out = one_port();
  add_mlx5_function(out, "mlx5_1", "eth1", "0000:3b:00.1");
  add_netdev(out, "eth1", 3, "0000:3b:00.1");
  add_address(out, 3);
  out.file(kBoot, "11111111-2222-3333-4444-555555555555\n");
  out.clock_now.wall_ns = state_time().wall_ns;
  return out;
}

void take_address_of_second_rail(doubles::FakeHost& machine) {
  machine.answers[answer_key::kAddresses].items.resize(1);
}

SamplingPlan plan_without(std::vector<std::string> excluded) {
  SamplingPlan out;
  out.judge.profile = "nvidia-lossless";
  out.judge.one_shot = false;
  out.sampler.selection.exclude = std::move(excluded);
  return out;
}

class Process {
 public:
  explicit Process(doubles::FakeHost& machine, const std::string& directory = "",
                   std::vector<std::string> excluded = {})
      : machine_(machine) {
    set_log_level("error");
    const SamplingPlan plan = plan_without(std::move(excluded));
    std::unique_ptr<Keeper> keeper;
    if (!directory.empty()) keeper = std::make_unique<Keeper>(KeeperOptions{directory, {}, 300, 60});
    sampling_ = std::make_unique<Sampling>(host_source(machine.host(), plan.sampler), plan, board_, std::move(keeper));
  }
  void tick() {
    machine_.advance(1'000'000'000);
    ASSERT_TRUE(sampling_->tick(0));
  }
  void change(SamplingPlan plan) { sampling_->change(std::move(plan)); }
  void end() { ASSERT_TRUE(sampling_->finish(10'000)); }
  [[nodiscard]] bool looks_at(const std::string& device) const {
    const auto& ports = board_.latest()->report().ports;
    return std::any_of(ports.begin(), ports.end(),
                       [&](const rules::PortReport& port) { return port.device == device && port.in_scope; });
  }
  [[nodiscard]] bool misses(const std::string& device) const {
    const auto& findings = board_.latest()->report().findings;
    return std::any_of(findings.begin(), findings.end(), [&](const rules::Finding& finding) {
      return std::string(finding.rule->id) == "host-rdma-driver-missing" && finding.subject.device == device;
    });
  }

 private:
  doubles::FakeHost& machine_;
  Board board_;
  std::unique_ptr<Sampling> sampling_;
};

void remove_second_rail(doubles::FakeHost& machine) {
  machine.answers[answer_key::kRdmaDevices].items.resize(1);
  machine.list(answer_key::list("/sys/class/infiniband"), {"mlx5_0"});
}

TEST(ARailThatIsGone, is_missed_as_long_as_it_is_not_excluded) {
  doubles::FakeHost machine = two_rails();
  Process daemon(machine);
  daemon.tick();
  remove_second_rail(machine);
  daemon.tick();
  EXPECT_TRUE(daemon.misses("mlx5_1"));
  daemon.change(plan_without({"mlx5_0"}));
  daemon.tick();
  EXPECT_TRUE(daemon.misses("mlx5_1"));
  EXPECT_FALSE(daemon.misses("mlx5_0"));
  daemon.change(plan_without({"mlx5_1"}));
  daemon.tick();
  EXPECT_FALSE(daemon.misses("mlx5_1"));
}

TEST(AnExcludedRail, is_not_missed) {
  for (const char* pattern : {"mlx5_1", "mlx5_1/1", "mlx5_1/*", "eth1"}) {
    doubles::FakeHost machine = two_rails();
    const Scratch state;
    Process daemon(machine, state.path);
    daemon.tick();
    ASSERT_TRUE(daemon.looks_at("mlx5_1"));
    daemon.end();
    Process restarted(machine, state.path, {pattern});
    restarted.tick();
    restarted.tick();
    EXPECT_FALSE(restarted.misses("mlx5_1")) << pattern;
    EXPECT_FALSE(restarted.looks_at("mlx5_1")) << pattern;
    Process reloaded(machine);
    reloaded.tick();
    reloaded.change(plan_without({pattern}));
    reloaded.tick();
    EXPECT_FALSE(reloaded.misses("mlx5_1")) << pattern;
    EXPECT_TRUE(reloaded.looks_at("mlx5_0")) << pattern;
  }
}

TEST(ARailWithoutItsAddress, is_looked_at_after_a_reload_of_the_configuration) {
  doubles::FakeHost machine = two_rails();
  Process daemon(machine);
  daemon.tick();
  take_address_of_second_rail(machine);
  daemon.tick();
  ASSERT_TRUE(daemon.looks_at("mlx5_1"));
  daemon.change(plan_without({"mlx5_9"}));
  daemon.tick();
  EXPECT_TRUE(daemon.looks_at("mlx5_1"));
}

TEST(ARailWithoutItsAddress, is_looked_at_from_the_first_report_after_a_restart) {
  doubles::FakeHost machine = two_rails();
  const Scratch state;
  Process daemon(machine, state.path);
  daemon.tick();
  take_address_of_second_rail(machine);
  daemon.tick();
  daemon.end();
  Process second(machine, state.path);
  second.tick();
  EXPECT_TRUE(second.looks_at("mlx5_1"));
  second.end();
  Process third(machine, state.path);
  third.tick();
  EXPECT_TRUE(third.looks_at("mlx5_1")) << "kept on";
  third.end();
  machine.file(kBoot, "99999999-2222-3333-4444-555555555555\n");
  Process after_reboot(machine, state.path);
  after_reboot.tick();
  EXPECT_FALSE(after_reboot.looks_at("mlx5_1")) << "whether this boot uses it is not known";
  EXPECT_TRUE(after_reboot.looks_at("mlx5_0"));
}

TEST(ARailWithoutItsAddress, is_unused_where_the_daemon_did_not_run_for_long) {
  doubles::FakeHost machine = two_rails();
  const Scratch state;
  Process daemon(machine, state.path);
  daemon.tick();
  daemon.end();
  take_address_of_second_rail(machine);
  machine.advance(3600'000'000'000);
  Process second(machine, state.path);
  second.tick();
  EXPECT_FALSE(second.looks_at("mlx5_1"));
}

TEST(KeptPortsText, is_read_back_and_refused_where_it_makes_no_sense) {
  const KeptPorts ports{"aaaa", {"0000:3b:00.0/1", "rxe0/1"}};
  EXPECT_EQ(kept_ports_from(kept_ports_text(ports)), ports);
  EXPECT_EQ(kept_ports_from(kept_ports_text({})), KeptPorts{});
  for (const char* bad : {"", "{", "[]", "{}", R"({"boot":"a"})", R"({"boot":1,"used":[]})",
                          R"({"boot":"a","used":{}})", R"({"boot":"a","used":[1]})", R"({"boot":"a","used":[""]})"})
    EXPECT_EQ(kept_ports_from(bad), std::nullopt) << bad;
  KeptPorts many;
  for (std::size_t i = 0; i <= kMostKeptPorts; ++i) many.used.insert(std::to_string(i));
  EXPECT_EQ(kept_ports_from(kept_ports_text(many)), std::nullopt);
  EXPECT_EQ(kept_ports_from(kept_ports_text({"a", {std::string(257, 'x')}})), std::nullopt);
}

}  // namespace
}  // namespace roceready::daemon
