// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace roceready::rules {
namespace {

void fail_for(Outcomes& out, Severity severity, Subject subject, std::string sentence, EvidenceItem evidence) {
  out.fail(severity, std::move(sentence), {std::move(evidence)}).subject = std::move(subject);
}

/// Whether a port in scope is on a function of the same model: a node's rails are alike, and this one is missing.
bool has_siblings(const Snapshot& now, const NicWithoutRdma& nic) {
  const PciFunction* const own = now.function(nic.pci_address);
  if (own == nullptr || !own->vendor_device) return false;
  return std::any_of(now.ports.begin(), now.ports.end(), [&](const RdmaPort& port) {
    const PciFunction* const other = port.in_scope && port.pci_address ? now.function(*port.pci_address) : nullptr;
    return other != nullptr && other->vendor_device && *other->vendor_device == *own->vendor_device;
  });
}

void judge_nics(const Evidence& seen, Outcomes& out) {
  const Snapshot& now = seen.now();
  const bool some_port = std::any_of(now.ports.begin(), now.ports.end(), [](const RdmaPort& p) { return p.in_scope; });
  for (const NicWithoutRdma& nic : now.nics_without_rdma) {
    Subject subject;
    subject.netdev = nic.netdev;
    // Another model beside working RoCE ports is most likely a NIC for something else: only the node's owner knows.
    const bool sibling = has_siblings(now, nic);
    const bool critical = seen.profile() != nullptr && (!some_port || sibling);
    fail_for(out, critical ? Severity::Critical : Severity::Info, std::move(subject),
             "The NIC " + nic.pci_address + " (" + nic.netdev + ", driver " + nic.driver +
                 ") can do RDMA, but no RDMA device exists for it." +
                 (sibling ? " RoCE runs on other ports of the same model." : "") +
                 (critical ? std::string() : " Name it in ports.expected if RoCE is meant to run on it."),
             seen.word("RDMA device of " + nic.pci_address, "none",
                       "/sys/bus/pci/devices/" + nic.pci_address + "/infiniband"));
  }
}

bool is_loaded(const std::vector<std::string>& modules, const char* name) {
  return std::find(modules.begin(), modules.end(), name) != modules.end();
}

/// Modules between the NIC's driver and the programs.
void judge_stack(const Evidence& seen, Outcomes& out) {
  const HostFacts& host = seen.now().host;
  const auto& ports = seen.now().ports;
  const bool in_use = std::any_of(ports.begin(), ports.end(), [](const RdmaPort& port) { return port.in_scope; });
  if (!in_use) return;
  if (!host.user_verbs) {
    if (out.entries().empty()) out.unknown(host.user_verbs.absent());
    return;
  }
  if (!*host.user_verbs) {
    fail_for(out, Severity::Critical, {},
             "No program can use RDMA: the kernel's interface to programs (ib_uverbs) is not loaded, though RDMA ports "
             "are in use.",
             seen.word("ib_uverbs", "not loaded", "/sys/class/infiniband_verbs"));
    return;
  }
  // A module that is built in has no entry, so that ib_core tells whether absence says anything.
  if (!host.modules || !is_loaded(*host.modules, "ib_core") || is_loaded(*host.modules, "rdma_cm")) return;
  fail_for(out, Severity::Info, {},
           "The RDMA connection manager (rdma_cm) is not loaded: programs that connect by address cannot.",
           seen.word("rdma_cm", "not loaded", "/sys/module"));
}

void judge(const Evidence& seen, Outcomes& out) {
  for (const std::string& expected : seen.now().expected_missing) {
    Subject subject;
    subject.netdev = expected;
    fail_for(out, Severity::Critical, std::move(subject),
             "The configuration expects the port " + expected + ", and no RDMA port answers to that name.",
             seen.word("port " + expected, "missing", "ports.expected"));
  }
  for (const RdmaPort& port : seen.history().vanished_ports()) {
    Subject subject;
    subject.device = port.device;
    subject.port = port.port;
    subject.netdev = port.netdev.value_or("");
    const std::string name = owner_of(port);
    fail_for(out, Severity::Critical, std::move(subject), "The port " + name + " was in use and is gone.",
             seen.word("port " + name, "vanished", "RDMA devices of the kernel"));
  }
  judge_nics(seen, out);
  judge_stack(seen, out);
  if (out.entries().empty()) out.pass();
}

}  // namespace

extern const Rule kHostRdmaDriverMissing;
constinit const Rule kHostRdmaDriverMissing{
    .id = "host-rdma-driver-missing",
    .family = "host",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Node,
    .title = "A NIC that should do RDMA has no RDMA device",
    .what =
        "Critical when a port of ports.expected is missing, when a port that was in use is gone, when a profile is "
        "named "
        "and the node's RDMA-capable NICs have no RDMA device at all, or one of the model that RoCE runs on has none, "
        "or "
        "when ports are in use but ib_uverbs is not loaded. A NIC of another model without RDMA, and a missing "
        "rdma_cm, "
        "are info.",
    .why = "Programs do not find the rail, or fall back to TCP without a word.",
    .next =
        "Look into the kernel log for the driver, load its RDMA module, and check that the function is still there.",
    .likely_causes = {"the RDMA module is not loaded or not built for this kernel", "driver and firmware do not fit",
                      "the function fell off the bus or was reset", "the device is held by another namespace or guest"},
    .fix = {Recipe::RdmaDriver},
    .traps =
        {"A NIC of another model beside working RoCE ports may be there for something else: not a fault unless it is "
         "expected.",
         "Many programs (NCCL) do without the connection manager, and opening its device loads it: info.",
         "Which ports were in use is known for as long as the daemon runs, and over a restart within five minutes of "
         "the same boot; ports.expected holds always."},
    .facts = {"rdma-modules"},
    .judge = judge,
};

}  // namespace roceready::rules
