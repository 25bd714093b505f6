// SPDX-License-Identifier: Apache-2.0
#include "probes/responder.h"
#include "probes/responder_session.h"

namespace roceready::probes {

/// A mesh that knows the secret may connect too; for those on demand, and strangers, nobody listens.
void Responder::offer_connections(const SessionRequest& request, const std::shared_ptr<Serving>& serving,
                                  const SessionKey& key, SessionAnswer& answer) {
  if (!cm_ || !request.authenticated || request.on_demand || request.kind != ProbeKind::Ud) return;
  const std::int64_t ends_ns = verbs_.now_ns() + std::int64_t{answer.seconds} * 1'000'000'000;
  answer.cm_service =
      cm_->offer({answer.endpoints.front().gid, std::shared_ptr<verbs::Port>(serving, serving->port.port.get()),
                  serving->port.facts.kernel, serving->closing.get_token()},
                 answer.session, key, ends_ns);
}

void Responder::step_connections() {
  if (cm_) cm_->step();
}

}  // namespace roceready::probes
