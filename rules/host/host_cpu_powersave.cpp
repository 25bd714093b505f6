// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

namespace roceready::rules {
namespace {

/// Drivers under which the processor chooses its speed itself and "powersave" only biases it.
bool processor_decides(const std::string& driver) {
  return driver == "intel_pstate" || driver == "amd-pstate-epp" || driver == "amd_pstate_epp";
}

void judge(const Evidence& seen, Outcomes& out) {
  const HostFacts& host = seen.now().host;
  const Reading<std::string>& governor = host.cpu_governor;
  if (!governor && governor.absent().why == Why::NotPresent)
    return out.not_applicable("the kernel does not set the processor's frequency here");
  if (!governor) return out.unknown(governor.absent());
  if (*governor != "powersave") return out.pass();
  const Reading<std::string>& driver = host.cpu_frequency_driver;
  if (!driver) return out.unknown(driver.absent());
  if (processor_decides(*driver)) return out.pass();
  constexpr const char* kFile = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
  out.fail(Severity::Info,
           "The CPUs run at their lowest frequency: the governor is powersave under the driver " + *driver +
               ", where that is a fixed speed.",
           {seen.word("CPU frequency governor", *governor, "!=", "performance", kFile),
            seen.word("CPU frequency driver", *driver, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver")});
}

}  // namespace

extern const Rule kHostCpuPowersave;
constinit const Rule kHostCpuPowersave{
    .id = "host-cpu-powersave",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "The CPUs are kept at their lowest frequency",
    .what =
        "Reads the frequency governor and driver of CPU 0. Fires when the governor is powersave under a driver that "
        "takes it as the lowest frequency.",
    .why = "Completions are handled late: higher latency, and more of it in the tail.",
    .next = "Choose a profile for low latency (tuned), or the governor performance.",
    .likely_causes = {"default of the distribution or of the firmware", "a power saving profile of tuned"},
    .fix = {Recipe::CpuGovernor},
    .traps = {"Under intel_pstate and amd-pstate-epp powersave is a bias, not a speed: no fault.",
              "Deep sleep states (C-states) are not read.", "CPU 0 stands for all; virtual machines mostly show none."},
    .facts = {"kernel-cpufreq-governors"},
    .judge = judge,
};

}  // namespace roceready::rules
