// SPDX-License-Identifier: Apache-2.0
#include "collectors/refusals.h"

namespace roceready {
namespace {

bool is_refusal(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotSupported:
    case ErrorCode::Denied:
    case ErrorCode::Malformed:
    case ErrorCode::TimedOut:
    case ErrorCode::Io:
      return true;
    default:
      return false;
  }
}

}  // namespace

const Error* Refusals::standing(const std::string& question, const Instant& now) const {
  const auto at = refused_.find(question);
  if (at == refused_.end() || now.monotonic_ns - at->second.asked.monotonic_ns >= retry_ns_) return nullptr;
  return &at->second.error;
}

void Refusals::note(const std::string& question, const Instant& now, const Error& error) {
  if (!is_refusal(error.code)) {
    refused_.erase(question);
    return;
  }
  constexpr std::size_t kMaxRefusals = 4096;  // of devices that came and went
  if (refused_.size() >= kMaxRefusals) refused_.clear();
  const auto [at, fresh] = refused_.try_emplace(question, Refusal{error, now, now});
  Refusal& refusal = at->second;
  if (!fresh && refusal.error.code != error.code) refusal.since = now;
  refusal.asked = now;
  refusal.error = error;
  refusal.error.what += "; refused since " + rfc3339(refusal.since.wall_ns) + ", asked again every " +
                        duration_text(static_cast<double>(retry_ns_) * 1e-9);
}

}  // namespace roceready
