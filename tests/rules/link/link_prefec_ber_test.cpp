// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;
constexpr double kLineBits = 100e9;  // each second

/// Five minutes at this bit error rate on a link of 100 Gbit/s.
Scene at_rate(double rate, std::uint32_t lanes = 4, const std::string& fec = "RS") {
  Scene scene;
  scene.eth0().ethtool.link_modes->lanes = lanes;
  scene.eth0().ethtool.fec->active = fec;
  scene.every(60, 5, {{Id::FecCorrectedBits, rate * kLineBits * 60}});
  return scene;
}

TEST(LinkPrefecBer, compares_with_what_the_active_code_can_repair) {
  struct Case {
    double rate;
    std::uint32_t lanes;
    const char* fec;
    Outcome outcome;
    Severity severity;
    const char* part;
  };
  for (const Case& c : {Case{1e-8, 2, "RS", Outcome::Pass, {}, ""}, Case{1e-5, 2, "RS", Outcome::Pass, {}, ""},
                        Case{3e-5, 2, "RS", Outcome::Fail, Severity::Warning, "RS(544,514)"},
                        Case{2e-4, 2, "RS", Outcome::Fail, Severity::Critical, "RS(544,514)"},
                        Case{1e-6, 4, "RS", Outcome::Pass, {}, ""},
                        Case{1e-5, 4, "RS", Outcome::Fail, Severity::Warning, "at 20 % of the limit"},
                        Case{4e-5, 4, "RS", Outcome::Fail, Severity::Critical, "RS(528,514)"},
                        Case{5e-9, 4, "BaseR", Outcome::Pass, {}, ""},
                        Case{1e-6, 4, "BaseR", Outcome::Fail, Severity::Warning, "Firecode"}}) {
    const Judgement said = at_rate(c.rate, c.lanes, c.fec).ask(kLinkPrefecBer);
    EXPECT_EQ(said.outcome, c.outcome) << c.rate << " " << c.fec << ": " << words_of(said);
    if (c.outcome == Outcome::Fail) expect_fail(said, c.severity, c.part);
  }
}

TEST(LinkPrefecBer, takes_no_burst_for_a_rate) {
  Scene scene;
  scene.after(2, {{Id::FecCorrectedBits, 4e-5 * kLineBits * 2}});
  expect_fail(scene.ask(kLinkPrefecBer), Severity::Info, "not sustained yet");
}

TEST(LinkPrefecBer, takes_the_bits_that_were_counted_where_the_nic_counts_them) {
  Scene scene;
  scene.shows(Id::RxLineBits);
  // An eighth of the line's rate was received, so the same errors are a rate eight times higher.
  scene.every(60, 5, {{Id::FecCorrectedBits, 1e-6 * kLineBits * 60}, {Id::RxLineBits, kLineBits * 60 / 64}});
  expect_fail(scene.ask(kLinkPrefecBer), Severity::Warning, "at 16 % of the limit");
}

TEST(LinkPrefecBer, names_a_lane_that_stands_out) {
  Scene early = at_rate(0);
  early.every(60, 5, {{Id::FecCorrectedBits, 1e-6 * kLineBits * 60}, {Id::LaneRawErrors, 5e6, 2}});
  expect_fail(early.ask(kLinkPrefecBer), Severity::Info, "Lane 2 has all the errors");
  Scene even;
  even.every(60, 5,
             {{Id::FecCorrectedBits, 1e-6 * kLineBits * 60},
              {Id::LaneRawErrors, 5e6, 0},
              {Id::LaneRawErrors, 5e6, 1},
              {Id::LaneRawErrors, 9e6, 2},
              {Id::LaneRawErrors, 5e6, 3}});
  expect_pass(even.ask(kLinkPrefecBer));
}

TEST(LinkPrefecBer, does_not_apply_without_correction_or_link) {
  expect_not_applicable(at_rate(1e-4, 4, "Off").ask(kLinkPrefecBer));
  expect_not_applicable(at_rate(1e-4, 4, "LLRS").ask(kLinkPrefecBer));
  Scene down;
  down.eth0().ethtool.link_modes->speed_bits_per_second = not_present();
  expect_not_applicable(down.after(1).ask(kLinkPrefecBer));
}

TEST(LinkPrefecBer, is_not_judged_from_blocks_or_without_knowing_the_code) {
  Scene blocks;
  expect_not_looked_at(blocks.never_shows({Id::FecCorrectedBits}).after(1).ask(kLinkPrefecBer), "never_shown");
  Scene unsure;
  unsure.eth0().ethtool.fec->active = not_present();
  expect_unknown(unsure.after(1).ask(kLinkPrefecBer), Why::NotPresent);
  Scene refused;
  refused.eth0().ethtool.fec = denied();
  expect_unknown(refused.after(1).ask(kLinkPrefecBer), Why::Denied);
  Scene laneless;
  laneless.eth0().ethtool.link_modes->lanes = not_present();
  expect_unknown(laneless.after(1).ask(kLinkPrefecBer), Why::NotPresent);
  expect_not_looked_at(Scene().after(1).ask(kLinkPrefecBer), "longer_window");
}

}  // namespace
}  // namespace roceready::rules_test
