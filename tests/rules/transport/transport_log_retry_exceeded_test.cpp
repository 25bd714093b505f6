// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

const char* const kRetry = "Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)";

TEST(TransportLogRetryExceeded, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kTransportLogRetryExceeded));
}

TEST(TransportLogRetryExceeded, names_a_link_local_gid_and_class_0_as_likely) {
  Scene scene;
  scene.now().log = {log_line("retry_exceeded", "mlx5_0", kRetry, {{"vendor_error", "129"}}),
                     log_line("gid_choice", "", "[sgix 0 dgid fe80::5eff:fe00:5304 tc 0]",
                              {{"gid_index", "0"}, {"gid", "fe80::5eff:fe00:5304"}, {"traffic_class", "0"}})};
  const Judgement said = scene.ask(kTransportLogRetryExceeded);
  expect_fail(said, Severity::Warning, "link-local");
  expect_fail(said, Severity::Warning, "traffic class was 0");
  expect_fail(said, Severity::Warning, "vendor error 129");
}

TEST(TransportLogRetryExceeded, claims_no_cause_where_address_and_class_are_right) {
  Scene scene;
  scene.now().log = {log_line("retry_exceeded", "mlx5_0", kRetry),
                     log_line("gid_choice", "", "[sgix 3 dgid ::ffff:192.0.2.46 tc 106]",
                              {{"gid_index", "3"}, {"gid", "::ffff:192.0.2.46"}, {"traffic_class", "106"}})};
  const Judgement said = scene.ask(kTransportLogRetryExceeded);
  expect_fail(said, Severity::Warning, "look right");
  EXPECT_EQ(said.sentence.find("likely"), std::string::npos);
}

TEST(TransportLogRetryExceeded, is_quiet_without_such_lines_and_on_those_of_other_devices) {
  Scene scene;
  scene.now().log = {log_line("retry_exceeded", "hfi1_0", "hfi1_0: transport retry counter exceeded")};
  expect_not_applicable(scene.ask(kTransportLogRetryExceeded));
}

TEST(TransportLogRetryExceeded, noted_ack_timeouts_with_an_error_behind_them_count_and_early_retransmission_does_not) {
  Scene scene;
  const LogFact early = log_line("counter_moved", "", "roce_adp_retrans_first_increment_ms: 4",
                                 {{"counter", "roce_adp_retrans"}, {"after_ms", "4"}});
  const LogFact timeout = log_line("counter_moved", "", "local_ack_timeout_err_first_increment_ms: 1050",
                                   {{"counter", "local_ack_timeout_err"}, {"after_ms", "1050"}});
  const LogFact error = log_line("completion_error", "", "cqe_error_ms: 3738", {{"after_ms", "3738"}});
  scene.now().log = {early, error};
  expect_not_applicable(scene.ask(kTransportLogRetryExceeded));
  scene.now().log = {early, timeout};
  expect_not_applicable(scene.ask(kTransportLogRetryExceeded));
  scene.now().log = {early, timeout, error};
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Warning, "2 log lines");
}

}  // namespace
}  // namespace roceready::rules_test
