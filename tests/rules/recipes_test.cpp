// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// All commands of all rules on a NIC whose netdev has this driver.
std::vector<FixCommand> all_commands(const std::string& driver) {
  const std::map<std::string, std::string> rdma_side = {
      {"mlx5_core", "mlx5_ib"}, {"bnxt_en", "bnxt_re"}, {"ice", "irdma"}, {"ionic", "ionic_rdma"}};
  Scene scene;
  scene.eth0().ethtool.driver->driver = driver;
  scene.port().driver = rdma_side.contains(driver) ? rdma_side.at(driver) : driver;
  scene.after(1);
  std::vector<FixCommand> out;
  for (const Rule* rule : catalogue()) {
    (void)scene.judge(*rule);
    out.insert(out.end(), scene.fix().begin(), scene.fix().end());
  }
  return out;
}

bool has(const std::vector<FixCommand>& commands, const std::string& part) {
  return std::any_of(commands.begin(), commands.end(),
                     [&](const FixCommand& command) { return command.command.find(part) != std::string::npos; });
}

TEST(Recipes, never_offer_apptrust_and_always_say_whether_they_last) {
  for (const char* driver : {"mlx5_core", "bnxt_en", "ice", "ionic", "something"}) {
    const std::vector<FixCommand> commands = all_commands(driver);
    EXPECT_FALSE(commands.empty());
    EXPECT_FALSE(has(commands, "apptrust")) << driver;
    for (const FixCommand& command : commands) {
      EXPECT_FALSE(command.command.empty() || command.note.empty()) << command.command;
      EXPECT_EQ(command.command.find("  "), std::string::npos) << command.command;
    }
  }
}

TEST(Recipes, are_those_of_the_vendor_at_hand) {
  EXPECT_TRUE(has(all_commands("mlx5_core"), "mlnx_qos -i eth0 --trust dscp"));
  EXPECT_TRUE(has(all_commands("mlx5_core"), "mlnx_qos -i eth0 --dscp2prio set,26,3"));
  EXPECT_TRUE(has(all_commands("bnxt_en"), "bnxt_setupcc.sh -d mlx5_0 -i eth0 -m 3 -s 26 -r 3 -p 48 -c 6"));
  EXPECT_FALSE(has(all_commands("bnxt_en"), "mlnx_qos"));
  EXPECT_TRUE(has(all_commands("ionic"), "nicctl update qos pfc --priority 3 --no-drop enable"));
  EXPECT_TRUE(has(all_commands("ice"), "fw-lldp-agent off"));
}

TEST(Recipes, put_the_vendors_command_first) {
  Scene scene;
  (void)scene.judge(kPfcDisabled);
  ASSERT_EQ(scene.fix().size(), 2U);
  EXPECT_EQ(scene.fix()[0].vendor, "nvidia");
  EXPECT_EQ(scene.fix()[1].vendor, "generic");
}

TEST(Recipes, use_numbers_of_the_profile) {
  Scene scene;
  scene.profile().pfc_priorities = 1U << 3 | 1U << 4;
  scene.profile().roce_dscp = 24;
  (void)scene.judge(kPfcDisabled);
  EXPECT_TRUE(has(scene.fix(), "--pfc 0,0,0,1,1,0,0,0"));
  EXPECT_TRUE(has(scene.fix(), "prio-pfc all:off 3:on 4:on"));
  (void)scene.judge(kRoceTosDefaultZero);
  EXPECT_TRUE(has(scene.fix(), "cma_roce_tos -d mlx5_0 -t 98"));
  EXPECT_TRUE(has(scene.fix(), "NCCL_IB_TC=98"));
}

}  // namespace
}  // namespace roceready::rules_test
