// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "rules/pause_share.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Of these priorities those that carried something in the last minute; `known` is false where bytes are not counted.
std::uint32_t busy(const Evidence& seen, std::uint32_t priorities, bool& known) {
  std::uint32_t out = 0;
  for (std::uint8_t p = 0; p < kPriorities; ++p) {
    if ((priorities >> p & 1U) == 0) continue;
    const Reading<Increase> received = seen.increase(CounterId::RxBytesPriority, 60, p);
    known = known && received.has_value();
    if (received && received->amount > 0) out |= 1U << p;
  }
  return out;
}

void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority) {
  const BufferFacts& buffers = *seen.member().dcb.buffers;
  const std::uint32_t lossy = sharing(buffers.priority_to_buffer, priority) & ~seen.member().dcb.pfc->enabled;
  if (lossy == 0) return out.pass(priority);
  bool known = true;
  const std::uint32_t loud = busy(seen, lossy, known);
  std::string sentence = "Lossless priority " + std::to_string(priority) + " of " + seen.member().link.name +
                         " shares receive buffer " + std::to_string(buffers.priority_to_buffer[priority]) +
                         " with lossy " + priorities_text(lossy);
  if (loud != 0)
    sentence += ", and " + priorities_text(loud) + " received traffic in the last minute.";
  else
    sentence += known ? ", which received nothing in the last minute." : "; what these carry is not known.";
  const Severity severity = unless_converging(seen, loud != 0 ? Severity::Warning : Severity::Info, sentence);
  out.fail(severity, sentence,
           {seen.word("priorities in the lossless buffer", priorities_text(lossy), "!=", "no priority without PFC",
                      dcb_source(seen))},
           priority)
      .confidence = loud != 0 ? 1.0 : 0.4;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (!shown(out, seen.member().dcb.buffers, "its receive buffers")) return;
  if (!shown(out, seen.member().dcb.pfc, "its PFC priorities")) return;
  each_lossless(seen, out, [&](std::uint8_t priority) { judge_priority(seen, out, priority); });
}

}  // namespace

extern const Rule kQosBufferShared;
constinit const Rule kQosBufferShared{
    .id = "qos-buffer-shared",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Lossless and lossy traffic share a receive buffer",
    .what =
        "Compares the buffer of each lossless priority with those of priorities without PFC. Warning when one of "
        "these is in the same buffer and received traffic in the last minute, info when it is idle.",
    .why = "A burst of lossy traffic fills the buffer: RoCE is dropped or paused for it.",
    .next = "Give the lossless priorities a buffer of their own.",
    .likely_causes = {"buffers set by hand before PFC was", "PFC changed after buffers were set by hand"},
    .fix = {Recipe::Buffers},
    .traps = {"mlx5 moves lossless priorities to their own buffer when PFC is set, unless buffers were set by hand.",
              "Only NVIDIA's driver shows buffers.", "A lossy priority that carries nothing does no harm: info."},
    .needs = {CounterId::RxBytesPriority},
    .facts = {"dcbnl-buffers-mlx5-alone", "mlx5-port-buffers"},
    .judge = judge,
};

}  // namespace roceready::rules
