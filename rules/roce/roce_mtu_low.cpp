// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "rules/roce/roce_mtu.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

bool is_routable(const NetLink& link) {
  return std::any_of(link.addresses.begin(), link.addresses.end(),
                     [](const IpAddress& one) { return one.is_routable(); });
}

/// The upper with the largest MTU among those that have the port's routable addresses, where only uppers have any:
/// RDMA-CM takes the MTU of the netdev that the address is on. Null where the port's own netdev has one, or where the
/// MTU of one of them is not known.
const Netdev* only_addressed_upper(const Evidence& seen, const Netdev* own) {
  if (own == nullptr || is_routable(own->link)) return nullptr;
  const Netdev* widest = nullptr;
  for (const std::string& name : seen.port().uppers) {
    const Netdev* upper = seen.now().netdev(name);
    if (upper == nullptr || !is_routable(upper->link)) continue;
    if (!upper->link.mtu) return nullptr;
    if (widest == nullptr || *upper->link.mtu > *widest->link.mtu) widest = upper;
  }
  return widest;
}

void judge(const Evidence& seen, Outcomes& out) {
  const RdmaPort& port = seen.port();
  const Netdev* netdev = port.netdev ? seen.now().netdev(*port.netdev) : nullptr;
  const bool stated = seen.profile() != nullptr && !seen.limit_is_set("roce_mtu");
  const std::uint32_t wanted = stated ? seen.profile()->roce_mtu : static_cast<std::uint32_t>(seen.limit("roce_mtu"));

  // What the netdev allows can convict a port whose RDMA MTU is not readable, but never clear it.
  Reading<std::uint32_t> actual = port.active_mtu;
  bool inferred = false;
  if (!actual && netdev != nullptr && netdev->link.mtu && rdma_mtu_of(*netdev->link.mtu) < wanted) {
    actual = rdma_mtu_of(*netdev->link.mtu);
    inferred = true;
  }
  const Netdev* limiting = netdev;
  const Netdev* upper = only_addressed_upper(seen, netdev);
  if ((!actual || *actual >= wanted) && upper != nullptr && rdma_mtu_of(*upper->link.mtu) < wanted) {
    actual = rdma_mtu_of(*upper->link.mtu);
    inferred = true;
    limiting = upper;
  }
  if (!actual) return out.unknown(actual.absent());
  if (*actual >= wanted) return out.pass();

  const std::string source = inferred ? "rtnetlink " + limiting->link.name : port_name(seen);
  std::string sentence = port_name(seen) + (inferred ? " can use an RDMA MTU of " : " uses an RDMA MTU of ") +
                         std::to_string(*actual) + (inferred ? " bytes at most; " : " bytes; ") +
                         std::to_string(wanted) + " are expected.";
  std::vector<EvidenceItem> evidence = {seen.item("RDMA MTU", *actual, "bytes", "<", wanted, source)};
  if (limiting != nullptr && limiting->link.mtu) {
    const NetLink& link = limiting->link;
    sentence += (limiting == netdev ? " The MTU of " : " Its routable addresses are on uppers only, and the MTU of ") +
                link.name + " is " + std::to_string(*link.mtu) + ".";
    evidence.push_back(seen.item("netdev MTU", *link.mtu, "bytes", "rtnetlink " + link.name));
  }
  if (port.max_mtu && *port.max_mtu < wanted)
    sentence += " The device supports no more than " + std::to_string(*port.max_mtu) + ".";
  out.fail(Severity::Warning, sentence, std::move(evidence)).confidence = inferred ? 0.7 : 1.0;
}

}  // namespace

extern const Rule kRoceMtuLow;
constinit const Rule kRoceMtuLow{
    .id = "roce-mtu-low",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .mandatory = kRoceModes,
    .title = "RDMA MTU is small",
    .what =
        "Compares the active RDMA MTU of the port with the profile's (4096 bytes without one), and the MTU of the "
        "VLANs "
        "where only they have routable addresses. A netdev MTU of 4200 gives 4096; 1500 gives 1024.",
    .why = "Small packets mean up to four times the packet rate: less throughput, more CPU and NIC work.",
    .next = "Raise the MTU of the netdev, its VLANs and bond, and of the switch; then restart the applications.",
    .likely_causes = {"netdev MTU left at 1500", "MTU lost at reboot", "VLAN or bond with a smaller MTU"},
    .fix = {Recipe::Mtu},
    .traps = {"Some fabrics use 1024 or 2048 by design: set rules.roce-mtu-low.roce_mtu.",
              "Overlays and long-distance links leave less room.",
              "Queue pairs keep the MTU that they were made with."},
    .limits = {Limit{.name = "roce_mtu",
                     .value = 4096,
                     .unit = "bytes",
                     .min = 256,
                     .max = 4096,
                     .evidence = 'D',
                     .help = "RDMA MTU that is expected; the profile's holds while this is not changed"}},
    .facts = {"kernel-roce-mtu"},
    .judge = judge,
};

}  // namespace roceready::rules
