// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/device_presence.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace roceready::probes::verbs {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMs = 1'000'000;

struct Sysfs {
  fs::path root;
  Sysfs() {
    std::string pattern = (fs::temp_directory_path() / "roceready-presence-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
  }
  ~Sysfs() { fs::remove_all(root); }
  [[nodiscard]] std::string device() const { return (root / "uverbs0").string(); }
};

TEST(DevicePresence, is_told_of_within_a_tenth_of_a_second_and_once) {
  Sysfs sysfs;
  fs::create_directory(sysfs.device());
  DevicePresence presence(sysfs.device());
  EXPECT_FALSE(presence.went(1000 * kMs));
  fs::remove(sysfs.device());
  EXPECT_FALSE(presence.went(1050 * kMs)) << "each look costs a system call";
  EXPECT_TRUE(presence.went(1100 * kMs));
  EXPECT_FALSE(presence.went(1200 * kMs));
}

TEST(DevicePresence, takes_a_device_that_came_back_under_the_old_name_for_another) {
  Sysfs sysfs;
  fs::create_directory(sysfs.device());
  DevicePresence presence(sysfs.device());
  fs::create_directory(sysfs.root / "next");  // while the old one is there: it has another number
  fs::remove(sysfs.device());
  fs::rename(sysfs.root / "next", sysfs.device());
  EXPECT_TRUE(presence.went(1000 * kMs));
}

TEST(DevicePresence, that_could_not_be_seen_at_first_is_never_judged) {
  Sysfs sysfs;
  DevicePresence presence(sysfs.device());
  EXPECT_FALSE(presence.went(1000 * kMs));
  fs::create_directory(sysfs.device());
  EXPECT_FALSE(presence.went(2000 * kMs));
  fs::remove(sysfs.device());
  EXPECT_FALSE(presence.went(3000 * kMs));
}

}  // namespace
}  // namespace roceready::probes::verbs
