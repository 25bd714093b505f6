// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "rules/stated_profile.h"

namespace roceready::rules {
namespace {

constexpr std::uint32_t kBalancing = 1;  // bit 1 is memory tiering, another thing

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (profile->role == Role::StorageTarget || profile->role == Role::VmHost)
    return out.not_applicable("for storage targets and hosts of virtual machines the kernel's balancing is fine");
  const Reading<std::uint32_t>& balancing = seen.now().host.numa_balancing;
  if (!balancing && balancing.absent().why == Why::NotPresent) return out.pass();  // a kernel without it
  if (!balancing) return out.unknown(balancing.absent());
  if ((*balancing & kBalancing) == 0) return out.pass();
  constexpr const char* kFile = "/proc/sys/kernel/numa_balancing";
  out.fail(Severity::Info,
           "The kernel moves memory pages between NUMA nodes by itself (numa_balancing is " +
               std::to_string(*balancing) + "); for GPU and HPC programs 0 is expected.",
           {seen.item("kernel.numa_balancing", *balancing, "", "!=", 0, kFile)});
}

}  // namespace

extern const Rule kHostNumaBalancingOn;
constinit const Rule kHostNumaBalancingOn{
    .id = "host-numa-balancing-on",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "The kernel moves memory between NUMA nodes by itself",
    .what = "Reads kernel.numa_balancing. Fires when it is on, but on storage targets and hosts of virtual machines.",
    .why = "Pages are unmapped to see who uses them: latency spikes in programs that pinned their memory on purpose.",
    .next = "Set kernel.numa_balancing to 0, and write it to /etc/sysctl.d.",
    .likely_causes = {"the kernel's default on machines with more than one node"},
    .fix = {Recipe::NumaBalancing},
    .traps = {"Programs that do not place their memory themselves may be faster with it: info only.",
              "Memory tiering (value 2) is another thing and is not judged."},
    .facts = {"rocm-numa-balancing"},
    .judge = judge,
};

}  // namespace roceready::rules
