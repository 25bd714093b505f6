// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// The two halves of a NIC's driver: they share structures and have to be of one build.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kHalves{
    {{"mlx5_core", "mlx5_ib"}, {"bnxt_en", "bnxt_re"}, {"ice", "irdma"}, {"ionic", "ionic_rdma"}}};

bool is_core(const std::string& name) {
  return name.starts_with("ib_") || name.starts_with("rdma_") || name == "iw_cm";
}

const ModuleBuild* find(const std::vector<ModuleBuild>& builds, std::string_view name) {
  const auto found = std::find_if(builds.begin(), builds.end(), [&](const ModuleBuild& b) { return b.name == name; });
  return found == builds.end() ? nullptr : &*found;
}

std::string origin(const ModuleBuild& build) {
  if (!*build.out_of_tree) return build.name + " is the kernel's own";
  return build.name + " was built outside of the kernel" + (build.version ? " (" + *build.version + ")" : "");
}

struct Faults {
  const Evidence& seen;
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;

  void add(const ModuleBuild& a, const ModuleBuild& b, std::string words_of_both) {
    words.push_back(std::move(words_of_both));
    for (const ModuleBuild* one : {&a, &b})
      evidence.push_back(seen.word("origin of " + one->name, *one->out_of_tree ? "out of tree" : "in tree",
                                   "/sys/module/" + one->name + "/taint"));
  }
};

void compare_halves(const std::vector<ModuleBuild>& builds, Faults& faults) {
  for (const auto& [lower, upper] : kHalves) {
    const ModuleBuild* nic = find(builds, lower);
    const ModuleBuild* rdma = find(builds, upper);
    if (nic == nullptr || rdma == nullptr) continue;
    if (*nic->out_of_tree != *rdma->out_of_tree) faults.add(*nic, *rdma, origin(*nic) + " and " + origin(*rdma));
    // NVIDIA's two modules state the version of the package that they came with; others number each for itself.
    if (lower == "mlx5_core" && nic->version && rdma->version && *nic->version != *rdma->version)
      faults.add(*nic, *rdma,
                 nic->name + " is of version " + *nic->version + " and " + rdma->name + " of " + *rdma->version);
  }
}

void compare_core(const std::vector<ModuleBuild>& builds, Faults& faults) {
  const ModuleBuild* core = find(builds, "ib_core");
  if (core == nullptr) return;
  for (const ModuleBuild& other : builds)
    if (is_core(other.name) && *other.out_of_tree != *core->out_of_tree)
      faults.add(*core, other, origin(*core) + " and " + origin(other));
  // NVIDIA's package replaces the RDMA core; other vendors' modules are made for the kernel's own.
  const ModuleBuild* rdma = find(builds, "mlx5_ib");
  if (rdma != nullptr && *rdma->out_of_tree != *core->out_of_tree)
    faults.add(*core, *rdma, origin(*core) + " and " + origin(*rdma));
}

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<std::vector<ModuleBuild>>& builds = seen.now().host.module_builds;
  if (!builds) return out.unknown(builds.absent());
  if (builds->empty()) return out.not_applicable("no module of the RDMA stack is loaded");
  for (const ModuleBuild& one : *builds)
    if (!one.out_of_tree) return out.unknown(one.out_of_tree.absent());
  Faults faults{seen, {}, {}};
  compare_halves(*builds, faults);
  compare_core(*builds, faults);
  if (faults.words.empty()) return out.pass();
  out.fail(Severity::Warning, "RDMA modules of different origin are loaded together: " + joined(faults.words) + ".",
           std::move(faults.evidence));
}

}  // namespace

extern const Rule kHostDriverMixed;
constinit const Rule kHostDriverMixed{
    .id = "host-driver-mixed",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "RDMA modules of different origin are mixed",
    .what =
        "Reads whether each loaded module of the RDMA stack was built with the kernel or outside of it. Fires when the "
        "two halves of a NIC's driver, or modules of the RDMA core, differ.",
    .why = "Halves that do not fit fail in odd ways: missing counters, refused modules, crashes under load.",
    .next = "Install the driver package again for this kernel, rebuild the initramfs, and reboot.",
    .likely_causes = {"kernel updated without its driver package", "an old module in the initramfs",
                      "a package for another distribution release"},
    .fix = {Recipe::DriverStack},
    .traps = {"Drivers of Broadcom, Intel and AMD from outside of the kernel run on its own RDMA core: no fault.",
              "A module that is built into the kernel counts as its own.",
              "Whether rdma-core in user space fits the kernel is not looked at."},
    .facts = {"kernel-module-taint"},
    .judge = judge,
};

}  // namespace roceready::rules
