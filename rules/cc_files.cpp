// SPDX-License-Identifier: Apache-2.0
#include "rules/ecn/cc_files.h"

#include "core/base/text.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// From the netdev's files, else from the RDMA device's: the NIC has the setting once.
Reading<std::uint32_t> either(const Reading<std::uint32_t>& of_netdev, const Reading<std::uint32_t>& of_device) {
  const bool missing = !of_netdev && (of_device || of_netdev.absent().why == Why::NotSupported);
  return missing ? of_device : of_netdev;
}

}  // namespace

Reading<std::string> vendor_file(const VendorFileMap& files, const std::string& key) {
  if (files.empty()) return Absent{Why::NotSupported, "the driver has no such file"};
  for (std::string at = key;;) {
    const auto found = files.find(at);
    if (found != files.end() && (at == key || !found->second)) return found->second;
    const std::size_t slash = at.rfind('/');
    if (slash == std::string::npos) break;
    at.resize(slash);
  }
  return Absent{Why::NotSupported, "the driver has no file " + key};
}

Reading<std::uint32_t> vendor_number(const VendorFileMap& files, std::initializer_list<const char*> keys) {
  Reading<std::uint32_t> out = Absent{Why::NotSupported, "the driver has no such file"};
  if (files.empty()) return out;
  for (const char* key : keys) {
    const Reading<std::string> text = vendor_file(files, key);
    if (!text && text.absent().why == Why::NotSupported) continue;
    if (!text) return text.absent();
    const auto number = parse_u64(trim(*text));
    if (!number || *number > UINT32_MAX) return Absent{Why::Malformed, std::string(key) + " holds \"" + *text + "\""};
    return static_cast<std::uint32_t>(*number);
  }
  return out;
}

std::optional<bool> congestion_control_on(const RdmaPort& port, const Netdev& member) {
  std::optional<bool> out;
  const auto note = [&](const Reading<std::uint32_t>& one) {
    if (one) out = out.value_or(false) || *one != 0;
  };
  for (std::size_t priority = 0; priority < kPriorities; ++priority)
    for (const char* half : {"ecn/roce_np/enable/", "ecn/roce_rp/enable/"})
      note(vendor_number(member.vendor_files, {(half + std::to_string(priority)).c_str()}));
  for (const char* whole :
       {"cc_config/enable_cc", "irdma/roce_dcqcn_enable", "irdma/roce_timely_enable", "irdma/roce_dctcp_enable"})
    note(vendor_number(port.vendor_files, {whole}));
  return out;
}

Reading<std::uint32_t> cnp_dscp_set(const Evidence& seen) {
  return either(vendor_number(seen.member().vendor_files, {"ecn/roce_np/cnp_dscp"}),
                vendor_number(seen.port().vendor_files, {"cc_params/np_cnp_dscp", "cc_config/alt_vlan_dscp"}));
}

Reading<std::uint32_t> cnp_priority_set(const Evidence& seen) {
  return either(vendor_number(seen.member().vendor_files, {"ecn/roce_np/cnp_802p_prio"}),
                vendor_number(seen.port().vendor_files, {"cc_params/np_cnp_prio", "cc_config/alt_vlan_pcp"}));
}

std::string cc_source(const Evidence& seen) {
  return "congestion control files of " + netdev_name(seen);
}

}  // namespace roceready::rules
