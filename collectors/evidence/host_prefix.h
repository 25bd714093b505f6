// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace roceready::evidence {

/// A line as pdsh and clush print it, "node7: rx_prio3_pause: 5", or fabric: "[root@node7] out: rx_prio3_pause: 5",
/// "[node7] run: ethtool -S eth0"; as pssh, "node7:rx_prio3_pause: 5", as `kubectl logs --prefix`, "[pod/a/main] …",
/// and as `srun -l`, "0: …". `host` is the short name, "pod a" or "task 0".
struct PrefixedLine {
  std::string host;
  std::string_view rest;
  bool command = false;  ///< the rest was run on the host, not printed by it
};
/// Whether a command in a text, by its beginning, is `srun -l`: numbers in front of lines are tasks then, and else may
/// be those of `grep -n` or of a loop.
[[nodiscard]] bool has_labelled_tasks(std::string_view text);

/// Nothing where no host's name stands in front; names of netdevs, RDMA devices and files are none. `tasks`: a number
/// is one.
[[nodiscard]] std::optional<PrefixedLine> host_prefix(std::string_view line, bool tasks = false);

/// Whether a text, by its beginning, was printed so: nearly every line has a name, each name has several lines, and it
/// is without the names that formats know them. `text` may end within a line.
[[nodiscard]] bool has_host_prefixes(std::string_view text, bool tasks = false);

inline constexpr std::size_t kIndentBelowHost = 4;
/// The host of a line "node7:" alone, as salt writes it above what it printed; "" for another line.
[[nodiscard]] std::string host_above(std::string_view line);
/// Whether a text, by its beginning, was printed so.
[[nodiscard]] bool is_indented_below_hosts(std::string_view text);

}  // namespace roceready::evidence
