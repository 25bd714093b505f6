// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/subject.h"
#include "core/snapshot/snapshot.h"

namespace roceready::rules {

/// A finding that the operator accepts for a time: it is listed, costs nothing and decides nothing.
struct Waiver {
  std::string finding;  ///< key of a finding, or id of a rule: then wherever it fires
  std::string reason;
  std::int64_t expires_wall_ns = 0;
  [[nodiscard]] bool expired(std::int64_t now_wall_ns) const { return now_wall_ns >= expires_wall_ns; }
  [[nodiscard]] bool covers(const std::string& rule, const std::string& key) const {
    return finding == rule || finding == key;
  }
  bool operator==(const Waiver&) const = default;
};

/// Somebody's word for a mandatory check that cannot be read.
struct Attestation {
  std::string check;  ///< id of a rule
  std::string port;   ///< device, device/port, PCI address or netdev; "" for every port
  std::string by, reason;
  std::int64_t expires_wall_ns = 0;
  [[nodiscard]] bool expired(std::int64_t now_wall_ns) const { return now_wall_ns >= expires_wall_ns; }
  [[nodiscard]] bool covers(const std::string& rule, const RdmaPort& on) const;
  bool operator==(const Attestation&) const = default;
};

}  // namespace roceready::rules
