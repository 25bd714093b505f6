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

TEST(TransportLogRetryExceeded, calls_right_only_what_some_line_tells) {
  Scene scene;
  scene.now().log = {log_line("retry_exceeded", "mlx5_0", kRetry, {{"gid", "::ffff:192.0.2.46"}})};
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Warning, "no line tells the traffic class");
  scene.now().log = {log_line("retry_exceeded", "mlx5_0", kRetry, {{"traffic_class", "106"}})};
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Warning, "no line tells the address");
  scene.now().log = {log_line("retry_exceeded", "mlx5_0", kRetry)};
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Warning, "Loss and a dead peer look alike");
}

LogFact between(const char* own, const char* peer) {
  return log_line("retry_exceeded", "mlx5_0", "Failed status 12: wr_id 0 syndrom 0x81",
                  {{"gid", own}, {"peer_gid", peer}});
}

TEST(TransportLogRetryExceeded, blames_no_link_local_gid_where_others_failed_as_well) {
  Scene scene;
  scene.now().log = {between("fe80::1", "fe80::2"), between("::ffff:192.0.2.5", "::ffff:192.0.2.6")};
  const Judgement said = scene.ask(kTransportLogRetryExceeded);
  expect_fail(said, Severity::Warning, "others failed as well");
  EXPECT_EQ(said.sentence.find("likely"), std::string::npos);
}

TEST(TransportLogRetryExceeded, is_info_between_two_ipv6_addresses_of_the_host) {
  Scene scene;
  scene.eth0().link.addresses = {{"192.0.2.20", 24, false}, {"2001:db8:153:1::10", 64, false}};
  scene.now().log = {between("2001:db8:171:2::20", "2001:db8:153:1::10")};
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Info, "IPv6 addresses of this host");
  scene.now().log.push_back(between("2001:db8:171:2::20", "2001:db8:153:1::99"));
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Warning);
  scene.now().log = {between("::ffff:192.0.2.21", "::ffff:192.0.2.20")};
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Warning);  // over IPv4 a host reaches itself
  scene.now().log = {log_line("retry_exceeded", "mlx5_0", kRetry)};
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Warning);
}

TEST(TransportLogRetryExceeded, names_the_vlan_of_its_own_gid) {
  Scene scene;
  scene.eth0().link.addresses = {{"192.0.2.5", 24, false}};
  scene.now().log = {between("::ffff:192.0.2.5", "::ffff:192.0.2.6")};
  EXPECT_EQ(scene.ask(kTransportLogRetryExceeded).sentence.find("VLAN"), std::string::npos);
  scene.eth0().link.kind = "vlan";
  scene.eth0().link.vlan = VlanFacts{7, {}};
  expect_fail(scene.ask(kTransportLogRetryExceeded), Severity::Warning, "VLAN 7 (eth0)");
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
