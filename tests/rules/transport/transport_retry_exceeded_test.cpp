// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(TransportRetryExceeded, is_quiet_whatever_the_totals) {
  Scene scene;
  expect_not_looked_at(scene.every(1, 2).ask(kTransportRetryExceeded), "longer_window");
  expect_pass(scene.every(60, 5).ask(kTransportRetryExceeded));
}

TEST(TransportRetryExceeded, warns_once_and_is_critical_when_it_happens_again) {
  Scene scene;
  scene.every(60, 5).after(60, {{Id::TransportRetryExceeded, 4}});
  expect_fail(scene.ask(kTransportRetryExceeded), Severity::Warning, "4 connections of RDMA port mlx5_0/1 gave up");
  scene.after(60).after(60, {{Id::TransportRetryExceeded, 1}});
  expect_fail(scene.ask(kTransportRetryExceeded), Severity::Critical, "happened 2 times in the last five minutes");
}

TEST(TransportRetryExceeded, lowers_no_mtu_that_is_large_enough) {
  for (const std::uint32_t mtu : {1500U, 9000U, 9216U}) {
    Scene scene;
    scene.eth0().link.mtu = mtu;
    scene.every(60, 5).after(60, {{Id::TransportRetryExceeded, 4}});
    expect_fail(scene.ask(kTransportRetryExceeded), Severity::Warning);
    const bool set = std::any_of(scene.fix().begin(), scene.fix().end(),
                                 [](const FixCommand& one) { return one.command.find(" mtu ") != std::string::npos; });
    EXPECT_EQ(set, mtu < 9000) << mtu;
  }
}

TEST(TransportRetryExceeded, counts_one_burst_once_wherever_windows_cut_it) {
  const std::vector<Growth> lost = {{Id::TransportRetryExceeded, 3}};
  Scene scene;
  scene.every(1, 300).every(1, 4, lost);
  for (int second = 0; second < 600; second += 13) {
    const Judgement said = scene.every(1, 13).ask(kTransportRetryExceeded);
    EXPECT_FALSE(said.outcome == Outcome::Fail && said.severity == Severity::Critical) << second << words_of(said);
  }
  expect_pass(scene.ask(kTransportRetryExceeded));
  scene.every(1, 4, lost).every(1, 116).every(1, 4, lost);
  expect_fail(scene.ask(kTransportRetryExceeded), Severity::Critical);
}

TEST(TransportRetryExceeded, names_receivers_that_were_not_ready) {
  Scene scene;
  scene.after(1, {{Id::RnrRetryExceeded, 1}});
  expect_fail(scene.ask(kTransportRetryExceeded), Severity::Warning, "the receiver was not ready (1 time)");
  // However often: that is the application's matter.
  for (int i = 0; i < 4; ++i) scene.after(60, {{Id::RnrRetryExceeded, 50}});
  expect_fail(scene.ask(kTransportRetryExceeded), Severity::Warning, "happened");
  // Nor do they make much of one lost peer.
  scene.after(1, {{Id::TransportRetryExceeded, 1}});
  expect_fail(scene.ask(kTransportRetryExceeded), Severity::Warning, "no acknowledgement came (1 time)");
}

TEST(TransportRetryExceeded, clears_no_port_of_which_one_kind_is_hidden) {
  Scene hidden;
  expect_unknown(hidden.hides(Id::RnrRetryExceeded).every(60, 5).ask(kTransportRetryExceeded), Why::NotPresent);
  Scene never;
  expect_pass(never.never_shows({Id::RnrRetryExceeded}).every(60, 5).ask(kTransportRetryExceeded));
}

TEST(TransportRetryExceeded, counts_what_a_minute_with_a_gap_in_its_reads_saw) {
  Scene scene;
  scene.every(1, 300).after(1, {{Id::TransportRetryExceeded, 4}}).after(1);
  const CounterReadings shown = scene.port().counters;
  scene.hides(Id::TransportRetryExceeded).hides(Id::RnrRetryExceeded).every(1, 30);
  scene.port().counters.values = shown.values;
  expect_fail(scene.after(1).after(1).ask(kTransportRetryExceeded), Severity::Warning,
              "4 connections of RDMA port mlx5_0/1 gave up");
}

TEST(TransportRetryExceeded, needs_no_profile) {
  Scene scene;
  scene.profile("").after(1, {{Id::TransportRetryExceeded, 1}});
  expect_fail(scene.ask(kTransportRetryExceeded), Severity::Warning);
}

TEST(TransportRetryExceeded, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene hidden;
  expect_unknown(hidden.hides(Id::TransportRetryExceeded).after(1).ask(kTransportRetryExceeded), Why::NotPresent);
  Scene never;
  expect_not_looked_at(never.never_shows({Id::TransportRetryExceeded}).after(1).ask(kTransportRetryExceeded),
                       "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
