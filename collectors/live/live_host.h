// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/host/host.h"

namespace roceready {

/// The machine that we run on, read-only: it opens nothing for writing and sends no SET, NEW, DEL or ACT. Sockets open
/// at the first question that needs them; those of RDMA only where its modules are loaded already.
///
/// Threads: as Host, one caller at a time. Network answers are those of the network namespace in which the first
/// question was asked.
class LiveHost {
 public:
  struct Options {
    std::string root;  ///< prefix of every path of Files, "/host" in a container; sockets do not follow it
    ProbeResults* probes = nullptr;  ///< outlives the host; null: this node does not probe
  };
  LiveHost();
  explicit LiveHost(const Options& options);
  ~LiveHost();
  LiveHost(const LiveHost&) = delete;
  LiveHost& operator=(const LiveHost&) = delete;
  [[nodiscard]] Host host();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace roceready
