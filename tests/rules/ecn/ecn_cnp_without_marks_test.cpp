// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(EcnCnpWithoutMarks, is_info_and_hints_at_reordering) {
  expect_fail(Scene().every(10, 7, {{Id::CnpSent, 300}}).ask(kEcnCnpWithoutMarks), Severity::Info,
              "sent 1800 congestion notifications in the last 60 s while 0 marked packets arrived");
}

TEST(EcnCnpWithoutMarks, is_quiet_with_marks_or_few_notifications) {
  expect_pass(Scene().every(10, 7, {{Id::CnpSent, 300}, {Id::EcnMarkedRx, 300}}).ask(kEcnCnpWithoutMarks));
  expect_pass(Scene().every(10, 7, {{Id::CnpSent, 30}}).ask(kEcnCnpWithoutMarks));
}

TEST(EcnCnpWithoutMarks, is_unknown_or_not_looked_at_without_its_counters) {
  expect_unknown(Scene().hides(Id::EcnMarkedRx).after(1).ask(kEcnCnpWithoutMarks), Why::NotPresent);
  expect_not_looked_at(Scene().never_shows({Id::CnpSent}).after(1).ask(kEcnCnpWithoutMarks), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test
