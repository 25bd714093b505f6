// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/kernel.h"

#include <fcntl.h>
#include <rdma/rdma_user_cm.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

namespace roceready::probes::cm {
namespace {

constexpr char kNode[] = "/dev/infiniband/rdma_cm", kVersion[] = "/sys/class/misc/rdma_cm/abi_version";

class LiveKernel : public Kernel {
 public:
  explicit LiveKernel(int fd) : fd_(fd) {}
  ~LiveKernel() override { ::close(fd_); }
  LiveKernel(const LiveKernel&) = delete;
  LiveKernel& operator=(const LiveKernel&) = delete;
  int write(ByteSpan command) override {
    const ssize_t taken = ::write(fd_, command.data(), command.size());
    if (taken < 0) return errno;
    return taken == static_cast<ssize_t>(command.size()) ? 0 : EIO;
  }
  [[nodiscard]] int fd() const override { return fd_; }

 private:
  int fd_;
};

/// The node is opened only where the module is there: opening one that was made beforehand would load it.
Result<void> check_version() {
  const int fd = ::open(kVersion, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return Error{ErrorCode::NotSupported, "rdma_ucm is not loaded", kNode, 0};
  if (fd < 0) return os_error(errno, "cannot read the version of rdma_ucm", kVersion);
  std::array<char, 16> text{};
  const ssize_t length = ::read(fd, text.data(), text.size() - 1);
  const int failed = length < 0 ? errno : 0;
  ::close(fd);
  if (failed != 0) return os_error(failed, "cannot read the version of rdma_ucm", kVersion);
  if (std::atoi(text.data()) != RDMA_USER_CM_ABI_VERSION)
    return Error{ErrorCode::NotSupported,
                 "rdma_ucm speaks another version than " + std::to_string(RDMA_USER_CM_ABI_VERSION), kVersion, 0};
  return {};
}

}  // namespace

Result<std::unique_ptr<Kernel>> open_kernel() {
  if (auto fits = check_version(); !fits) return fits.error();
  const int fd = ::open(kNode, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT)
    return Error{ErrorCode::NotSupported, "rdma_ucm is loaded, but its device node is not there", kNode, 0};
  if (fd < 0) return os_error(errno, "cannot open the RDMA connection manager", kNode);
  return std::unique_ptr<Kernel>(std::make_unique<LiveKernel>(fd));
}

}  // namespace roceready::probes::cm
