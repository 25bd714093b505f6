// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/ecn/cc_files.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// One half of congestion control, and the files that say whether it is on.
struct Half {
  const char* what;
  Reading<std::uint32_t> on;
};

/// What this driver shows: both halves of NVIDIA's driver, one switch elsewhere. Empty: no file at all.
std::vector<Half> halves_of(const Evidence& seen) {
  const VendorFileMap& netdev = seen.member().vendor_files;
  const VendorFileMap& device = seen.port().vendor_files;
  if (netdev.empty() && device.empty()) return {};
  const std::string priority = std::to_string(seen.profile()->roce_priority);
  const Reading<std::uint32_t> np = vendor_number(netdev, {("ecn/roce_np/enable/" + priority).c_str()});
  const Reading<std::uint32_t> rp = vendor_number(netdev, {("ecn/roce_rp/enable/" + priority).c_str()});
  const auto exists = [](const Reading<std::uint32_t>& one) { return one || one.absent().why != Why::NotSupported; };
  std::vector<Half> out;
  if (exists(np)) out.push_back({"notification of marks (NP)", np});
  if (exists(rp)) out.push_back({"reaction to notifications (RP)", rp});
  if (!out.empty()) return out;
  const Reading<std::uint32_t> whole = vendor_number(device, {"cc_config/enable_cc", "irdma/roce_dcqcn_enable"});
  // On irdma another algorithm that is on counts as congestion control.
  for (const char* other : {"irdma/roce_timely_enable", "irdma/roce_dctcp_enable"})
    if (vendor_number(device, {other}).value_or(0) != 0) return {{"congestion control", std::uint32_t{1}}};
  if (exists(whole)) out.push_back({"congestion control", whole});
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (heeds_no_marks(profile)) return out.not_applicable(no_marks(profile));
  if (profile.congestion_control != CongestionControl::Dcqcn)
    return out.not_applicable("profile " + profile.name + " does not ask for DCQCN");
  const std::vector<Half> halves = halves_of(seen);
  if (halves.empty())
    return out.not_looked_at("never_shown", "this NIC's driver does not show whether congestion control is on",
                             "the vendor's tool, and an attestation in the configuration");
  std::vector<std::string> off;
  std::vector<EvidenceItem> evidence;
  for (const Half& half : halves) {
    if (!half.on || *half.on != 0) continue;
    off.emplace_back(half.what);
    evidence.push_back(seen.word(half.what, "off", "!=", "on", cc_source(seen)));
  }
  if (off.empty()) {
    for (const Half& half : halves)
      if (!half.on) return out.unknown(half.on.absent());
    return out.pass();
  }
  out.fail(profile.mode == kLossy ? Severity::Critical : Severity::Warning,
           "On " + seen.member().link.name + " " + joined(off) + (off.size() > 1 ? " are" : " is") +
               " off for priority " + std::to_string(profile.roce_priority) + "; profile " + profile.name +
               " relies on DCQCN.",
           std::move(evidence));
}

}  // namespace

extern const Rule kEcnCcDisabled;
constinit const Rule kEcnCcDisabled{
    .id = "ecn-cc-disabled",
    .since = "0.3",
    .family = "ecn",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kLossless | kLossy,
    .scope = Scope::Member,
    .title = "Congestion control is off on RoCE's priority",
    .what =
        "Where the profile relies on DCQCN: reads the switches of both halves, notification of marks and reaction to "
        "notifications, from the driver's files. Warning when one is off, critical in a lossy design, where "
        "nothing else slows a sender down.",
    .why = "Congestion is left to pause, which spreads, or becomes loss.",
    .next = "Switch DCQCN on for RoCE's priority, and make the setting survive a reboot.",
    .likely_causes = {"factory setting (Intel: off)", "setting lost at reboot", "switched off for a benchmark"},
    .fix = {Recipe::Ecn},
    .traps = {"Factory settings differ by generation and document, so the device is read.",
              "Linux' own mlx5 driver shows parameters but not whether they are in use: then it is not looked at.",
              "Another algorithm that is on (RTT-based, programmable) counts as on; PFC-only designs have none.",
              "Profile intel-e800-lossless leaves it to the site: off on all NICs is a design then, and no fault."},
    .facts = {"nvidia-ecn-files", "irdma-congestion-control-off", "bnxt-cc-config"},
    .judge = judge,
};

}  // namespace roceready::rules
