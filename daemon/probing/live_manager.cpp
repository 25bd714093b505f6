// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/live_manager.h"

#ifdef ROCEREADY_HAVE_VERBS
#include "probes/cm/live_manager.h"
#endif

namespace roceready::daemon {

#ifdef ROCEREADY_HAVE_VERBS

std::unique_ptr<probes::cm::Manager> live_manager() {
  return probes::cm::make_live_manager();
}

#else

namespace {
constexpr char kWithout[] = "this program was built without librdmacm: it cannot connect";

class NoManager : public probes::cm::Manager {
 public:
  probes::cm::Outcome call(const probes::cm::Call&, const std::stop_token&) override {
    probes::cm::Outcome out;
    out.why_not = {Why::NotSupported, kWithout};
    return out;
  }
  Result<std::unique_ptr<probes::cm::Listener> > listen(const probes::verbs::Gid&, std::uint16_t) override {
    return Error{ErrorCode::NotSupported, kWithout, "", 0};
  }
};
}  // namespace

std::unique_ptr<probes::cm::Manager> live_manager() {
  return std::make_unique<NoManager>();
}

#endif

}  // namespace roceready::daemon
