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

/// The file, or the nearest directory above it that hides it; null where the map has neither.
const Reading<std::string>* find_file(const VendorFileMap& files, std::string key) {
  const std::size_t whole = key.size();
  while (true) {
    const auto found = files.find(key);
    if (found != files.end() && (key.size() == whole || !found->second)) return &found->second;
    const std::size_t slash = key.rfind('/');
    if (slash == std::string::npos) return nullptr;
    key.resize(slash);
  }
}

}  // namespace

Reading<std::string> vendor_file(const VendorFileMap& files, const std::string& key) {
  if (files.empty()) return Absent{Why::NotSupported, "the driver has no such file"};
  if (const Reading<std::string>* const found = find_file(files, key)) return *found;
  return Absent{Why::NotSupported, "the driver has no file " + key};
}

bool has_directory(const VendorFileMap& files, const std::string& directory) {
  if (files.empty()) return false;
  const auto below = files.lower_bound(directory + "/");
  return files.contains(directory) || (below != files.end() && below->first.starts_with(directory + "/"));
}

Reading<std::uint32_t> vendor_number(const VendorFileMap& files, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const Reading<std::string>* const text = files.empty() ? nullptr : find_file(files, key);
    if (text == nullptr || (!*text && text->absent().why == Why::NotSupported)) continue;
    if (!*text) return text->absent();
    const auto number = parse_u64(trim(**text));
    if (!number || *number > UINT32_MAX) return Absent{Why::Malformed, std::string(key) + " holds \"" + **text + "\""};
    return static_cast<std::uint32_t>(*number);
  }
  return Absent{Why::NotSupported, "the driver has no such file"};
}

std::optional<bool> congestion_control_on(const RdmaPort& port, const Netdev& member) {
  std::optional<bool> out;
  const auto note = [&](const Reading<std::uint32_t>& one) {
    if (one) out = out.value_or(false) || *one != 0;
  };
  for (std::size_t priority = 0; priority < kPriorities && has_directory(member.vendor_files, "ecn"); ++priority)
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
