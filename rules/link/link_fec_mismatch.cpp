// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// The FEC of most of at least three ports of the node with the same NIC model and speed; "" where there is no such
/// majority.
std::string majority_fec(const Evidence& seen) {
  const PciFunction* nic = seen.pci();
  const Reading<std::uint64_t> speed = seen.link_speed();
  if (nic == nullptr || !nic->vendor_device || !speed) return "";
  std::map<std::string, std::size_t> ports_with;
  std::size_t ports = 0;
  for (std::size_t at = 0; at < seen.now().netdevs.size(); ++at) {
    const EthtoolFacts& facts = seen.now().netdevs[at].ethtool;
    const PciFunction* const other = seen.pci_of_netdev(at);
    if (other == nullptr || !facts.fec || !facts.fec->active || !facts.link_modes) continue;
    const Reading<std::uint64_t>& its_speed = facts.link_modes->speed_bits_per_second;
    if (!its_speed || *its_speed != *speed || other->vendor_device != nic->vendor_device) continue;
    ++ports_with[*facts.fec->active];
    ++ports;
  }
  for (const auto& [fec, count] : ports_with)
    if (ports >= 3 && count * 2 > ports) return fec;
  return "";
}

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<FecFacts>& fec = seen.member().ethtool.fec;
  if (!fec && fec.absent().why == Why::NotSupported)
    return out.not_looked_at("never_shown", "the driver does not tell its FEC: " + fec.absent().detail, "");
  if (!fec) return out.unknown(fec.absent());
  if (!seen.member().link.carrier.value_or(true)) return out.not_applicable("the link is down");
  if (!fec->active) return out.unknown(fec->active.absent());
  const std::string& active = *fec->active;
  const std::string source = "ethtool --show-fec " + seen.member().link.name;
  const bool chosen_freely = fec->automatic.value_or(true) || fec->configured.empty();
  const bool among = std::find(fec->configured.begin(), fec->configured.end(), active) != fec->configured.end();
  if (!chosen_freely && !among) {
    out.fail(Severity::Warning,
             seen.member().link.name + " is set to FEC " + joined(fec->configured) + " but runs with " + active + ".",
             {seen.word("active FEC", active, "!=", joined(fec->configured), source)});
    return;
  }
  const std::string majority = majority_fec(seen);
  if (!majority.empty() && majority != active) {
    out.fail(Severity::Warning,
             seen.member().link.name + " runs with FEC " + active + "; most ports of this NIC model and speed on the " +
                 "node run with " + majority + ".",
             {seen.word("active FEC", active, "!=", majority, source)})
        .confidence = 0.6;
    return;
  }
  out.pass();
}

}  // namespace

extern const Rule kLinkFecMismatch;
constinit const Rule kLinkFecMismatch{
    .id = "link-fec-mismatch",
    .family = "link",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Active FEC is not the one that was set",
    .what =
        "Compares the active FEC with the one that was set, where it was not left to negotiation, and with most of at "
        "least three ports of the same NIC model and speed on the node.",
    .why = "Ends that disagree on FEC give a link that does not come up, or one that loses frames.",
    .next = "Set the same FEC on the NIC and on the switch port, or leave both to negotiation.",
    .likely_causes = {"FEC forced on one end", "another kind of cable or module than on the other ports",
                      "switch port configuration"},
    .fix = {Recipe::Fec},
    .traps = {"Where FEC is left to negotiation it depends on the module: only the other ports speak against it.",
              "A port with another kind of cable than most may be right: less than sure.",
              "What the switch port is set to cannot be read from here."},
    .facts = {"ethtool-fec-modes"},
    .judge = judge,
};

}  // namespace roceready::rules
