// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(PcieMrrsLow, is_info_on_fast_ports_and_a_warning_where_it_is_tiny) {
  struct Case {
    std::uint32_t bytes;
    std::uint64_t speed;
    Outcome outcome;
    Severity severity;
  };
  for (const Case& c :
       {Case{4096, 100'000'000'000, Outcome::Pass, {}}, Case{512, 100'000'000'000, Outcome::Fail, Severity::Info},
        Case{2048, 400'000'000'000, Outcome::Fail, Severity::Info}, Case{512, 25'000'000'000, Outcome::Pass, {}},
        Case{256, 25'000'000'000, Outcome::Fail, Severity::Warning},
        Case{128, 100'000'000'000, Outcome::Fail, Severity::Warning}}) {
    Scene scene;
    scene.nic().max_read_request_bytes = c.bytes;
    scene.eth0().ethtool.link_modes->speed_bits_per_second = c.speed;
    const Judgement said = scene.ask(kPcieMrrsLow);
    EXPECT_EQ(said.outcome, c.outcome) << c.bytes << ": " << words_of(said);
    if (c.outcome == Outcome::Fail)
      expect_fail(said, c.severity, "reads at most " + std::to_string(c.bytes) + " bytes at once");
  }
}

TEST(PcieMrrsLow, offers_a_command_that_leaves_the_other_bits_alone) {
  Scene scene;
  scene.nic().max_read_request_bytes = 256U;
  (void)scene.ask(kPcieMrrsLow);
  ASSERT_EQ(scene.fix().size(), 2U);
  EXPECT_EQ(scene.fix()[1].command, "setpci -s 0000:3b:00.0 CAP_EXP+8.w=5000:7000");
  EXPECT_FALSE(scene.fix()[1].persistent);
}

TEST(PcieMrrsLow, is_unknown_when_denied_and_not_applicable_without_pcie) {
  Scene scene;
  scene.nic().max_read_request_bytes = denied();
  expect_unknown(scene.ask(kPcieMrrsLow), Why::Denied);
  scene.nic().max_read_request_bytes = not_present();
  expect_not_applicable(scene.ask(kPcieMrrsLow));
}

}  // namespace
}  // namespace roceready::rules_test
