// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "probes/responder.h"
#include "probes/responder_session.h"

namespace roceready::probes {
namespace {

constexpr std::uint32_t kAskAgainSeconds = 60;  // where what hinders us may be over soon

}  // namespace

/// A mesh that knows the secret may connect too; for those on demand, and strangers, nobody listens.
void Responder::offer_connections(const SessionRequest& request, const std::shared_ptr<Serving>& serving,
                                  const SessionKey& key, SessionAnswer& answer) {
  if (!cm_ || !request.authenticated || request.on_demand || request.kind != ProbeKind::Ud) return;
  const std::int64_t ends_ns = verbs_.now_ns() + std::int64_t{answer.seconds} * 1'000'000'000;
  const CmOffer offered =
      cm_->offer({answer.endpoints.front().gid, std::shared_ptr<verbs::Port>(serving, serving->port.port.get()),
                  serving->port.facts.kernel, serving->closing.get_token()},
                 answer.session, key, ends_ns);
  answer.cm_service = offered.service;
  if (offered.not_now) answer.seconds = std::min(answer.seconds, kAskAgainSeconds);  // the prober asks for another
}

void Responder::step_connections() {
  if (cm_) cm_->step();
}

}  // namespace roceready::probes
