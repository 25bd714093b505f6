// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "core/base/result.h"
#include "probes/mac.h"

namespace roceready::probes::cm {

/// An open /dev/infiniband/rdma_cm, or a test's idea of one. Closing it destroys all that was made through it.
/// Threads: one.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Gives the kernel one command: a rdma_ucm_cmd_hdr and what belongs to it, which may hold addresses of memory that
  /// it writes to. 0, or an errno. DESTROY_ID may wait for what the kernel is doing with that id; others do not.
  virtual int write(ByteSpan command) = 0;
  /// Readable when there is an event.
  [[nodiscard]] virtual int fd() const = 0;
};
using OpenKernel = std::function<Result<std::unique_ptr<Kernel>>()>;

/// NotSupported: the module rdma_ucm is not loaded, or speaks another version. Loads no module.
Result<std::unique_ptr<Kernel>> open_kernel();

}  // namespace roceready::probes::cm
