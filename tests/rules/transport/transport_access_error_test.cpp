// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(TransportAccessError, is_never_more_than_info) {
  Scene scene;
  scene.shows_rdma(Id::RespRemoteAccessError).shows_rdma(Id::RespLocalLengthError).every(60, 2);
  expect_pass(scene.ask(kTransportAccessError));
  scene.after(60, {{Id::RespRemoteAccessError, 1e6}, {Id::RespLocalLengthError, 2}});
  const Judgement said = scene.ask(kTransportAccessError);
  expect_fail(said, Severity::Info, "2 requests of a peer too long for the buffer");
  EXPECT_EQ(said.evidence.size(), 2U);
  ASSERT_EQ(kTransportAccessError.severities.size(), 1U);
}

TEST(TransportAccessError, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene scene;
  expect_not_looked_at(Scene().after(1).ask(kTransportAccessError), "never_shown");
  scene.shows_rdma(Id::RespRemoteAccessError).hides(Id::RespRemoteAccessError).after(1);
  expect_unknown(scene.ask(kTransportAccessError), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test
