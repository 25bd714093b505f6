// SPDX-License-Identifier: Apache-2.0
#include "rules/decision_trees.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>

#include "rules/engine.h"
#include "rules/rule.h"

namespace roceready::rules {
namespace {

Subject subject() {
  Subject out;
  out.device = "mlx5_0";
  out.port = 1;
  return out;
}

/// A port on which some rules found something, some looked and found nothing, and some could not look.
class Port {
 public:
  Port& found(const char* id, Severity severity = Severity::Warning) {
    Finding one;
    one.rule = rule_named(id);
    EXPECT_NE(one.rule, nullptr) << id;
    one.key = id;
    one.severity = severity;
    one.subject = subject();
    one.next = one.rule->next;
    findings_.push_back(one);
    return *this;
  }
  Port& passed(std::initializer_list<const char*> ids) { return said(ids, Outcome::Pass); }
  Port& unknown(std::initializer_list<const char*> ids) { return said(ids, Outcome::Unknown); }
  /// The RDMA side counted so much of it in the last minute.
  Port& grew(CounterId id, std::uint64_t amount) {
    Snapshot one;
    RdmaPort port;
    port.device = "mlx5_0";
    port.in_scope = true;
    port.counters.driver_known = true;
    for (std::uint64_t k = 0; k < 2; ++k) {
      const auto at = static_cast<std::int64_t>(1000 + 60 * k) * 1'000'000'000;
      port.counters.at_monotonic_ns = at;
      port.counters.values = {{id, kNoLane, 64, 100 + k * amount, 1.0}};
      one.before = one.after = {at, at};
      one.ports = {port};
      history_.add(std::make_shared<const Snapshot>(one));
    }
    return *this;
  }
  std::string next() {
    look_next(findings_, said_, history_);
    return findings_.front().next;
  }

 private:
  Port& said(std::initializer_list<const char*> ids, Outcome outcome) {
    for (const char* id : ids) said_.push_back({rule_named(id), &where_, outcome});
    return *this;
  }
  std::vector<Finding> findings_;
  Subject where_ = subject();
  std::vector<RuleJudgement> said_;
  History history_{{CounterId::CnpHandled, CounterId::LocalAckTimeout, CounterId::OutOfSequence}};
};

bool begins(const std::string& text, const std::string& part) {
  EXPECT_TRUE(text.starts_with(part)) << text;
  EXPECT_TRUE(text.ends_with(".") || text.ends_with(".)")) << text;
  return text.starts_with(part);
}

TEST(LossSeen, is_looked_for_in_the_link_first_then_in_the_drops_of_this_nic) {
  begins(Port().found("transport-seq-err").found("link-flap", Severity::Info).next(),
         "The link: link-flap speaks too.");
  begins(Port().found("transport-seq-err").found("drop-tx-discards").found("transport-ack-timeout").next(),
         "Drops here: drop-tx-discards");
}

TEST(LossSeen, lies_elsewhere_when_link_and_nic_were_looked_at_and_are_clean) {
  Port port;
  port.found("transport-seq-err").found("transport-ack-timeout").passed({"link-flap", "drop-rx-lossless-prio"});
  begins(port.next(), "Drops elsewhere: this link is clean and this NIC dropped nothing.");
}

TEST(LossSeen, is_never_called_elsewhere_when_nobody_could_look_here) {
  Port blind;
  blind.found("transport-seq-err")
      .found("transport-ack-timeout")
      .passed({"link-flap"})
      .unknown({"drop-rx-lossless-prio"});
  const std::string text = blind.next();
  begins(text, "It could not be seen whether this NIC drops");
  EXPECT_NE(text.find("unreadable: drop-rx-lossless-prio"), std::string::npos) << text;
}

TEST(LossSeen, is_perhaps_reordering_while_nothing_times_out) {
  Port port;
  begins(port.found("transport-oos").grew(CounterId::LocalAckTimeout, 0).next(), "Perhaps reordering, not loss");
  Port uncounted;
  uncounted.found("transport-oos").passed({"link-flap", "drop-tx-discards"});
  begins(uncounted.next(), "Drops elsewhere");
}

TEST(LossSeen, is_a_paused_path_or_a_lost_acknowledgement_when_only_timeouts_were_seen) {
  begins(Port().found("transport-ack-timeout").found("pfc-rx-pause-high", Severity::Info).next(),
         "A paused path, not loss");
  begins(Port().found("transport-ack-timeout").next(), "Lost acknowledgements");
}

TEST(LossSeen, is_no_lost_acknowledgement_where_packets_were_reported_missing_and_no_rule_judged_that) {
  for (const char* pause : {"", "pfc-rx-pause-high"}) {
    Port port;
    port.found("transport-retry-exceeded").grew(CounterId::OutOfSequence, 90000);
    if (*pause != '\0') port.found(pause, Severity::Info);
    begins(port.next(), "It could not be seen whether this NIC drops");
  }
  Port still;
  begins(still.found("transport-retry-exceeded").grew(CounterId::OutOfSequence, 0).next(), "Lost acknowledgements");
  Port blind;
  const std::string text = blind.found("transport-retry-exceeded").unknown({"transport-seq-err"}).next();
  begins(text, "Lost acknowledgements");
  EXPECT_NE(text.find("unreadable: transport-seq-err"), std::string::npos) << text;
}

TEST(LossSeen, is_not_asked_about_connections_that_waited_for_a_receiver) {
  Port port;
  port.found("transport-rnr");
  EXPECT_EQ(port.next(), rule_named("transport-rnr")->next);
}

TEST(PauseSeen, is_this_hosts_when_it_sends_it) {
  Port port;
  port.found("pfc-tx-pause-high").unknown({"pcie-width-degraded"});
  const std::string text = port.next();
  begins(text, "This host: its NIC asks the switch to wait");
  EXPECT_NE(text.find("pcie-width-degraded"), std::string::npos) << text;
}

TEST(PauseSeen, is_a_peers_or_the_switchs_when_it_is_received) {
  const auto received = [](std::uint64_t notifications) {
    return Port().found("pfc-rx-pause-high").grew(CounterId::CnpHandled, notifications).next();
  };
  EXPECT_NE(received(500).find("it is incast or oversubscription"), std::string::npos);
  EXPECT_NE(received(0).find("ECN is missing on the switch"), std::string::npos);
  EXPECT_NE(Port().found("pfc-rx-pause-high").next().find("where it marks ECN, else ECN is missing there"),
            std::string::npos);
}

TEST(PauseSeen, is_settled_at_the_link_level_or_at_home_first) {
  begins(Port().found("pfc-rx-pause-high").found("pfc-global-pause").next(), "Link-level pause is on as well");
  begins(Port().found("pfc-rx-pause-high").found("pfc-tx-pause-high").next(), "This host sends pause as well");
}

TEST(LookNext, leaves_symptoms_and_other_findings_alone) {
  Port port;
  port.found("pfc-disabled").found("transport-seq-err");
  EXPECT_EQ(port.next(), rule_named("pfc-disabled")->next);
}

}  // namespace
}  // namespace roceready::rules
