// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/known_baselines.h"

#include <utility>

#include "daemon/log.h"

namespace roceready::daemon {

void KnownBaselines::recall(const std::string& text, const ProbeTime& now) {
  KeptBaselines kept = kept_baselines_from(text, now);
  if (!kept.why.empty())
    log(Level::Warning, "baselines of round trips that were kept make no sense and are left out",
        {{"baselines", kept.senseless == 0 ? "all" : std::to_string(kept.senseless)}, {"why", kept.why}});
  if (!kept.baselines.empty() || kept.old > 0)
    log(Level::Info, "going on with the baselines of round trips that were kept",
        {{"baselines", std::to_string(kept.baselines.size())}, {"too_old", std::to_string(kept.old)}});
  take(std::move(kept.baselines));
}

void KnownBaselines::take(std::vector<probes::LinkBaseline> baselines) {
  const std::lock_guard lock(lock_);
  all_ = std::move(baselines);
}

std::vector<probes::LinkBaseline> KnownBaselines::all() const {
  const std::lock_guard lock(lock_);
  return all_;
}

void KnownBaselines::publish(const ProbeTime& now, std::size_t most_bytes) {
  const auto known = all();
  if (known.empty()) return;
  auto text = std::make_shared<const std::string>(kept_baselines_text(known, now, most_bytes));
  const std::lock_guard lock(lock_);
  text_ = std::move(text);
}

std::shared_ptr<const std::string> KnownBaselines::text() const {
  const std::lock_guard lock(lock_);
  return text_;
}

}  // namespace roceready::daemon
