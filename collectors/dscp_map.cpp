// SPDX-License-Identifier: Apache-2.0
#include "collectors/dscp_map.h"

#include <algorithm>

namespace roceready {
namespace {

constexpr std::size_t kCodePoints = 64;
constexpr std::uint32_t kUnset = 0xffffffffU;

bool is_dscp(const AppEntry& entry) {
  return entry.selector == kSelectorDscp;
}

}  // namespace

Absent unread(const Absent& absent) {
  return absent.why == Why::NotSupported ? Absent{Why::Malformed, absent.detail} : absent;
}

Reading<std::string> derive_trust(const Reading<std::string>& file, const VendorTable* table, const DcbFacts& dcb) {
  if (file) return file;
  // Only a file that is not there means that the driver has none; a refused one hides what it would have said.
  if (file.absent().why != Why::NotPresent) return unread(file.absent());
  if (table == nullptr) return Absent{Why::NotPresent, "not known how this driver shows its trust mode"};
  if (table->trust == TrustRule::NotShown) return Absent{Why::NotSupported, "this driver cannot show its trust mode"};
  if (table->trust == TrustRule::DscpEntryInHostMode) {
    constexpr std::uint32_t kHost = 1;
    if (!dcb.dcbx) return unread(dcb.dcbx.absent());
    if ((*dcb.dcbx & kHost) == 0)
      return Absent{Why::NotPresent,
                    "the LLDP agent of the NIC's firmware manages DCB, and then nothing shows the trust"};
  }
  if (!dcb.app) return unread(dcb.app.absent());
  return std::string(std::any_of(dcb.app->begin(), dcb.app->end(), is_dscp) ? "dscp" : "pcp");
}

void settle_hidden(const VendorTable* table, DcbFacts& dcb) {
  const auto settle = [&](auto& reading, unsigned bits, const char* what) {
    if (reading) return;
    const Absent& why = reading.absent();
    const bool none = why.why == Why::NotSupported || why.why == Why::NotPresent;
    if (none && table != nullptr && (table->hides & bits) != 0)
      reading = Absent{Why::NotSupported, std::string("this driver cannot show its ") + what};
    else
      reading = unread(why);
  };
  settle(dcb.pfc, kHidesDcb, "PFC priorities");
  settle(dcb.ets, kHidesDcb, "ETS settings");
  settle(dcb.app, kHidesDcb, "application table");
  settle(dcb.buffers, kHidesDcb | kHidesBuffers, "receive buffers");
  settle(dcb.max_rate, kHidesDcb | kHidesMaxRate, "rate limits");
}

Reading<std::vector<std::uint32_t>> derive_dscp_map(const Reading<std::string>& trust, const VendorTable* table,
                                                    const Reading<std::vector<AppEntry>>& app) {
  if (trust && *trust != "dscp") return Absent{Why::NotPresent, "trust is " + *trust + ": DSCP is not looked at"};
  const bool hidden = table != nullptr && (table->hides & (kHidesDcb | kHidesDscpMap)) != 0;
  if (!app && hidden && (app.absent().why == Why::NotSupported || app.absent().why == Why::NotPresent))
    return Absent{Why::NotSupported, "this driver cannot show its DSCP map"};
  if (!app) return unread(app.absent());
  std::vector<std::uint32_t> map(kCodePoints, kUnset);
  if (table != nullptr && table->default_dscp_map.size() == kCodePoints) {
    std::copy(table->default_dscp_map.begin(), table->default_dscp_map.end(), map.begin());
  }
  std::vector<bool> entered(kCodePoints, false);
  for (const AppEntry& entry : *app) {
    if (!is_dscp(entry) || entry.protocol >= kCodePoints || entry.priority >= kPriorities) continue;
    map[entry.protocol] = entered[entry.protocol] ? std::max(map[entry.protocol], entry.priority) : entry.priority;
    entered[entry.protocol] = true;
  }
  const auto hole = std::find(map.begin(), map.end(), kUnset);
  if (hole == map.end()) return map;
  return Absent{
      table == nullptr ? Why::NotPresent : Why::NotSupported,
      "DSCP " + std::to_string(hole - map.begin()) + " has no APP entry, and the driver's default map is not known"};
}

}  // namespace roceready
