// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/probe_view.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace roceready::daemon {
namespace {

probes::ProbeResult answered() {
  probes::ProbeResult out;
  out.peer = "node17:9885";
  out.device = "mlx5_0";
  out.port = 1;
  out.sent = 100;
  out.reachable = true;
  return out;
}

TEST(ProbeExitCode, tells_what_the_probes_found) {
  EXPECT_EQ(probe_exit_code({}), 3);
  EXPECT_EQ(probe_exit_code({answered()}), 0);
  probes::ProbeResult lossy = answered();
  lossy.lost = 1;
  EXPECT_EQ(probe_exit_code({answered(), lossy}), 1);
  probes::ProbeResult silent = answered();
  silent.reachable = false;
  silent.lost = silent.sent;
  EXPECT_EQ(probe_exit_code({silent, lossy}), 2);
  probes::ProbeResult none = answered();
  none.sent = 0;
  EXPECT_EQ(probe_exit_code({none}), 3);
  none.peer_not_reached = true;
  EXPECT_EQ(probe_exit_code({none}), 2);
}

TEST(ProbeExitCode, of_a_run_that_was_cut_short_is_no_success) {
  probes::ProbeResult cut = answered();
  cut.cut_short = true;
  cut.error = "the device failed or was removed while probing";
  EXPECT_EQ(probe_exit_code({cut}), 3);
}

TEST(ProbeText, says_that_a_late_peer_is_no_slow_network) {
  probes::ProbeResult late = answered();
  late.responder_late = 30;
  const std::string text = probe_results_text({late}, Paint(false));
  EXPECT_NE(text.find("30 of 100"), std::string::npos) << text;
  EXPECT_NE(text.find("host delay, not network"), std::string::npos) << text;
  EXPECT_EQ(nlohmann::json::parse(probe_results_json({late})).at("peers").at(0).at("responder_late"), 30);
  late.lost = 7;
  late.answered_late = 4;
  const std::string lossy = probe_results_text({late}, Paint(false));
  EXPECT_NE(lossy.find("4 of 7 (57.1 %) lost probes were answered after the timeout"), std::string::npos) << lossy;
  EXPECT_EQ(nlohmann::json::parse(probe_results_json({late})).at("peers").at(0).at("answered_late"), 4);
}

}  // namespace
}  // namespace roceready::daemon
