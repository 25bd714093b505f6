// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/names_in_logs.h"

#include <cstddef>
#include <set>

#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "collectors/vendors/vendor.h"

namespace roceready::evidence {
namespace {

/// Whether the kernel's line is of a NIC that may do RDMA: "mlx5_core 0000:3b:00.0 ens1f0np0: Link down". `function`
/// gets its address.
bool is_of_rdma_driver(std::string_view text, std::string& function) {
  const auto words = words_of(text);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto address =
        pci_address(words[i].substr(0, words[i].ends_with(":") ? words[i].size() - 1 : words[i].size()));
    if (!address) continue;
    function = *address;
    const VendorTable* table = vendor_of_netdev(words[i - 1]);
    return table != nullptr && !table->rdma_drivers.empty();
  }
  return false;
}

}  // namespace

NamesInLogs names_in_logs(const std::vector<LogFact>& log) {
  std::set<std::string> devices, netdevs, functions;
  for (const LogFact& fact : log) {
    if (fact.kind.starts_with("switch_") || fact.says.contains("never_up")) continue;
    std::string function;
    if (is_usual_device_name(fact.subject))
      devices.insert(fact.subject);
    else if (fact.kind == "link_went_down" && !fact.subject.empty() && is_of_rdma_driver(fact.text, function))
      netdevs.insert(fact.subject), functions.insert(function);
  }
  const auto only = [](const std::set<std::string>& names) {
    return names.size() == 1 ? *names.begin() : std::string();
  };
  return {only(devices), only(netdevs), only(functions)};
}

}  // namespace roceready::evidence
