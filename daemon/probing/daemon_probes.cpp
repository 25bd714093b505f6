// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/daemon_probes.h"

#include <nlohmann/json.hpp>

#include <utility>

#include "core/base/text.h"
#include "core/snapshot/probe_json.h"
#include "daemon/export/json.h"
#include "daemon/http/client.h"
#include "daemon/http/server.h"
#include "probes/bounded_json.h"

namespace roceready::daemon {
namespace {

constexpr http::FetchLimits kLimits{.whole_ms = 1000, .most_bytes = std::size_t{16} << 20U};
constexpr std::int64_t kNotAgainForNs = 10'000'000'000;

/// The reason of an absent reading, as an operation's failure.
ErrorCode code_of(Why why) {
  switch (why) {
    case Why::NotSupported:
      return ErrorCode::NotSupported;
    case Why::Denied:
      return ErrorCode::Denied;
    case Why::Malformed:
      return ErrorCode::Malformed;
    case Why::TimedOut:
      return ErrorCode::TimedOut;
    case Why::NotRecorded:
      return ErrorCode::NotRecorded;
    default:
      return ErrorCode::NotFound;
  }
}

}  // namespace

std::string local_url(const std::string& listen) {
  const auto endpoint = http::parse_endpoint(listen);
  if (!endpoint) return "http://127.0.0.1:9885";
  http::Endpoint local = *endpoint;
  if (local.host.empty() || local.host == "0.0.0.0" || local.host == "::") local.host = "127.0.0.1";
  return "http://" + local.text();
}

DaemonProbes::DaemonProbes(const std::string& listen, std::function<std::int64_t()> now_ns)
    : url_(local_url(listen)), now_ns_(std::move(now_ns)) {}

Result<std::string> DaemonProbes::results() {
  if (now_ns_() < not_before_ns_) return hung_;
  return ask();
}

Result<std::string> DaemonProbes::ask() {
  const auto answer = http::fetch(url_, "/api/v1/probes", kLimits);
  if (!answer && answer.error().code == ErrorCode::NotFound)
    return Error{ErrorCode::NotFound, "no daemon runs on this node, so nothing probes", url_, 0};
  if (!answer && answer.error().code == ErrorCode::TimedOut) {
    hung_ = answer.error();
    not_before_ns_ = now_ns_() + kNotAgainForNs;
  }
  if (!answer) return answer.error();
  if (answer->status != 200) {
    const std::string words = clean_text(problem_detail_in(answer->body));
    // 503: it has begun a moment ago and has no sample yet.
    return Error{answer->status == 503 ? ErrorCode::NotFound : ErrorCode::Malformed,
                 "the daemon says nothing of its probes: " +
                     (words.empty() ? "HTTP status " + std::to_string(answer->status) : words),
                 url_, 0};
  }
  const auto said = probes::parse_bounded(answer->body, kLimits.most_bytes);
  if (!said) return said.error().during("what the daemon at " + url_ + " says of its probes");
  if (said->is_object() && said->contains("absent")) {
    const auto& why = said->at("absent");
    const auto detail = said->find("detail");
    return Error{code_of(why_from_name(why.is_string() ? why.get<std::string>() : "")),
                 detail != said->end() && detail->is_string() ? clean_text(detail->get<std::string>())
                                                              : "the daemon knows nothing from probes",
                 url_, 0};
  }
  std::string text = probes::canonical(*said);
  if (const auto facts = probe_facts_from_json(text); !facts)
    return facts.error().during("what the daemon at " + url_ + " says of its probes");
  return text;
}

}  // namespace roceready::daemon
