// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/http_channel.h"

#include <utility>

#include "core/base/text.h"
#include "daemon/export/json.h"
#include "daemon/http/client.h"

namespace roceready::daemon {

Result<std::string> HttpChannel::post_session(const probes::PeerAddress& peer, const std::string& body,
                                              int timeout_ms) {
  auto answer = http::post(peer.text(), "/api/v1/probe/session", body, timeout_ms);
  if (!answer) return answer.error();
  if (answer->status == 200) return std::move(answer->body);
  std::string words = problem_detail_in(answer->body);
  if (words.empty()) words = "HTTP status " + std::to_string(answer->status);
  // Without the header it is one of the peer's faults, which may last.
  if (answer->status == 503 && !answer->retry_after.empty())
    return Error{ErrorCode::Changed, "the peer is not ready yet: " + clean_text(words), peer.text(), 0};
  const bool other = answer->status == 404 || answer->status == 405;
  return Error{other ? ErrorCode::NotSupported : ErrorCode::Denied,
               (other ? "the peer answers no probes: " : "the peer refuses: ") + clean_text(words), peer.text(), 0};
}

}  // namespace roceready::daemon
