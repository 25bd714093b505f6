// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

/// The carrier is lost for `seconds` and back since `back`.
Scene dropped(double seconds, double back) {
  Scene scene;
  scene.every(60, 5);
  scene.eth0().link.carrier = false;
  scene.after(1).after(seconds);
  scene.eth0().link.carrier = true;
  scene.after(1).after(back);
  return scene;
}

TEST(LinkDropLong, tells_of_a_loss_of_minutes_for_ten_minutes) {
  struct Case {
    double down, back;
    bool told;
  };
  for (const Case& c : {Case{299, 30, true}, Case{299, 590, true}, Case{299, 700, false}, Case{100, 30, false}}) {
    const Judgement said = dropped(c.down, c.back).ask(kLinkDropLong);
    if (c.told)
      expect_fail(said, Severity::Warning, "was without carrier for 5 min");
    else
      expect_pass(said);
  }
}

TEST(LinkDropLong, leaves_a_link_that_is_still_down_to_link_down) {
  Scene scene;
  scene.every(60, 2);
  scene.eth0().link.carrier = false;
  expect_not_applicable(scene.every(60, 10).ask(kLinkDropLong));
}

TEST(LinkDropLong, ignores_a_loss_that_a_person_caused) {
  Scene scene;
  scene.every(60, 5);
  scene.eth0().link.carrier = false;
  scene.eth0().link.admin_up = false;
  scene.every(60, 6);
  scene.eth0().link.carrier = true;
  scene.eth0().link.admin_up = true;
  expect_pass(scene.after(1).ask(kLinkDropLong));
}

TEST(LinkDropLong, says_how_many_links_went_at_the_same_moment) {
  Scene scene;
  scene.bonded(4, "");
  scene.every(60, 5);
  for (const char* name : {"eth0", "eth1"}) scene.netdev(name).link.carrier = false;
  scene.after(1).after(300);
  for (const char* name : {"eth0", "eth1"}) scene.netdev(name).link.carrier = true;
  expect_fail(scene.after(1).ask(kLinkDropLong), Severity::Warning,
              "1 other link of this node went down at the same moment");
}

TEST(LinkDropLong, needs_minutes_of_watching_and_the_carrier) {
  Scene scene;
  expect_not_looked_at(scene.after(2).ask(kLinkDropLong), "longer_window");
  scene.eth0().link.carrier = denied();
  expect_unknown(scene.after(1).ask(kLinkDropLong), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test
