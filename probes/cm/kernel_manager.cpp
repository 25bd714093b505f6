// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/kernel_manager.h"

#include <utility>

#include "probes/cm/calling.h"
#include "probes/cm/kernel_listener.h"

namespace roceready::probes::cm {
namespace {

class KernelManager : public Manager {
 public:
  explicit KernelManager(OpenKernel open) : open_(std::move(open)) {}
  Outcome call(const Call& what, const std::stop_token& stop) override { return make_call(open_, what, stop); }
  Result<std::unique_ptr<Listener>> listen(const verbs::Gid& address, std::uint16_t service,
                                           const verbs::KernelPort& at) override {
    return KernelListener::open(open_, address, service, at);
  }

 private:
  const OpenKernel open_;
};

}  // namespace

std::unique_ptr<Manager> make_kernel_manager(OpenKernel open) {
  return std::make_unique<KernelManager>(std::move(open));
}

}  // namespace roceready::probes::cm
