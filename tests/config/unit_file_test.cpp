// SPDX-License-Identifier: Apache-2.0
// The hardening that the unit promises, read from the files themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/settings.h"
#include "tests/source_dir.h"

namespace roceready::config {
namespace {

/// [Service] of a unit or drop-in: every assignment in order, key → values.
std::map<std::string, std::vector<std::string>> service_of(const std::string& file) {
  std::ifstream in(std::string(ROCEREADY_SOURCE_DIR) + "/systemd/" + file);
  EXPECT_TRUE(in.is_open()) << file;
  std::map<std::string, std::vector<std::string>> out;
  std::string section;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto equals = line.find('=');
    if (line[0] == '[')
      section = line;
    else if (section == "[Service]" && equals != std::string::npos)
      out[line.substr(0, equals)].push_back(line.substr(equals + 1));
  }
  return out;
}

using Values = std::vector<std::string>;

std::set<std::string> words_of(const Values& values) {
  std::set<std::string> out;
  for (const std::string& value : values) {
    std::istringstream in(value);
    for (std::string word; in >> word;) out.insert(word);
  }
  return out;
}

TEST(Unit, has_no_capability_and_is_not_root) {
  auto unit = service_of("roceready.service");
  EXPECT_EQ(unit["CapabilityBoundingSet"], Values{""});
  EXPECT_EQ(unit["AmbientCapabilities"], Values{""});
  EXPECT_EQ(unit["NoNewPrivileges"], Values{"yes"});
  EXPECT_EQ(unit["User"], Values{"roceready"});
  EXPECT_EQ(unit["Group"], Values{"roceready"});
}

TEST(Unit, cannot_write_outside_its_state_directory) {
  auto unit = service_of("roceready.service");
  EXPECT_EQ(unit["ProtectSystem"], Values{"strict"});
  EXPECT_EQ(unit["StateDirectory"], Values{"roceready"});
  for (const char* key : {"ProtectHome", "PrivateTmp", "ProtectKernelTunables", "ProtectControlGroups"})
    EXPECT_EQ(unit[key], Values{"yes"}) << key;
  for (const char* key : {"ReadWritePaths", "BindPaths", "PermissionsStartOnly"})
    EXPECT_FALSE(unit.contains(key)) << key;
}

TEST(Unit, keeps_its_state_where_the_option_table_says) {
  const auto options = program_options({});
  const auto option =
      std::find_if(options.begin(), options.end(), [](const Option& o) { return o.key == "state.directory"; });
  ASSERT_NE(option, options.end());
  EXPECT_EQ(option->default_value, "/var/lib/" + service_of("roceready.service")["StateDirectory"].front());
}

TEST(Unit, is_closed_where_nothing_is_needed) {
  auto unit = service_of("roceready.service");
  for (const char* key :
       {"ProtectKernelModules", "ProtectKernelLogs", "ProtectClock", "RestrictNamespaces", "RestrictRealtime",
        "RestrictSUIDSGID", "LockPersonality", "MemoryDenyWriteExecute", "RemoveIPC"})
    EXPECT_EQ(unit[key], Values{"yes"}) << key;
  EXPECT_EQ(unit["SystemCallArchitectures"], Values{"native"});
  EXPECT_EQ(unit["SystemCallFilter"], (Values{"@system-service", "~@privileged @resources"}));
  EXPECT_EQ(words_of(unit["RestrictAddressFamilies"]),
            (std::set<std::string>{"AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"}));
  EXPECT_TRUE(unit.contains("MemoryMax"));
  EXPECT_TRUE(unit.contains("TasksMax"));
}

TEST(Unit, leaves_open_what_the_daemon_reads) {
  auto unit = service_of("roceready.service");
  // Each of these would take a reading away: verbs devices, the network, other units' limits, the kernel command line,
  // capabilities in the initial user namespace, the node's present name.
  for (const char* key : {"PrivateDevices", "PrivateNetwork", "PrivateUsers", "ProtectHostname", "RootDirectory"})
    EXPECT_FALSE(unit.contains(key)) << key;
  EXPECT_EQ(unit["ProtectProc"], Values{"default"});
  EXPECT_EQ(unit["ProcSubset"], Values{"all"});
  EXPECT_EQ(unit["DevicePolicy"], Values{"closed"});
  EXPECT_EQ(unit["DeviceAllow"], (Values{"char-infiniband_verbs rw", "char-231 rw", "/dev/infiniband/rdma_cm rw"}));
}

TEST(Unit, tells_systemd_how_it_is) {
  auto unit = service_of("roceready.service");
  EXPECT_EQ(unit["Type"], Values{"notify"});
  EXPECT_EQ(unit["RestartPreventExitStatus"], Values{"64"});
  ASSERT_EQ(unit["WatchdogSec"].size(), 1U);
  double longest = 0;
  for (const Option& option : program_options({}))
    if (option.key == "sampling.interval") longest = option.max.value_or(0);
  EXPECT_GE(std::stod(unit["WatchdogSec"].front()), 2 * longest);
}

TEST(PrivilegedDropIn, grants_exactly_the_documented_capabilities) {
  auto drop_in = service_of("privileged.conf");
  const std::set<std::string> expected = {"CAP_SYS_ADMIN", "CAP_DAC_READ_SEARCH", "CAP_NET_ADMIN"};
  EXPECT_EQ(words_of(drop_in["CapabilityBoundingSet"]), expected);
  EXPECT_EQ(words_of(drop_in["AmbientCapabilities"]), expected);
  EXPECT_EQ(drop_in["SystemCallFilter"], Values{"capset"});
  EXPECT_EQ(drop_in.size(), 3U) << "nothing else is loosened";

  std::ifstream in(std::string(ROCEREADY_SOURCE_DIR) + "/systemd/README.md");
  std::stringstream readme;
  readme << in.rdbuf();
  for (const std::string& capability : expected)
    EXPECT_NE(readme.str().find(capability), std::string::npos) << capability;
}

}  // namespace
}  // namespace roceready::config
