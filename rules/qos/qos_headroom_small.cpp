// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>
#include <vector>

#include "rules/buffer_plan.h"
#include "rules/pause_share.h"
#include "rules/qos/port_buffer.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// The least that any RoCE port can have: the slowest link that such NICs do, and the netdev MTU below RDMA's smallest
/// path MTU (256 bytes, and 58 of headers).
constexpr double kLeastSpeed = 1e9, kLeastMtu = 314;

/// What the need is reckoned from; `least`: where speed or MTU are not known, the least of any RoCE port.
struct Line {
  double metres = 0, speed = 0, mtu = 0;
  bool least = false;
};

void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority, const Line& line,
                    const Absent& unknown) {
  const BufferFacts& buffers = *seen.member().dcb.buffers;
  const std::uint32_t buffer = buffers.priority_to_buffer[priority] % kPriorities;
  const double size = buffers.size_bytes[buffer], needed = headroom_bytes(line.metres, line.speed * 1e-9, line.mtu);
  if (size <= 0)
    return out.unknown({Why::Malformed, "receive buffer " + std::to_string(buffer) + ", which serves priority " +
                                            std::to_string(priority) + ", is said to have 0 bytes"},
                       priority);
  if (size >= needed) return line.least ? out.unknown(unknown, priority) : out.pass(priority);
  const double drops = lossless_drops(seen, priority);
  std::string sentence =
      "Receive buffer " + std::to_string(buffer) + " of lossless priority " + std::to_string(priority) + " on " +
      seen.member().link.name + " has " + std::to_string(static_cast<long>(size)) + " bytes; pause over " +
      std::to_string(static_cast<long>(line.metres)) + " m at " + bit_rate(line.speed) + " with MTU " +
      std::to_string(static_cast<long>(line.mtu)) + " needs " + std::to_string(static_cast<long>(needed)) +
      (line.least ? ", and no RoCE port needs less." : ".");
  if (drops > 0) sentence += " It dropped " + counted(drops, "packet") + " in the last minute.";
  std::vector<EvidenceItem> evidence{seen.item("receive buffer of priority " + std::to_string(priority), size, "bytes",
                                               "<", needed, dcb_source(seen))};
  if (drops > 0)
    evidence.push_back(seen.item("packets dropped by it in the last minute", drops, "packets", ">", 0,
                                 seen.source_of(CounterId::RxDiscardsPriority)));
  out.fail(drops > 0 ? Severity::Critical : Severity::Warning, sentence, std::move(evidence), priority);
}

void judge(const Evidence& seen, Outcomes& out) {
  const DcbFacts& dcb = seen.member().dcb;
  if (!shown(out, dcb.buffers, "its receive buffers") || !shown(out, dcb.pfc, "its PFC priorities")) return;
  const Reading<std::uint32_t> metres = length_to_reckon_with(seen);
  if (!shown(out, metres, "the cable length that it reckons with")) return;
  const Reading<std::uint64_t> speed = seen.link_speed();
  const Reading<std::uint32_t>& mtu = seen.member().link.mtu;
  Line line{static_cast<double>(*metres), kLeastSpeed, kLeastMtu, !speed || !mtu};
  if (speed) line.speed = static_cast<double>(*speed);
  if (mtu) line.mtu = *mtu;
  const Absent unknown = !speed ? speed.absent() : !mtu ? mtu.absent() : Absent{};
  each_lossless(seen, out, [&](std::uint8_t priority) { judge_priority(seen, out, priority, line, unknown); });
}

}  // namespace

extern const Rule kQosHeadroomSmall;
constinit const Rule kQosHeadroomSmall{
    .id = "qos-headroom-small",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .mandatory_over_distance = true,
    .title = "Receive buffer of the lossless class is too small for its cable",
    .what =
        "Compares the receive buffer of each lossless priority with what still arrives after pause was sent: "
        "(301 + 2.16 × metres) × Gbit/s + 2.72 × MTU, and one MTU of working room. Warning; critical when that "
        "buffer dropped packets in the last minute.",
    .why = "Packets that are under way when the pause is sent find no room: the lossless class drops.",
    .next = "Make the buffer larger, or let the driver size it by the true cable length.",
    .likely_causes = {"buffer sizes set by hand", "MTU or speed raised after buffers were sized",
                      "all buffer space given to the lossy class"},
    .fix = {Recipe::Buffers},
    .traps =
        {"Only NVIDIA's driver shows buffers; other firmware sizes its own.",
         "With long-haul a port is not ready while buffers that the driver could show cannot be read.",
         "The length is the one that the driver reckons with, with long-haul at least 300 m; whether it is true is "
         "qos-cable-len-default.",
         "At 100 Gbit/s, 7 m and MTU 9000 the driver itself reserves 56 kB; 100 m take 76 kB.",
         "Without speed or MTU only what is too small for any RoCE port is said: less than 1484 bytes at 7 m."},
    .needs = {CounterId::RxDiscardsPriority},
    .facts = {"mlx5-port-buffers", "dcbnl-buffers-mlx5-alone", "mlx5-discards-per-buffer"},
    .judge = judge,
};

}  // namespace roceready::rules
