// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot.h"

#include <gtest/gtest.h>

namespace roceready {
namespace {

TEST(IpAddress, is_routable_only_with_global_scope) {
  for (const char* good : {"10.0.0.1", "192.168.1.2", "8.8.8.8", "fd00::1", "2001:db8::1"}) {
    EXPECT_TRUE((IpAddress{good, 24, false}.is_routable())) << good;
    EXPECT_FALSE((IpAddress{good, 24, true}.is_routable())) << good;
  }
  for (const char* bad : {"169.254.3.4", "127.0.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "fe80::1", "::1",
                          "::", "ff02::1", "", "10.0.0", "nonsense"}) {
    EXPECT_FALSE((IpAddress{bad, 24, false}.is_routable())) << bad;
  }
}

TEST(Snapshot, finds_netdevs_and_functions_by_name) {
  Snapshot snapshot;
  snapshot.netdevs.resize(2);
  snapshot.netdevs[1].link.name = "eth1";
  snapshot.pci.resize(1);
  snapshot.pci[0].address = "0000:3b:00.0";
  EXPECT_EQ(snapshot.netdev("eth1"), &snapshot.netdevs[1]);
  EXPECT_EQ(snapshot.netdev("eth2"), nullptr);
  EXPECT_EQ(snapshot.function("0000:3b:00.0"), snapshot.pci.data());
  EXPECT_EQ(snapshot.function(""), nullptr);
}

TEST(Snapshot, midpoint_lies_between) {
  Snapshot snapshot;
  snapshot.before = {100, 1000};
  snapshot.after = {200, 1100};
  EXPECT_EQ(midpoint(snapshot).monotonic_ns, 150);
  EXPECT_EQ(midpoint(snapshot).wall_ns, 1050);
}

TEST(FunctionKind, names_lead_back) {
  for (const auto kind : {FunctionKind::Physical, FunctionKind::Virtual, FunctionKind::SubFunction,
                          FunctionKind::Representor, FunctionKind::Software}) {
    EXPECT_EQ(function_kind_from_name(name_of(kind)), kind);
  }
}

}  // namespace
}  // namespace roceready
