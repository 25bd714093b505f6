// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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
/// "node1:4242:4260 [0] NCCL INFO …", "[1614690123.456789] [node1:12345:0] … UCX ERROR …"; the process also behind what
/// a launcher puts in front: "[1,1]<stderr>:", "worker-0: ", " 0: ", "[2026-11-30 10:00:01] ". "" where the line does
/// not tell.
[[nodiscard]] std::string host_of_log(std::string_view line);
/// PID of the process that wrote a line of a job's log, as above; nothing where the line does not tell.
[[nodiscard]] std::optional<std::uint64_t> pid_of_job(std::string_view line);
/// The host that an output about the host names: of uname -a and hostnamectl; "" where the line does not tell.
[[nodiscard]] std::string host_of_output(std::string_view line);
/// What a pod or container is called as a host of its own: "pod ml/trainer-0", "container c1 on node1". Pods have one
/// name in a cluster; containers of two hosts may be called alike.
[[nodiscard]] std::string host_within(const std::string& within, const std::string& host);
/// Whether a host is such a one.
[[nodiscard]] bool is_pod_or_container(std::string_view name);
/// "node1 | CHANGED | rc=0 >>", as ansible heads what it ran; "" for another line.
[[nodiscard]] std::string host_of_ansible(std::string_view line);
/// "[1] 10:00:01 [SUCCESS] node1", as pssh heads what it ran; "" for another line.
[[nodiscard]] std::string host_of_pssh(std::string_view line);
/// "node1", "node1 (2)", "node[1-3] (3)", as clush and dshbak write it between two rules; "" for another line. Banners
/// of tools stand between rules, too, and are sentences.
[[nodiscard]] std::string host_of_heading(std::string_view line);
/// What "=== node1 ===", "**node1**", "### Server A (10.0.0.1)" and "On node1:" name; "" for another line. It may be no
/// host: people head outputs by anything.
[[nodiscard]] std::string host_of_title(std::string_view line);
/// "Server", "Client", "Server A", "Node 2": what people call one of two hosts in a title.
[[nodiscard]] bool is_role(std::string_view name);
/// Of such a title: "On node1:", which programs write into their own output as well.
[[nodiscard]] bool is_spoken_title(std::string_view line);
/// Whether a name is made as those of hosts usually are: "gpu01", "dgx-a100-07", "hpcnode3".
[[nodiscard]] bool is_called_like_a_host(std::string_view name);
/// A line of dashes, as clush and dshbak write it above and below a host's name.
[[nodiscard]] bool is_ruler(std::string_view line);

}  // namespace roceready::evidence
