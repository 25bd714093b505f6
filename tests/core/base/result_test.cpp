// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "core/base/reading.h"

namespace roceready {
namespace {

TEST(Result, holds_a_value_or_an_error) {
  const Result<int> good = 7;
  const Result<int> bad = Error{ErrorCode::NotFound, "gone", "eth0", 0};
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 7);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().text(), "gone (eth0)");
  EXPECT_EQ(bad.error().during("listing ports").text(), "listing ports: gone (eth0)");
}

TEST(OsError, code_follows_the_errno) {
  const struct {
    int value;
    ErrorCode code;
  } cases[] = {
      {ENOENT, ErrorCode::NotFound},
      {ENODEV, ErrorCode::NotFound},
      {ENXIO, ErrorCode::NotFound},
      {ENOTDIR, ErrorCode::NotFound},
      {EOPNOTSUPP, ErrorCode::NotSupported},
      {ENOTSUP, ErrorCode::NotSupported},
      {ENOSYS, ErrorCode::NotSupported},
      {ENOTTY, ErrorCode::NotSupported},
      {524, ErrorCode::NotSupported},
      {EPERM, ErrorCode::Denied},
      {EACCES, ErrorCode::Denied},
      {EINVAL, ErrorCode::Malformed},
      {EBADMSG, ErrorCode::Malformed},
      {ETIMEDOUT, ErrorCode::TimedOut},
      {EAGAIN, ErrorCode::TimedOut},
      {EIO, ErrorCode::Io},
      {ENOMEM, ErrorCode::Io},
      {9999, ErrorCode::Io},
  };
  for (const auto& c : cases) {
    const Error error = os_error(c.value, "reading", "file");
    EXPECT_EQ(error.code, c.code) << errno_name(c.value);
    EXPECT_EQ(error.os_error, c.value);
  }
}

TEST(ErrnoName, is_inverted_for_every_number_that_has_a_name) {
  int named = 0;
  for (int value = 1; value < 600; ++value) {
    const std::string name = errno_name(value);
    if (name.front() != 'E') continue;
    ++named;
    EXPECT_EQ(errno_from_name(name), value) << name;
  }
  EXPECT_GT(named, 130);
  EXPECT_EQ(errno_name(EAGAIN), "EAGAIN");
  EXPECT_EQ(errno_name(4711), "4711");
  EXPECT_EQ(errno_from_name("ENOTSUP"), EOPNOTSUPP);
  EXPECT_EQ(errno_from_name("EWHATEVER"), 0);
  EXPECT_EQ(errno_from_name(""), 0);
}

TEST(ErrorCodeName, is_inverted_for_every_code) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::Io); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(error_code_from_name(name_of(code)), code) << name_of(code);
  }
  EXPECT_EQ(error_code_from_name("nonsense"), ErrorCode::Io);
}

TEST(Reading, is_absent_until_somebody_asked) {
  const Reading<int> nobody;
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.absent().why, Why::NotRecorded);
  EXPECT_EQ(Reading<int>(3).value_or(9), 3);
  EXPECT_EQ(nobody.value_or(9), 9);
}

TEST(Reading, keeps_the_reason_of_the_error_that_it_comes_from) {
  const Reading<int> denied = os_error(EACCES, "cannot open", "/sys/x");
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.absent(), (Absent{Why::Denied, "cannot open (/sys/x): EACCES"}));
  const Reading<int> from_result = Result<int>(Error{ErrorCode::Changed, "count changed", "eth0", 0});
  EXPECT_EQ(from_result.absent(), (Absent{Why::Malformed, "count changed (eth0)"}));
  EXPECT_EQ(absent_from(Error{ErrorCode::Usage, "?", "", 0}).why, Why::NotRecorded);
  EXPECT_EQ(absent_from(os_error(EIO, "reading", "x")).why, Why::Malformed);
  EXPECT_EQ(absent_from(os_error(ETIMEDOUT, "reading", "x")).why, Why::TimedOut);
}

TEST(Reading, of_a_field_of_something_absent_is_absent_for_the_same_reason) {
  struct Pause {
    bool rx = false;
    Reading<int> frames;
  };
  const Reading<Pause> absent = Absent{Why::NotSupported, "no pause"};
  EXPECT_EQ(field(absent, &Pause::rx).absent().detail, "no pause");
  EXPECT_EQ(field(absent, &Pause::frames).absent().why, Why::NotSupported);
  const Reading<Pause> present = Pause{true, 5};
  EXPECT_EQ(*field(present, &Pause::rx), true);
  EXPECT_EQ(*field(present, &Pause::frames), 5);
}

TEST(WhyName, is_inverted_for_every_reason) {
  for (int i = 0; i <= static_cast<int>(Why::NotRecorded); ++i) {
    const auto why = static_cast<Why>(i);
    EXPECT_EQ(why_from_name(name_of(why)), why) << name_of(why);
  }
  EXPECT_EQ(why_from_name("nonsense"), Why::NotRecorded);
}

}  // namespace
}  // namespace roceready
