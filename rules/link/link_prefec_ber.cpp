// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "rules/link/lanes.h"
#include "rules/link/link_history.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindow = 300;

/// Bit error rate that the active FEC just repairs.
struct Bound {
  double rate = 0;
  std::string code;
};

Reading<Bound> bound_of(const Evidence& seen, const std::string& active) {
  if (active == "BaseR") return Bound{1e-8, "Firecode"};
  const Reading<LaneRate> lane = lane_rate(seen);
  if (!lane) return lane.absent();
  return lane->pam4() ? Bound{2.4e-4, "RS(544,514)"} : Bound{5e-5, "RS(528,514)"};
}

/// Bits received in the window: counted, else as many as the link carries.
double bits_received(const Evidence& seen, double speed, double seconds) {
  const Reading<Increase> line = seen.increase(CounterId::RxLineBits, kWindow);  // in bytes, as all base units
  if (line && line->amount > 0) return line->amount * 8 * (seconds / std::max(line->seconds, 1e-9));
  return speed * seconds;
}

struct Lane {
  std::uint8_t number = 0;
  double times_others = 0;  ///< raw errors over the mean of the other lanes
};

/// A lane that stands out: the optic or the cable rather than the whole link.
std::optional<Lane> lane_that_stands_out(const Evidence& seen) {
  constexpr std::uint8_t kLanes = 8;
  constexpr double kFew = 1000;
  double sum = 0, most = 0;
  std::size_t lanes = 0;
  std::uint8_t worst = 0;
  for (std::uint8_t lane = 0; lane < kLanes; ++lane) {
    const Reading<Increase> errors = seen.increase(CounterId::LaneRawErrors, kWindow, lane);
    if (!errors) continue;
    ++lanes;
    sum += errors->amount;
    if (errors->amount > most) most = errors->amount, worst = lane;
  }
  if (lanes < 2 || most < kFew) return std::nullopt;
  const double others = (sum - most) / static_cast<double>(lanes - 1);
  if (most < seen.limit("lane_times") * others) return std::nullopt;
  return Lane{worst, others > 0 ? most / others : 0};
}

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<std::string> active = field(seen.member().ethtool.fec, &FecFacts::active);
  constexpr CounterId kBits = CounterId::FecCorrectedBits;
  const Reading<Windows> counted_bits = seen.windows(kBits, kWindow, 1);
  if (active && *active == "Off") return out.not_applicable("FEC is off: nothing is corrected");
  if (active && *active == "LLRS") return out.not_applicable("no limit is known for low-latency FEC");
  if (!readable(seen, out, kBits, counted_bits)) return;
  if (!active) return out.unknown(active.absent());
  const Reading<std::uint64_t> speed = seen.link_speed();
  if (!speed && speed.absent().why == Why::NotPresent) return out.not_applicable("the link is down");
  if (!speed) return out.unknown(speed.absent());
  const Reading<Bound> bound = bound_of(seen, *active);
  if (!bound) return out.unknown(bound.absent());

  const Reading<Increase> corrected = outside_grace(
      seen, [&](double seconds, double ago) { return seen.increase(kBits, seconds, kNoLane, ago); }, kWindow);
  if (!corrected) return out.unknown(corrected.absent());
  const double rate =
      corrected->amount / std::max(1.0, bits_received(seen, static_cast<double>(*speed), corrected->seconds));
  const bool firecode = *active == "BaseR";
  const double warn = firecode ? bound->rate : seen.limit("warn_share") * bound->rate;
  const bool critical = !firecode && rate >= seen.limit("crit_share") * bound->rate;
  const std::optional<Lane> lane = lane_that_stands_out(seen);
  constexpr double kWorthSaying = 0.01;
  if (rate <= 0 || (rate < warn && !(lane && rate >= kWorthSaying * bound->rate))) return quiet(seen, out, kWindow);

  std::string sentence = seen.member().link.name + " repairs " + short_number(rate) + " of all bits received; " +
                         bound->code + " can repair " + short_number(bound->rate) + ", so it is at " +
                         percent(rate / bound->rate) + " of the limit.";
  if (lane) {
    sentence += " Lane " + std::to_string(lane->number) + " has " +
                (lane->times_others > 0 ? short_number(lane->times_others) + " times the errors of the others"
                                        : std::string("all the errors")) +
                ": that points at the module or cable.";
  }
  const Severity severity = unless_early(corrected->seconds, kWindow, seen.read_period_seconds(kBits),
                                         critical       ? Severity::Critical
                                         : rate >= warn ? Severity::Warning
                                                        : Severity::Info,
                                         sentence);
  out.fail(severity, sentence,
           {seen.item("bit errors before FEC", rate, "share",
                      ">=", critical ? seen.limit("crit_share") * bound->rate : warn, seen.source_of(kBits))})
      .derived_threshold = true;
}

}  // namespace

extern const Rule kLinkPrefecBer;
constinit const Rule kLinkPrefecBer{
    .id = "link-prefec-ber",
    .family = "link",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Bit errors come near to what FEC can repair",
    .what =
        "Reads the bits that FEC corrected in five minutes, as a share of the bits received, against what the active "
        "code can repair. Warning from a tenth of that, critical from half of it; info where one lane has ten times "
        "the errors of the others.",
    .why = "A link that uses up its FEC loses frames at the next degree of warmth or grain of dust.",
    .next = "Clean and reseat cable and module of the lane that stands out; plan a replacement.",
    .likely_causes = {"ageing optical module", "dirty fibre", "cable too long or bent", "overheated module"},
    .fix = {Recipe::Optic},
    .traps = {"Corrected bits are normal on PAM4 links: a count above 0 says nothing.",
              "One lane far above the others is better evidence than the sum.",
              "Drivers that count corrected blocks and no bits are not judged here.",
              "A link that trains makes bursts of them: 120 s after a link, driver or admin event nothing counts.",
              "The shares are our own reasoning: critical only together with a finding of another family."},
    .needs = {CounterId::FecCorrectedBits, CounterId::RxLineBits, CounterId::LaneRawErrors},
    .limits = {Limit{.name = "warn_share",
                     .value = 0.1,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the code's limit that is a warning"},
               Limit{.name = "crit_share",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the code's limit that is critical"},
               Limit{.name = "lane_times",
                     .value = 10,
                     .unit = "count",
                     .min = 2,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "how many times the errors of the other lanes one lane has when it stands out"}},
    .facts = {"fec-correction-limits", "mlx5-line-counters", "ethtool-fec-statistics"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules
