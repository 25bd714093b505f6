// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "collectors/collector.h"
#include "collectors/pci_identity.h"
#include "collectors/pci_parse.h"
#include "collectors/rdma_devices.h"
#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::size_t kMaxConfiguration = 4096;

template <class T>
Reading<T> parsed_file(Files& files, const std::string& path, Reading<T> (*parse)(std::string_view)) {
  const auto text = files.read(path);
  if (!text) return text.error();
  return parse(*text);
}

Reading<std::int64_t> numa_node(Files& files, const std::string& base) {
  const auto text = read_text(files, base + "numa_node");
  if (!text) return text.absent();
  const auto node = parse_i64(*text);
  if (!node) return Absent{Why::Malformed, "numa_node is \"" + *text + "\""};
  return *node;
}

Reading<std::string> iommu_group_type(Files& files, const std::string& base) {
  const auto group = files.read_link(base + "iommu_group");
  if (!group) {
    if (group.error().code == ErrorCode::NotFound) return Absent{Why::NotPresent, "no IOMMU group"};
    return group.error();
  }
  const std::string path = "/sys/kernel/iommu_groups/" + base_name(*group) + "/type";
  auto type = read_text(files, path);
  if (type && (type->empty() || *type == "unknown")) return Absent{Why::Malformed, path + " says \"" + *type + "\""};
  return type;
}

Reading<std::string> physical_function(Files& files, const std::string& base) {
  const auto target = files.read_link(base + "physfn");
  if (target) return base_name(*target);
  if (target.error().code == ErrorCode::NotFound) return Absent{Why::NotPresent, "not a virtual function"};
  return target.error();
}

/// Totals; the files exist with the AER capability even where the firmware owns AER and nobody counts.
Reading<std::map<std::string, std::uint64_t>> aer(Files& files, const std::string& base) {
  std::map<std::string, std::uint64_t> out;
  Absent why{Why::NotPresent, "no AER capability"};
  for (const char* kind : {"correctable", "nonfatal", "fatal"}) {
    const auto text = files.read(base + "aer_dev_" + kind);
    const auto total = text ? parse_aer_total(*text) : std::nullopt;
    if (total) {
      out[kind] = *total;
    } else {
      why = text ? Absent{Why::Malformed, std::string("aer_dev_") + kind + " has no total"} : absent_from(text.error());
    }
  }
  if (out.empty()) return why;
  return out;
}

void read_configuration(Files& files, const std::string& base, PciFunction& out) {
  const auto config = files.read(base + "config", kMaxConfiguration);
  PciConfiguration parsed;
  if (config) {
    parsed = parse_pci_configuration(*config);
  } else {
    parsed = {config.error(), config.error(), config.error(), config.error(), config.error()};
  }
  out.max_read_request_bytes = std::move(parsed.max_read_request_bytes);
  out.max_payload_bytes = std::move(parsed.max_payload_bytes);
  out.max_payload_supported_bytes = std::move(parsed.max_payload_supported_bytes);
  out.acs_control = std::move(parsed.acs_control);
  out.relaxed_ordering = std::move(parsed.relaxed_ordering);
}

/// Root ports whose errors the kernel handles. An error: it could not be asked.
Result<std::set<std::string>> ports_with_aer(Files& files) {
  const auto services = files.list("/sys/bus/pci_express/drivers/aer");
  std::set<std::string> out;
  if (!services && services.error().code == ErrorCode::NotFound) return out;
  if (!services) return services.error();
  // "0000:00:01.0:pcie002": the service 002 of a port.
  for (const std::string& service : *services) out.insert(service.substr(0, service.rfind(':')));
  return out;
}

PciFunction read_function(Files& files, const std::string& address, const std::string& parent) {
  const std::string base = kPciDevices + address + "/";
  PciFunction out;
  out.address = address;
  out.parent = parent;
  out.vendor_device = vendor_device(files, base);
  out.current_speed = parsed_file(files, base + "current_link_speed", parse_pci_speed);
  out.max_speed = parsed_file(files, base + "max_link_speed", parse_pci_speed);
  out.current_width = parsed_file(files, base + "current_link_width", parse_pci_width);
  out.max_width = parsed_file(files, base + "max_link_width", parse_pci_width);
  out.numa_node = numa_node(files, base);
  out.iommu_group_type = iommu_group_type(files, base);
  out.physical_function = physical_function(files, base);
  out.aer = aer(files, base);
  read_configuration(files, base, out);
  return out;
}

/// Functions of ports in scope and of their members.
std::set<std::string> wanted_functions(const Context& context, const Snapshot& snapshot) {
  std::set<std::string> out;
  for (const RdmaPort& port : snapshot.ports) {
    if (port.in_scope && port.pci_address && is_pci_address(*port.pci_address)) out.insert(*port.pci_address);
  }
  for (const Netdev& netdev : snapshot.netdevs) {
    const auto& parent = netdev.link.parent_device;
    if (context.members.contains(netdev.link.name) && parent && is_pci_address(*parent)) out.insert(*parent);
  }
  return out;
}

std::vector<std::string> chain_of(Files& files, const std::string& address) {
  const auto target = files.read_link(kPciDevices + address);
  std::vector<std::string> chain = target ? parse_sysfs_place(*target).pci : std::vector<std::string>();
  if (chain.empty() || chain.back() != address) chain.push_back(address);
  return chain;
}

/// Functions by address, as they are read: what several devices share is read once.
class Tree {
 public:
  explicit Tree(Files& files) : files_(files), counting_(ports_with_aer(files)) {}

  /// Reads the first `count` functions of a chain that begins at the root port.
  void read(const std::vector<std::string>& chain, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (functions_.contains(chain[i])) continue;
      PciFunction& function = functions_[chain[i]];
      function = read_function(files_, chain[i], i == 0 ? "" : chain[i - 1]);
      if (function.aer && counting_ && !counting_->contains(chain[0]))
        function.aer = Absent{Why::NotPresent, "the kernel does not handle the errors of root port " + chain[0]};
    }
  }
  std::vector<PciFunction> take() {
    std::vector<PciFunction> out;
    for (auto& [address, function] : functions_) out.push_back(std::move(function));
    return out;
  }

 private:
  Files& files_;
  Result<std::set<std::string>> counting_;
  std::map<std::string, PciFunction> functions_;
};

/// Addresses that GPU drivers have bound. A GPU that is handed to a virtual machine is none of ours.
Reading<std::vector<std::string>> bound_gpus(Files& files) {
  constexpr const char* kDrivers[] = {"amdgpu", "habanalabs", "nvidia"};
  constexpr std::size_t kMaxGpus = 64;
  std::vector<std::string> out;
  for (const char* driver : kDrivers) {
    const auto names = files.list(std::string("/sys/bus/pci/drivers/") + driver);
    if (!names && names.error().code == ErrorCode::NotFound) continue;
    if (!names) return names.error();
    for (const std::string& name : *names)
      if (is_pci_address(name) && out.size() < kMaxGpus) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Reads nothing that would wake a sleeping GPU: no configuration space, no link state.
std::optional<Gpu> read_gpu(Files& files, const std::string& address) {
  const std::string base = kPciDevices + address + "/";
  const auto pci_class = read_text(files, base + "class");
  // Display, 3D and processing accelerators; the same drivers bind audio and bridge functions.
  const bool gpu = pci_class && (pci_class->starts_with("0x0300") || pci_class->starts_with("0x0302") ||
                                 pci_class->starts_with("0x1200"));
  if (!gpu) return std::nullopt;
  return Gpu{address, vendor_device(files, base), numa_node(files, base), ""};
}

bool sleeps(Files& files, const std::string& address) {
  return read_text(files, kPciDevices + address + "/power/runtime_status").value_or("") == "suspended";
}

Reading<std::vector<Gpu>> read_gpus(Files& files, Tree& tree) {
  const Reading<std::vector<std::string>> addresses = bound_gpus(files);
  if (!addresses) return addresses.absent();
  std::vector<Gpu> out;
  for (const std::string& address : *addresses) {
    std::optional<Gpu> gpu = read_gpu(files, address);
    if (!gpu) continue;
    const std::vector<std::string> chain = chain_of(files, address);
    if (chain.size() > 1) gpu->parent = chain[chain.size() - 2];
    // The bridge above a sleeping GPU may sleep too, and reading its registers would wake it.
    if (!sleeps(files, address)) tree.read(chain, chain.size() - 1);
    out.push_back(std::move(*gpu));
  }
  return out;
}

Result<void> collect(Host& host, const Selection&, Context& context, Snapshot& out) {
  Tree tree(host.files);
  const std::set<std::string> wanted = wanted_functions(context, out);
  for (const std::string& address : wanted) {
    const std::vector<std::string> chain = chain_of(host.files, address);
    tree.read(chain, chain.size());
  }
  // GPUs matter by how they are wired to a NIC.
  out.gpus = wanted.empty() ? Reading<std::vector<Gpu>>(std::vector<Gpu>{}) : read_gpus(host.files, tree);
  out.pci = tree.take();
  return {};
}

}  // namespace

extern const Collector kPci;
constinit const Collector kPci{"pci", Cadence::Machine, false, collect};

}  // namespace roceready
