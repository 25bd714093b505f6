// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "daemon/process.h"

namespace roceready::daemon {
namespace {

TEST(Process, opens_as_many_files_as_it_may) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 256);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  raise_descriptor_limit();
  rlimit now{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(now.rlim_cur, std::min<rlim_t>(before.rlim_max, 65536));
  EXPECT_EQ(now.rlim_max, before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace roceready::daemon
