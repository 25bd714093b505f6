// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/log_lines.h"
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(TransportLogNfsStall, does_not_apply_without_logs) {
  expect_not_applicable(Scene().ask(kTransportLogNfsStall));
}

TEST(TransportLogNfsStall, fires_on_a_server_that_does_not_respond) {
  Scene scene;
  scene.now().log = {log_line("link_went_down", "eth0", "eth0: Link down")};
  expect_not_applicable(scene.ask(kTransportLogNfsStall));
  scene.now().log.push_back(
      log_line("nfs_not_responding", "", "nfs: server 192.0.2.50 not responding", {{"server", "192.0.2.50"}}));
  const Judgement said = scene.ask(kTransportLogNfsStall);
  expect_fail(said, Severity::Info, "old MAC");
  EXPECT_EQ(said.evidence.at(0).source, "sent.log:17");
}

LogFact neighbour(const std::string& address, const std::string& mac) {
  return log_line("neighbour", "eth0", address + " dev eth0 lladdr " + mac, {{"address", address}, {"mac", mac}});
}

TEST(TransportLogNfsStall, names_the_move_of_the_server_that_did_not_answer) {
  Scene scene;
  scene.now().log = {log_line("nfs_not_responding", "", "nfs: server 192.0.2.50 not responding",
                              {{"server", "192.0.2.50"}, {"seconds", "276"}}),
                     neighbour("192.0.2.50", "02:00:5e:00:53:11"), neighbour("192.0.2.51", "02:00:5e:00:53:21"),
                     neighbour("192.0.2.50", "02:00:5e:00:53:12"), neighbour("192.0.2.51", "02:00:5e:00:53:22")};
  const Judgement said = scene.ask(kTransportLogNfsStall);
  expect_fail(said, Severity::Info, "did not answer for 4.6 min");
  EXPECT_NE(said.sentence.find("192.0.2.50 moved to another MAC (02:00:5e:00:53:11, then 02:00:5e:00:53:12)"),
            std::string::npos)
      << said.sentence;
  EXPECT_EQ(said.sentence.find("192.0.2.51"), std::string::npos) << "another one's move is not this server's";
  EXPECT_EQ(said.sentence.find("ink"), std::string::npos) << "no link is blamed";
}

TEST(TransportLogNfsStall, takes_a_note_of_how_long_a_connection_was_away) {
  Scene scene;
  scene.now().log = {log_line("reconnect_time", "", "reconnect_min: >4", {{"seconds", "240"}, {"more", "yes"}})};
  expect_fail(scene.ask(kTransportLogNfsStall), Severity::Info, "came back only after more than 4 min");
  scene.now().log[0].says["seconds"] = "soon";
  expect_fail(scene.ask(kTransportLogNfsStall), Severity::Info, "came back only after a while");
}

}  // namespace
}  // namespace roceready::rules_test
