// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <optional>
#include <string>
#include <vector>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Link-level pause frames that were seen in the last minute; nothing where neither direction can be read.
std::optional<double> frames_seen(const Evidence& seen) {
  std::optional<double> sum;
  for (const CounterId id : {CounterId::GlobalPauseRxFrames, CounterId::GlobalPauseTxFrames}) {
    const Reading<Increase> growth = seen.increase(id, 60);
    if (growth) sum = sum.value_or(0) + growth->amount;
  }
  return sum;
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = seen.profile();
  const Reading<bool> rx = field(seen.member().ethtool.pause, &PauseFacts::rx);
  const Reading<bool> tx = field(seen.member().ethtool.pause, &PauseFacts::tx);
  if (!rx) return out.unknown(rx.absent());
  if (!tx) return out.unknown(tx.absent());

  const std::string& name = seen.member().link.name;
  const std::string source = "ethtool -a " + name;
  const auto evidence = [&](const char* wanted) {
    return std::vector<EvidenceItem>{seen.word("receive pause", *rx ? "on" : "off", "!=", wanted, source),
                                     seen.word("transmit pause", *tx ? "on" : "off", "!=", wanted, source)};
  };
  const GlobalPause expected = profile == nullptr ? GlobalPause::Off : profile->global_pause;
  if (expected == GlobalPause::Any) return out.not_applicable("profile " + profile->name + " allows any pause setting");
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  const bool pfc_on = pfc && pfc->enabled != 0;
  if (expected == GlobalPause::Required) {
    if (*rx && *tx && pfc_on)
      return (void)out.fail(
          Severity::Warning,
          "PFC is on for " + priorities_text(pfc->enabled) + " of " + name +
              " together with link-level pause, which profile " + profile->name +
              " relies on; only one of them can work.",
          {seen.word("priorities with PFC", priorities_text(pfc->enabled), "!=", "none", "dcb pfc show dev " + name)});
    if (*rx && *tx)
      return (void)out.fail(Severity::Info,
                            "Link-level pause is on in both directions of " + name + ", as profile " + profile->name +
                                " has it. It stops all traffic of the link, not RoCE alone.",
                            {seen.word("receive pause", "on", source), seen.word("transmit pause", "on", source)});
    return (void)out.fail(Severity::Critical,
                          "Link-level pause is not on in both directions of " + name + ", and profile " +
                              profile->name + " relies on it.",
                          evidence("on"));
  }
  if (!*rx && !*tx) return out.pass();

  const std::string on = *rx && *tx ? "Link-level pause is on"
                         : *rx      ? "Receiving link-level pause is on"
                                    : "Sending link-level pause is on";
  if (pfc_on)
    return (void)out.fail(
        Severity::Warning,
        on + " on " + name + " together with PFC on " + priorities_text(pfc->enabled) + "; only one of them can work.",
        evidence("off"));
  if (expected == GlobalPause::Allowed) return out.pass();
  if (profile == nullptr)
    return out.not_looked_at("no_profile",
                             on + " on " + name + ", as many NICs come; whether that is wrong depends on the profile",
                             "--profile NAME, or profile: NAME in the configuration");
  if (profile->pfc_priorities != 0)
    return (void)out.fail(Severity::Warning,
                          on + " on " + name + " where profile " + profile->name + " expects PFC on " +
                              priorities_text(profile->pfc_priorities) + "; it stops all traffic, not RoCE alone.",
                          evidence("off"));

  const std::optional<double> frames = frames_seen(seen);
  std::vector<EvidenceItem> items = evidence("off");
  std::string sentence = on + " on " + name + ", in a design without it.";
  if (frames) {
    items.push_back(seen.item("link-level pause frames in the last minute", *frames, "frames", ">", 0,
                              seen.source_of(CounterId::GlobalPauseRxFrames)));
    sentence += *frames > 0 ? " It acts: " + counted(*frames, "pause frame") + " in the last minute."
                            : " No pause frame was seen.";
  }
  out.fail(frames && *frames > 0 ? Severity::Warning : Severity::Info, sentence, std::move(items));
}

}  // namespace

extern const Rule kPfcGlobalPause;
constinit const Rule kPfcGlobalPause{
    .id = "pfc-global-pause",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic | kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .mandatory_for_link_pause = true,
    .title = "Link-level pause is on, or off where the design rests on it",
    .what =
        "Reads the link-level (802.3x) pause setting. Warning when it is on together with PFC, in place of the PFC "
        "that the "
        "profile expects, or acting in a design without pause; info when it is on there and idle. Critical when a "
        "profile relies on it and it is off, warning when PFC is on beside it there.",
    .why = "Link-level pause stops every class on the link, and a port cannot do both kinds.",
    .next = "Set pause as the profile has it, on this port and on the switch port: one kind of it, never both.",
    .likely_causes = {"factory setting of many NICs", "setting lost at reboot", "negotiated with the switch"},
    .fix = {Recipe::NoPause},
    .traps = {"It is the factory setting of many NICs: on, idle and without lossless demands it is info.",
              "Some small designs use it on purpose; their profile says so.", "PFC frames are not counted here."},
    .needs = {CounterId::GlobalPauseRxFrames, CounterId::GlobalPauseTxFrames},
    .facts = {"ieee-802.1qbb", "ethtool-pause"},
    .judge = judge,
};

}  // namespace roceready::rules
