// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "collectors/evidence/bundle.h"

namespace roceready::evidence {

/// The only host of a text, as `diagnose --evidence` takes it from a file "sent.txt".
inline HostEvidence host_of(const std::string& text, const std::string& device = "") {
  Bundle bundle;
  bundle.add("sent.txt", text, 0);
  auto hosts = bundle.finish({.interval_ns = 0, .device = device});
  EXPECT_EQ(hosts.size(), 1U);
  return hosts.empty() ? HostEvidence{} : std::move(hosts[0]);
}

/// Null: the host has none.
inline const RdmaPort* port_of(const HostEvidence& host, const std::string& device) {
  if (host.snapshots.empty()) return nullptr;
  for (const RdmaPort& port : host.snapshots.back().ports) {
    if (port.device == device) return &port;
  }
  return nullptr;
}

}  // namespace roceready::evidence
