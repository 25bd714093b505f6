// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roceready::evidence {

/// A line with a log's time stamp in front: "Nov 30 14:36:55 …", "2026-11-30T14:36:55…", "[ 1234.567890] …". No tool's
/// output looks so, and most lines of a sosreport do.
[[nodiscard]] bool has_log_stamp(std::string_view line);
[[nodiscard]] bool is_host_name(std::string_view text);
/// Without its domain.
[[nodiscard]] std::string short_host_name(std::string_view host);
/// The host that wrote a line of a log: "Nov 30 10:00:01 node1 kernel: …", "2026-11-30T10:00:01+01:00 node1 kernel: …",
/// "node1:4242:4260 [0] NCCL INFO …". "" where the line does not tell.
[[nodiscard]] std::string host_of_log(std::string_view line);
/// The host that an output about the host names: of uname -a and hostnamectl; "" where the line does not tell.
[[nodiscard]] std::string host_of_output(std::string_view line);
/// "node1 | CHANGED | rc=0 >>", as ansible heads what it ran; "" for another line.
[[nodiscard]] std::string host_of_ansible(std::string_view line);
/// A line of dashes, as clush and dshbak write it above and below a host's name.
[[nodiscard]] bool is_ruler(std::string_view line);

}  // namespace roceready::evidence
