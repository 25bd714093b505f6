// SPDX-License-Identifier: Apache-2.0
#include "collectors/collector.h"
#include "core/snapshot/probe_json.h"

namespace roceready {
namespace {

// A running engine publishes each second; samples may be rarer, and a busy node's threads late.
constexpr std::int64_t kSilentNs = 15'000'000'000;

/// The same text again. No engine runs behind a text that only says why nothing is probed: that may stay as it is.
Result<void> judge_silence(const Context& context, Snapshot& out) {
  if (!context.probes_spoke_ns || context.now.monotonic_ns - *context.probes_spoke_ns <= kSilentNs) return {};
  // Without the exact time: the same words as long as it lasts, so that they are logged once.
  const Error silent{ErrorCode::TimedOut, "the probe engine has said nothing new for more than 15 s",
                     "results of the RDMA probes", 0};
  out.probes = silent;
  return silent;
}

Result<void> collect(Host& host, const Selection&, Context& context, Snapshot& out) {
  Result<std::string> text = host.probes.results();
  if (!text) {
    context.probe_results.clear();
    context.probes_spoke_ns.reset();
    out.probes = text.error();
    // Not to probe is healthy; anything else is a failure of this collector.
    const ErrorCode code = text.error().code;
    if (code == ErrorCode::NotFound || code == ErrorCode::NotSupported || code == ErrorCode::NotRecorded) return {};
    return text.error();
  }
  // Thousands of peers are a long text, and it changes more rarely than samples are taken.
  if (!context.probe_results.empty() && *text == context.probe_results) {
    const Result<void> speaks = judge_silence(context, out);
    if (!speaks || out.probes) return speaks;
  }
  context.probe_results.clear();
  context.probes_spoke_ns.reset();
  const Result<ProbeFacts> facts = probe_facts_from_json(*text);
  if (!facts) {
    const Error error = facts.error().during("results of the RDMA probes");
    out.probes = error;
    return error;
  }
  out.probes = *facts;
  context.probe_results = std::move(*text);
  if (facts->running_seconds > 0) context.probes_spoke_ns = context.now.monotonic_ns;
  return {};
}

}  // namespace

extern const Collector kProbes;
constinit const Collector kProbes{"probes", Cadence::EverySample, false, collect};

}  // namespace roceready
