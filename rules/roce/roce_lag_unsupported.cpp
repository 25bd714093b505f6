// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/roce/roce_lag.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::array kModeNames{"balance-rr", "active-backup", "balance-xor", "broadcast",
                                "802.3ad",    "balance-tlb",   "balance-alb"};

std::string mode_name(std::uint32_t mode) {
  return mode < kModeNames.size() ? kModeNames[mode] : "mode " + std::to_string(mode);
}

bool carries_roce(std::uint32_t mode) {
  return mode == 1 || mode == 2 || mode == 4;
}

/// Other RDMA ports under the same bond: with RoCE LAG one device stands for all members.
std::vector<std::string> others_under(const Evidence& seen, const std::string& bond) {
  std::vector<std::string> out;
  for (const RdmaPort& port : seen.now().ports) {
    const bool itself = port.device == seen.port().device && port.port == seen.port().port;
    const bool below = port.netdev.value_or("") == bond ||
                       std::find(port.uppers.begin(), port.uppers.end(), bond) != port.uppers.end();
    if (!itself && below && port.function == FunctionKind::Physical) out.push_back(owner_of(port));
  }
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  const Netdev* bond = bond_of(seen);
  if (bond == nullptr) return out.not_applicable("the port is not under a bond");
  if (!bond->link.bond) return out.unknown(bond->link.bond.absent());
  const std::string& name = bond->link.name;
  const std::uint32_t mode = bond->link.bond->mode;
  const std::string source = "rtnetlink " + name;
  if (!carries_roce(mode))
    return (void)out.fail(
        Severity::Warning,
        port_name(seen) + " is under " + name + " in mode " + mode_name(mode) +
            ", in which no NIC runs RoCE over all members; active-backup, balance-xor or 802.3ad is "
            "expected.",
        {seen.word("bond mode", mode_name(mode), "!=", "active-backup, balance-xor, 802.3ad", source)});
  const std::vector<std::string> others = others_under(seen, name);
  if (others.empty()) return out.pass();
  const bool by_design = seen.profile() != nullptr && seen.profile()->lag;
  out.fail(Severity::Warning,
           port_name(seen) + " and " + joined(others) + " are RDMA devices of their own under one bond, " + name +
               " (" + mode_name(mode) + "): RoCE LAG is not active, and RDMA does not move over when a member fails.",
           {seen.item("RDMA devices under " + name, static_cast<double>(others.size() + 1), "count", ">", 1,
                      "RDMA netlink")})
      .confidence = seen.vendor() == "nvidia" || by_design ? 1.0 : 0.6;
}

}  // namespace

extern const Rule kRoceLagUnsupported;
constinit const Rule kRoceLagUnsupported{
    .id = "roce-lag-unsupported",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RoCE does not follow the bond",
    .what =
        "Looks at the bond over the port. Fires when its mode is none that carries RoCE, or when its members have an "
        "RDMA device each, so that RoCE LAG is not active.",
    .why = "RDMA uses one member only, and breaks when that one fails although the bond lives on.",
    .next = "Bond two ports of one card in mode active-backup, balance-xor or 802.3ad, or take the RoCE ports out.",
    .likely_causes = {"bond of ports of two cards", "bond made while virtual functions or switchdev were in use",
                      "mode chosen for TCP alone"},
    .fix = {Recipe::Lag},
    .traps =
        {"Drivers differ: NVIDIA's joins the devices; of others, two devices are a hint with less confidence, unless "
         "the profile says lag: bonds are RoCE's there.",
         "Rails that are bonded for management traffic only are found as well: waive the rule there."},
    .facts = {"mlx5-roce-lag"},
    .judge = judge,
};

}  // namespace roceready::rules
