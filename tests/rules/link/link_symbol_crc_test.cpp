// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// Five minutes with `bad` damaged frames among `packets`.
Scene receiving(double bad, double packets) {
  Scene scene;
  scene.every(60, 4).after(60, {{Id::RxCrcErrors, bad}, {Id::RxPacketsPhy, packets}});
  return scene;
}

TEST(LinkSymbolCrc, judges_the_share_of_damaged_frames) {
  struct Case {
    double bad, packets;
    Outcome outcome;
    Severity severity;
  };
  for (const Case& c :
       {Case{0, 1e9, Outcome::Pass, {}}, Case{2, 1e9, Outcome::Pass, {}}, Case{5, 1e10, Outcome::Pass, {}},
        Case{5, 1e9, Outcome::Fail, Severity::Warning}, Case{2000, 1e9, Outcome::Fail, Severity::Critical}}) {
    const Judgement said = receiving(c.bad, c.packets).ask(kLinkSymbolCrc);
    EXPECT_EQ(said.outcome, c.outcome) << words_of(said);
    if (c.outcome == Outcome::Fail) expect_fail(said, c.severity, "damaged frames in the last 5 min, 1 in ");
  }
}

TEST(LinkSymbolCrc, takes_no_burst_for_a_rate) {
  Scene scene;
  scene.after(2, {{Id::RxCrcErrors, 4}, {Id::RxPacketsPhy, 1e6}});
  expect_fail(scene.ask(kLinkSymbolCrc), Severity::Info, "not sustained yet");
}

TEST(LinkSymbolCrc, counts_coding_errors_too) {
  Scene scene;
  scene.every(60, 4).after(60, {{Id::RxSymbolErrorPackets, 4}, {Id::RxPacketsPhy, 1e9}});
  expect_fail(scene.ask(kLinkSymbolCrc), Severity::Warning, "4 damaged frames");
}

TEST(LinkSymbolCrc, blames_a_link_further_up_for_frames_that_a_switch_marked) {
  Scene scene;
  scene.shows(Id::RxStompedCrc);
  scene.every(60, 4).after(60, {{Id::RxCrcErrors, 50}, {Id::RxStompedCrc, 49}, {Id::RxPacketsPhy, 1e9}});
  expect_fail(scene.ask(kLinkSymbolCrc), Severity::Info, "the faulty link lies further up");
  scene.after(1, {{Id::RxCrcErrors, 5}});
  expect_fail(scene.ask(kLinkSymbolCrc), Severity::Warning, "6 damaged frames");
}

TEST(LinkSymbolCrc, says_nothing_with_little_traffic_or_while_the_link_trains) {
  expect_not_looked_at(receiving(50, 1000).ask(kLinkSymbolCrc), "longer_window");
  Scene scene;
  scene.every(60, 6, {{Id::RxPacketsPhy, 1e9}});
  scene.eth0().link.carrier = false;
  scene.after(1);
  scene.eth0().link.carrier = true;
  scene.after(1, {{Id::RxCrcErrors, 900}}).after(1);
  expect_pass(scene.ask(kLinkSymbolCrc));
}

TEST(LinkSymbolCrc, clears_no_link_of_which_one_kind_of_error_is_hidden) {
  for (const Id id : {Id::RxCrcErrors, Id::RxSymbolErrorPackets}) {
    Scene hidden = receiving(0, 1e9);
    expect_unknown(hidden.hides(id).after(1).ask(kLinkSymbolCrc), Why::NotPresent);
    Scene little = receiving(id == Id::RxCrcErrors ? 0 : 5, 1e10);
    expect_unknown(little.hides(id).after(1).ask(kLinkSymbolCrc), Why::NotPresent);
    Scene never;
    never.never_shows({id}).every(60, 5, {{Id::RxPacketsPhy, 1e9}});
    expect_pass(never.ask(kLinkSymbolCrc));
  }
}

TEST(LinkSymbolCrc, is_unknown_or_not_looked_at_without_its_counters) {
  Scene hidden;
  hidden.hides(Id::RxCrcErrors).hides(Id::RxSymbolErrorPackets);
  expect_unknown(hidden.after(1).ask(kLinkSymbolCrc), Why::NotPresent);
  Scene never;
  never.never_shows({Id::RxCrcErrors, Id::RxSymbolErrorPackets});
  expect_not_looked_at(never.after(1).ask(kLinkSymbolCrc), "never_shown");
  Scene no_total;
  no_total.hides(Id::RxPacketsPhy).every(60, 5, {{Id::RxCrcErrors, 50}});
  expect_unknown(no_total.ask(kLinkSymbolCrc), Why::NotPresent);
  Scene no_packets;
  no_packets.never_shows({Id::RxPacketsPhy}).every(60, 5, {{Id::RxCrcErrors, 50}});
  expect_not_looked_at(no_packets.ask(kLinkSymbolCrc), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
