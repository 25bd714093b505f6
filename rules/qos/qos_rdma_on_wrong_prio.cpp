// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/qos/priority_bytes.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 60, kComplete = 0.9;

std::string gigabytes(double bytes) {
  return short_number(bytes * 1e-9) + " GB";
}

/// True when RDMA of one direction is not where the profile has it, and another priority carries as much.
bool astray(const Evidence& seen, const PriorityBytes& bytes, std::uint32_t& where) {
  const std::uint32_t own = roce_priorities(*seen.profile());
  const double share = seen.limit("share");
  if (bytes.sum(own) >= share * bytes.rdma) return false;
  double most = 0;
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    if ((own >> p & 1U) != 0 || bytes.of[p] <= most) continue;
    most = bytes.of[p];
    where = p;
  }
  return most >= share * bytes.rdma;
}

/// Below one answer in so many packets what arrives is no TCP, which acknowledges at least each 64 KiB.
constexpr double kPacketsAnAnswer = 50;

/// Where bytes of RDMA are not known: what leaves is in RoCE's class, and what arrives is in another one, in which next
/// to nothing is answered. Then the peers do not mark. True when it wrote that.
bool judge_marking(const Evidence& seen, Outcomes& out) {
  const std::uint32_t own = roce_priorities(*seen.profile());
  double sent = 0, seconds = 0, arrived = 0, arrived_own = 0;
  std::uint8_t where = 0;
  for (std::uint8_t p = 0; p < kPriorities; ++p) {
    const Reading<Increase> out_of = seen.increase(CounterId::TxPacketsPriority, kWindowSeconds, p);
    const Reading<Increase> into = seen.increase(CounterId::RxPacketsPriority, kWindowSeconds, p);
    if ((own >> p & 1U) != 0) {
      if (!out_of) return false;
      sent += out_of->amount;
      seconds = std::max(seconds, out_of->seconds);
      arrived_own += into ? into->amount : 0;
    } else if (into && out_of && into->amount > arrived && out_of->amount * kPacketsAnAnswer < into->amount) {
      arrived = into->amount;
      where = p;
    }
  }
  const double share = seen.limit("share");
  if (sent < seen.limit("min_packets") || arrived < share * sent || arrived_own >= share * arrived) return false;
  std::string sentence =
      netdev_name(seen) + " sends RoCE in its class, and what arrives is in another: " + short_number(sent * 1e-6) +
      " million packets left on " + priorities_text(own) + " and " + short_number(arrived * 1e-6) +
      " million arrived on priority " + std::to_string(where) + ", hardly answered there, in the last " +
      duration_text(seconds) + ". The peers do not seem to mark; bytes of RDMA are not known here.";
  Judgement& entry = out.fail(Severity::Info, sentence,
                              {seen.item("packets received on priority " + std::to_string(where), arrived, "packets",
                                         ">=", share * sent, seen.source_of(CounterId::RxPacketsPriority))});
  entry.confidence = 0.4;
  entry.derived_threshold = seen.limit_is_derived("share");
  return true;
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (!has_class(*profile))
    return out.not_applicable("profile " + profile->name + " gives RoCE no priority of its own");
  if (const auto id = bytes_never_shown(seen))
    return out.not_looked_at("never_shown", std::string(info_of(*id).name) + ": this NIC's driver does not count it",
                             "");
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  double most = 0, seconds = 0;
  for (const bool received : {false, true}) {
    const Reading<PriorityBytes> bytes = priority_bytes(seen, received, kWindowSeconds);
    if (!bytes) {
      if (judge_marking(seen, out)) return;
      const bool early = bytes.absent().why == Why::NotRecorded;
      if (early) return out.not_looked_at("longer_window", bytes.absent().detail, "a longer --window, or the daemon");
      return out.unknown(bytes.absent());
    }
    seconds = bytes->seconds;
    most = std::max(most, bytes->rdma);
    std::uint32_t where = 0;
    if (bytes->rdma < seen.limit("min_bytes") || !astray(seen, *bytes, where)) continue;
    const double own = bytes->sum(roce_priorities(*profile));
    const std::string way = received ? "received" : "sent";
    words.push_back("of " + gigabytes(bytes->rdma) + " RDMA " + way + ", " +
                    priorities_text(roce_priorities(*profile)) + " carried " + gigabytes(own) + " and priority " +
                    std::to_string(where) + " " + gigabytes(bytes->of[where]));
    evidence.push_back(seen.item("share of RDMA bytes " + way + " on RoCE's priority", own / bytes->rdma, "share", "<",
                                 seen.limit("share"), seen.source_of(CounterId::TxBytesPriority)));
  }
  if (most < seen.limit("min_bytes"))
    return out.not_looked_at("longer_window",
                             "only " + gigabytes(most) + " of RDMA in " + duration_text(seconds) + "; to tell takes " +
                                 gigabytes(seen.limit("min_bytes")),
                             "a window with traffic");
  if (words.empty()) return out.pass();
  std::string sentence = "On " + netdev_name(seen) + " RDMA travels outside its priority: " + joined(words) +
                         ", in the last " + duration_text(seconds) + ".";
  const bool full = seconds >= kComplete * kWindowSeconds;
  if (!full) sentence += " That is not sustained yet.";
  const Severity severity = profile->mode == kLossy ? Severity::Warning : Severity::Critical;
  out.fail(full ? severity : Severity::Info, sentence, std::move(evidence)).derived_threshold =
      seen.limit_is_derived("share");
}

}  // namespace

extern const Rule kQosRdmaOnWrongPrio;
constinit const Rule kQosRdmaOnWrongPrio{
    .id = "qos-rdma-on-wrong-prio",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "RDMA travels on another priority than RoCE's",
    .what =
        "Compares the bytes of RDMA with those of each priority, in each direction, over a minute with at least 1 GiB "
        "of RDMA. Fires when RoCE's priority carried less than half of the RDMA bytes and another carried half or "
        "more. Critical where RoCE is to be lossless, a warning in a lossy design. Where bytes of RDMA are not known: "
        "info when packets leave in RoCE's priority and at least half as many arrive in another, hardly answered "
        "there.",
    .why = "RDMA is silently unprotected: no pause is sent for it, and it is dropped under load.",
    .next = "Look at the ToS of the applications, then at trust and DSCP map of this NIC and of the peers.",
    .likely_causes = {"applications send with ToS 0", "trust or DSCP map of this NIC is wrong",
                      "the switch or the sender marks with another DSCP"},
    .fix = {Recipe::Tos, Recipe::DscpMap, Recipe::Trust},
    .traps = {"Priorities count TCP as well, so one that carries much proves nothing while RoCE's own carries enough.",
              "RDMA is counted per function and priorities per port; headers differ by a few percent.",
              "Below 1 GiB of RDMA in the minute nothing is said.",
              "Packets alone do not tell RDMA from one-way UDP: confidence 0.4."},
    .needs = {CounterId::RdmaTxBytes, CounterId::RdmaRxBytes, CounterId::TxBytesPriority, CounterId::RxBytesPriority,
              CounterId::TxPacketsPriority, CounterId::RxPacketsPriority},
    .limits = {Limit{.name = "min_bytes",
                     .value = 1073741824,
                     .unit = "bytes",
                     .min = 1,
                     .max = 1e15,
                     .evidence = 'D',
                     .help = "RDMA bytes in a minute below which nothing is said"},
               Limit{.name = "share",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0.01,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the RDMA bytes that must be on RoCE's priority"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets sent in RoCE's priority in a minute below which nothing is said of the peers"}},
    .facts = {"mlx5-ethtool-counters"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules
