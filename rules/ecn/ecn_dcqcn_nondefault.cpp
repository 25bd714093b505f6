// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <array>
#include <string>
#include <vector>

#include "rules/ecn/cc_files.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// A DCQCN parameter: its file in mlx5's debugfs and in NVIDIA's own driver, and the value NICs come with.
struct Parameter {
  const char* in_debugfs;
  const char* in_driver;
  std::uint32_t usual;
};

constexpr std::array<Parameter, 11> kParameters{{
    {"cc_params/rp_time_reset", "ecn/roce_rp/rpg_time_reset", 300},
    {"cc_params/rp_byte_reset", "ecn/roce_rp/rpg_byte_reset", 32767},
    {"cc_params/rp_dce_tcp_g", "ecn/roce_rp/dce_tcp_g", 1019},
    {"cc_params/rp_dce_tcp_rtt", "ecn/roce_rp/dce_tcp_rtt", 1},
    {"cc_params/rp_rate_reduce_monitor_period", "ecn/roce_rp/rate_reduce_monitor_period", 4},
    {"cc_params/rp_initial_alpha_value", "ecn/roce_rp/initial_alpha_value", 1023},
    {"cc_params/rp_min_dec_fac", "ecn/roce_rp/rpg_min_dec_fac", 50},
    {"cc_params/rp_gd", "ecn/roce_rp/rpg_gd", 11},
    {"cc_params/rp_min_rate", "ecn/roce_rp/rpg_min_rate", 1},
    {"cc_params/rp_rate_to_set_on_first_cnp", "ecn/roce_rp/rate_to_set_on_first_cnp", 0},
    {"cc_params/np_min_time_between_cnps", "ecn/roce_np/min_time_between_cnps", 4},
}};

std::string name_of_parameter(const Parameter& parameter) {
  const std::string path = parameter.in_driver;
  return path.substr(path.rfind('/') + 1);
}

void judge(const Evidence& seen, Outcomes& out) {
  if (heeds_no_marks(*seen.profile())) return out.not_applicable(no_marks(*seen.profile()));
  if (seen.profile()->congestion_control == CongestionControl::Other)
    return out.not_applicable("profile " + seen.profile()->name + " does not use DCQCN");
  Absent refused{Why::NotSupported, "only NVIDIA's drivers show DCQCN parameters"};
  if (!has_directory(seen.member().vendor_files, "ecn") && !has_directory(seen.port().vendor_files, "cc_params"))
    return (void)shown(out, Reading<bool>(refused), "its DCQCN parameters");
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  bool any = false;
  for (const Parameter& parameter : kParameters) {
    Reading<std::uint32_t> value = vendor_number(seen.member().vendor_files, {parameter.in_driver});
    if (!value) {
      const Reading<std::uint32_t> other = vendor_number(seen.port().vendor_files, {parameter.in_debugfs});
      if (other || value.absent().why == Why::NotSupported) value = other;
    }
    any = any || value.has_value();
    if (!value && value.absent().why != Why::NotSupported) refused = value.absent();
    if (!value || *value == parameter.usual) continue;
    const std::string name = name_of_parameter(parameter);
    words.push_back(name + " is " + std::to_string(*value) + " (usual: " + std::to_string(parameter.usual) + ")");
    evidence.push_back(seen.item(name, *value, "", "!=", parameter.usual, cc_source(seen)));
  }
  if (words.empty() && !any) return (void)shown(out, Reading<bool>(refused), "its DCQCN parameters");
  if (words.empty() && refused.why != Why::NotSupported) return out.unknown(refused);
  if (words.empty()) return out.pass();
  out.fail(Severity::Info, "DCQCN of " + seen.member().link.name + " is tuned: " + joined(words) + ".",
           std::move(evidence));
}

}  // namespace

extern const Rule kEcnDcqcnNondefault;
constinit const Rule kEcnDcqcnNondefault{
    .id = "ecn-dcqcn-nondefault",
    .since = "0.3",
    .family = "ecn",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic | kFabric,
    .modes = kLossless | kLossy,
    .scope = Scope::Member,
    .title = "DCQCN parameters are not the usual ones",
    .what = "Compares eleven DCQCN parameters with the values that NVIDIA's NICs come with. Info, nothing more.",
    .why = "Nodes that are tuned differently share a congested link unfairly.",
    .next = "Compare with other nodes; restore the usual values unless they were chosen.",
    .likely_causes = {"tuned for a benchmark or by a vendor's profile", "newer firmware with other defaults"},
    .fix = {Recipe::Ecn},
    .traps =
        {"Many tunings are legitimate; what counts is that the nodes of a fabric agree, which one node cannot see.",
         "mlx5's parameters are in debugfs, which takes root: without it this is unknown."},
    .facts = {"nvidia-dcqcn-defaults", "mlx5-cc-params", "nvidia-ecn-files"},
    .judge = judge,
};

}  // namespace roceready::rules
