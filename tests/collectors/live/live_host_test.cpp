// SPDX-License-Identifier: Apache-2.0
// The machine that runs the tests: it has a loopback device. Where a test needs more (no RDMA, sysfs) it looks first.
#include "collectors/live/live_host.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "collectors/live/reply.h"
#include "collectors/uapi.h"

namespace roceready {
namespace {

namespace fs = std::filesystem;

bool has_rdma() {
  return fs::exists("/sys/module/ib_core") || fs::exists("/sys/class/infiniband");
}

std::string name_in_link(const Bytes& link) {
  if (link.size() < uapi::kIfInfoMsgSize) return "";
  const auto name = live::find_attribute(std::span(link).subspan(uapi::kIfInfoMsgSize), uapi::kIflaIfName);
  return name ? live::text_of(*name) : "";
}

TEST(LiveFiles, read_what_is_there_and_say_why_not) {
  LiveHost live;
  Files& files = live.host().files;
  const auto release = files.read("/proc/sys/kernel/osrelease");
  ASSERT_TRUE(release) << release.error().text();
  EXPECT_GT(release->size(), 3U);
  EXPECT_EQ(files.read("/proc/no-such-file").error().code, ErrorCode::NotFound);
  EXPECT_EQ(files.read("/proc").error().os_error, EISDIR);
  EXPECT_EQ(files.read("/proc/version/below").error().code, ErrorCode::NotFound);
  EXPECT_EQ(files.read("/dev/null").error().code, ErrorCode::Malformed);
  EXPECT_EQ(files.read("proc/version").error().code, ErrorCode::Usage);
  EXPECT_EQ(files.read(std::string("/proc/version\0x", 15)).error().code, ErrorCode::Usage);
  const auto cut = files.read("/proc/sys/kernel/osrelease", 2);
  EXPECT_EQ(cut.error().code, ErrorCode::Malformed);
  EXPECT_EQ(cut.error().where, "/proc/sys/kernel/osrelease");
}

TEST(LiveFiles, list_sorted_and_follow_no_pipe) {
  std::string name = (fs::temp_directory_path() / "roceready-files-XXXXXX").native();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path root = name;
  fs::create_directory(root / "d");
  std::ofstream(root / "d/b") << "2";
  std::ofstream(root / "d/a") << "1";
  fs::create_symlink("../else", root / "d/c");
  ASSERT_EQ(::mkfifo((root / "d/pipe").c_str(), 0600), 0);
  LiveHost live(LiveHost::Options{root.native()});
  Files& files = live.host().files;
  EXPECT_EQ(*files.list("/d"), (std::vector<std::string>{"a", "b", "c", "pipe"}));
  EXPECT_EQ(*files.read("/d/a"), "1");
  EXPECT_EQ(*files.read_link("/d/c"), "../else");
  EXPECT_FALSE(files.read_link("/d/a"));
  EXPECT_EQ(files.read("/d/pipe").error().code, ErrorCode::Malformed);
  EXPECT_EQ(files.list("/e").error().code, ErrorCode::NotFound);
  EXPECT_EQ(files.list("/d/a").error().code, ErrorCode::NotFound);
  fs::remove_all(root);
}

TEST(LiveLinks, hold_the_loopback_device_and_its_address) {
  LiveHost live;
  const auto links = live.host().links.links();
  ASSERT_TRUE(links) << links.error().text();
  ASSERT_TRUE(std::any_of(links->begin(), links->end(), [](const Bytes& link) { return name_in_link(link) == "lo"; }));
  const auto addresses = live.host().links.addresses();
  ASSERT_TRUE(addresses) << addresses.error().text();
  for (const Bytes& address : *addresses) EXPECT_GE(address.size(), uapi::kIfAddrMsgSize);
  const auto rules = live.host().links.rules();
  if (!rules) {
    EXPECT_EQ(rules.error().code, ErrorCode::NotSupported) << rules.error().text();
    return;
  }
  EXPECT_GE(rules->size(), 3U) << "local, main and default";
  for (const Bytes& one : *rules) EXPECT_GE(one.size(), uapi::kFibRuleHeaderSize);
}

TEST(LiveEthtool, answers_for_the_loopback_device) {
  LiveHost live;
  Ethtool& ethtool = live.host().ethtool;
  const auto state = ethtool.get("lo", EthtoolMessage::LinkState);
  ASSERT_TRUE(state) << state.error().text();
  const auto link = live::find_attribute(*state, uapi::kEthtoolALinkStateLink);
  ASSERT_TRUE(link);
  EXPECT_EQ((*link)[0], std::byte{1});
  for (const EthtoolMessage message : {EthtoolMessage::LinkInfo, EthtoolMessage::LinkModes, EthtoolMessage::Rings,
                                       EthtoolMessage::Pause, EthtoolMessage::Fec}) {
    const auto answer = ethtool.get("lo", message);
    ASSERT_FALSE(answer) << name_of(message);
    EXPECT_EQ(answer.error().code, ErrorCode::NotSupported) << answer.error().text();
  }
  const auto module = ethtool.module_eeprom("lo", ModulePart{0x50, 0, 0, 3});
  ASSERT_FALSE(module);
  const ErrorCode code = module.error().code;
  EXPECT_TRUE(code == ErrorCode::NotSupported || code == ErrorCode::Denied) << module.error().text();
}

TEST(LiveEthtool, says_that_a_driver_has_no_statistics) {
  LiveHost live;
  Ethtool& ethtool = live.host().ethtool;
  EXPECT_EQ(ethtool.statistics_names("lo").error().code, ErrorCode::NotSupported);
  EXPECT_EQ(ethtool.statistics_values("lo", 5).error().code, ErrorCode::NotSupported);
  EXPECT_EQ(ethtool.statistics_values("lo", 0).error().code, ErrorCode::Usage);
  EXPECT_EQ(ethtool.statistics_values("lo", std::size_t{1} << 40U).error().code, ErrorCode::Usage);
}

TEST(LiveEthtool, reads_statistics_of_every_device_that_has_them) {
  LiveHost live;
  const auto links = live.host().links.links();
  ASSERT_TRUE(links);
  for (const Bytes& link : *links) {
    const std::string netdev = name_in_link(link);
    Ethtool& ethtool = live.host().ethtool;
    if (const auto driver = ethtool.driver_info(netdev)) {
      EXPECT_EQ(driver->size(), uapi::kDrvInfoSize);
    }
    const auto names = ethtool.statistics_names(netdev);
    if (!names) continue;
    ASSERT_EQ(names->size() % uapi::kStatisticNameSize, 0U);
    const std::size_t count = names->size() / uapi::kStatisticNameSize;
    const auto values = ethtool.statistics_values(netdev, count);
    ASSERT_TRUE(values) << values.error().text();
    EXPECT_EQ(values->size(), count * 8);
    EXPECT_EQ(ethtool.statistics_values(netdev, count + 1).error().code, ErrorCode::Changed);
  }
}

TEST(LiveEthtool, says_that_a_device_is_not_there) {
  LiveHost live;
  Ethtool& ethtool = live.host().ethtool;
  for (const std::string& name : {std::string("nosuchdev0"), std::string(), std::string(40, 'x'), std::string(300, 'x'),
                                  std::string("lo\0", 3)}) {
    EXPECT_EQ(ethtool.driver_info(name).error().code, ErrorCode::NotFound) << name;
    EXPECT_EQ(ethtool.statistics_names(name).error().code, ErrorCode::NotFound) << name;
    EXPECT_EQ(ethtool.get(name, EthtoolMessage::Pause).error().code, ErrorCode::NotFound)
        << name << ": " << ethtool.get(name, EthtoolMessage::Pause).error().text();
  }
  // The kernel's extended acknowledgement reaches the reader.
  const auto refused = ethtool.get("nosuchdev0", EthtoolMessage::Pause);
  EXPECT_NE(refused.error().what.find("device"), std::string::npos) << refused.error().text();
  EXPECT_TRUE(ethtool.get("lo", EthtoolMessage::LinkState)) << "an error must not spoil the next answer";
}

TEST(LiveDcb, is_not_supported_by_the_loopback_device) {
  LiveHost live;
  Dcb& dcb = live.host().dcb;
  EXPECT_EQ(dcb.ieee("lo").error().code, ErrorCode::NotSupported) << dcb.ieee("lo").error().text();
  EXPECT_EQ(dcb.dcbx("lo").error().code, ErrorCode::NotSupported);
  EXPECT_EQ(dcb.ieee("").error().code, ErrorCode::NotFound);
  const auto missing = dcb.ieee("nosuchdev0");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().code == ErrorCode::NotFound || missing.error().code == ErrorCode::NotSupported)
      << missing.error().text();
}

TEST(LiveRdma, is_not_present_where_its_core_is_not_loaded) {
  if (has_rdma()) GTEST_SKIP() << "this machine has the RDMA core loaded";
  LiveHost live;
  Host host = live.host();
  EXPECT_EQ(host.rdma.devices().error().code, ErrorCode::NotFound);
  EXPECT_EQ(host.rdma.port("mlx5_0", 1).error().code, ErrorCode::NotFound);
  EXPECT_EQ(host.rdma.statistics("mlx5_0", 1).error().code, ErrorCode::NotFound);
  EXPECT_NE(host.rdma.devices().error().what.find("not loaded"), std::string::npos);
  EXPECT_FALSE(has_rdma()) << "asking must not load it";
}

TEST(LiveRdma, answers_for_every_device_where_its_core_is_loaded) {
  if (!has_rdma()) GTEST_SKIP() << "this machine has no RDMA core loaded";
  LiveHost live;
  Host host = live.host();
  const auto devices = host.rdma.devices();
  ASSERT_TRUE(devices) << devices.error().text();
  for (const Bytes& device : *devices) {
    const auto name = live::find_attribute(device, uapi::kNldevAttrDevName);
    ASSERT_TRUE(name);
    EXPECT_TRUE(host.rdma.port(live::text_of(*name), 1));
    EXPECT_FALSE(host.rdma.port(live::text_of(*name), 200));
  }
  EXPECT_EQ(host.rdma.port("nosuchdev0", 1).error().code, ErrorCode::NotFound);
}

TEST(LiveVerbs, are_not_present_where_their_module_is_not_loaded) {
  if (fs::exists("/sys/module/ib_uverbs") || fs::exists("/sys/class/infiniband_verbs"))
    GTEST_SKIP() << "this machine has ib_uverbs loaded";
  LiveHost live;
  const auto table = live.host().verbs.gid_table("mlx5_0");
  ASSERT_FALSE(table);
  EXPECT_TRUE(table.error().code == ErrorCode::NotFound || table.error().code == ErrorCode::NotSupported);
  EXPECT_FALSE(live.host().verbs.port_attributes("mlx5_0", 1));
}

/// A root that claims the modules are there: what the sockets and libibverbs themselves do without RDMA must be an
/// error, not a crash.
TEST(LiveHost, survives_modules_that_are_claimed_but_not_there) {
  if (has_rdma()) GTEST_SKIP() << "this machine has the RDMA core loaded";
  utsname kernel{};
  ASSERT_EQ(::uname(&kernel), 0);
  if (fs::exists(std::string("/lib/modules/") + kernel.release))
    GTEST_SKIP() << "opening the socket here could load ib_core";
  std::string name = (fs::temp_directory_path() / "roceready-root-XXXXXX").native();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  fs::create_directories(fs::path(name) / "sys/module/ib_core");
  fs::create_directories(fs::path(name) / "sys/module/ib_uverbs");
  {
    LiveHost live(LiveHost::Options{name});
    EXPECT_FALSE(live.host().rdma.devices());
    EXPECT_FALSE(live.host().rdma.port("mlx5_0", 1));
    EXPECT_FALSE(live.host().verbs.gid_table("mlx5_0"));
    EXPECT_FALSE(live.host().verbs.port_attributes("mlx5_0", 1));
  }
  fs::remove_all(name);
}

TEST(LiveClock, runs) {
  LiveHost live;
  const Instant first = live.host().clock.now(), second = live.host().clock.now();
  EXPECT_GT(first.monotonic_ns, 0);
  EXPECT_GE(second.monotonic_ns, first.monotonic_ns);
  EXPECT_GT(first.wall_ns, 1'500'000'000'000'000'000);
}

}  // namespace
}  // namespace roceready
