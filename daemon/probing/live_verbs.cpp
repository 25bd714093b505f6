// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/live_verbs.h"

#ifdef ROCEREADY_HAVE_VERBS
#include "probes/verbs/live_verbs.h"
#else
#include "daemon/scheduler.h"
#endif

namespace roceready::daemon {

#ifdef ROCEREADY_HAVE_VERBS

std::unique_ptr<probes::verbs::Verbs> live_verbs() {
  return probes::verbs::make_live_verbs();
}

#else

namespace {
class NoVerbs : public probes::verbs::Verbs {
 public:
  Result<std::vector<probes::verbs::PortName> > list() override { return without(); }
  Result<std::unique_ptr<probes::verbs::Port> > open(const probes::verbs::PortName&) override { return without(); }
  [[nodiscard]] std::int64_t now_ns() const override { return monotonic_now_ns(); }
  [[nodiscard]] std::int64_t waited_ns() const override { return 0; }

 private:
  static Error without() {
    return {ErrorCode::NotSupported, "this program was built without libibverbs: it cannot probe", "", 0};
  }
};
}  // namespace

std::unique_ptr<probes::verbs::Verbs> live_verbs() {
  return std::make_unique<NoVerbs>();
}

#endif

}  // namespace roceready::daemon
