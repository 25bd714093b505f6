// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/evidence/draft.h"

namespace roceready::evidence {

/// What MemlockLimit::unit says of a limit's owner: a program that uses RDMA, one of which nobody says so, a login's.
/// "the process of ib_write_bw (pid 4711)", "process 4711 of sent.txt", "process of sent.txt", "the shell of sent.txt".
inline constexpr char kOfProcess[] = "the process of ", kOfSomebody[] = "process ", kOfShell[] = "the shell of ";

/// Keeps what an output tells of a process: that it uses RDMA, or its program alone. It stays in the draft, since rules
/// look at limits. Programs that are neither a login's nor of RDMA are not kept. `program`: "" not told.
void tell_process(Draft& draft, std::uint64_t pid, std::string_view program, bool uses_rdma);
/// A program that lets people log in or starts others: it uses no RDMA itself.
[[nodiscard]] bool is_login_program(std::string_view program);
/// Programs that move data over RDMA and do nothing else: perftest's, rping, NCCL's tests, UCX's.
[[nodiscard]] bool is_rdma_program(std::string_view program);

/// Whose the limits of processes are, by all outputs: those that are told to use RDMA are kept as such, logins as
/// shells. Where many are of nobody, as of `grep locked /proc/*/limits`, they say nothing. What was told of processes
/// goes.
void settle_limits(Snapshot& snapshot);

}  // namespace roceready::evidence
