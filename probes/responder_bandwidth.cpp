// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/text.h"
#include "probes/responder.h"
#include "probes/responder_session.h"

namespace roceready::probes {
namespace {

std::string is_busy(const std::string& node, std::int64_t left_ns) {
  const std::int64_t seconds = std::max<std::int64_t>(left_ns + 999'999'999, 0) / 1'000'000'000;
  return "bandwidth is being measured for " + (node.empty() ? "another node" : clean_text(node)) +
         ", one at a time; try again in " + std::to_string(seconds) + " s";
}

}  // namespace

/// Null: nobody but the one that asks.
const Responder::Session* Responder::measuring_for_others(const SessionRequest& request) const {
  for (const auto& [id, session] : sessions_)
    if (session->kind == ProbeKind::Bandwidth && !session->like(request)) return session.get();
  return nullptr;
}

std::optional<SessionRefusal> Responder::refuse_bandwidth(const SessionRequest& request) {
  if (!request.authenticated)
    return refuse(403,
                  "bandwidth is measured only for who knows the shared secret, since it fills the line: set "
                  "probes.secret_file on both nodes");
  if (!request.on_demand) return refuse(403, "bandwidth is measured on demand alone");
  if (const Session* other = measuring_for_others(request))
    return refuse(503, is_busy(other->node, other->ends_ns - verbs_.now_ns()));
  return std::nullopt;
}

/// Two may have been let in at a time: the first to come here stays.
Result<void> Responder::make_room_to_measure(const SessionRequest& request, Ended& ended) {
  if (const Session* other = measuring_for_others(request))
    return Error{ErrorCode::Changed, is_busy(other->node, other->ends_ns - verbs_.now_ns()), "responder", 0};
  for (auto each = sessions_.begin(); each != sessions_.end();) {
    const auto next = std::next(each);
    if (each->second->kind == ProbeKind::Bandwidth) end_session(each, ended);
    each = next;
  }
  return {};
}

}  // namespace roceready::probes
