// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace roceready::evidence {

struct Command;

/// Takes options off the begin of a command that another program runs; `valued` ones have a word behind them.
void drop_options(std::vector<std::string>& words, std::initializer_list<std::string_view> valued);

/// Takes a program that runs the rest of the line in another place off its words: kubectl and oc exec, rsh, debug;
/// docker, podman, nerdctl and crictl exec; lxc and incus exec, lxc-attach; nsenter, chroot, srun. What it says of the
/// place stands in `out`. False, and nothing is changed, where the first word is none of these.
[[nodiscard]] bool take_off_runner(std::vector<std::string>& words, Command& out);

/// The line that "bash -c 'a; b'" hands to a shell; "" for other words.
[[nodiscard]] std::string handed_to_shell(const std::vector<std::string>& words);

}  // namespace roceready::evidence
