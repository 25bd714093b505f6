// SPDX-License-Identifier: Apache-2.0
// Whose limits of locked memory the files tell.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/collectors/evidence/host_of.h"

namespace roceready::evidence {
namespace {

std::vector<std::string> units_of(const HostEvidence& host) {
  std::vector<std::string> out;
  if (host.snapshots.empty() || !host.snapshots.back().host.memlock) return out;
  for (const MemlockLimit& one : *host.snapshots.back().host.memlock) out.push_back(one.unit);
  return out;
}

const std::string kLimits =
    "$ cat /proc/4711/limits\nMax locked memory         65536                65536                bytes     \n";

TEST(Limits, are_of_an_rdma_program_where_another_output_says_so) {
  using Units = std::vector<std::string>;
  const std::pair<const char*, const char*> told[] = {
      {"$ rdma resource show qp\nlink mlx5_0/1 lqpn 1 type GSI state RTS sq-psn 0 comm [ib_core]\n"
       "link mlx5_0/1 lqpn 212 type RC state RTS rqpn 9 pid 4711 comm ib_write_bw\n",
       "the process of ib_write_bw (pid 4711)"},
      {"$ rdma res show mr\ndev mlx5_0 mrn 3 mrlen 65536 pid 4711 comm python3\n", "the process of python3 (pid 4711)"},
      {"$ lsof /dev/infiniband/uverbs0\nCOMMAND    PID USER   FD   TYPE  DEVICE SIZE/OFF NODE NAME\n"
       "python3   4711 root   30u   CHR 231,192      0t0  512 /dev/infiniband/uverbs0\n",
       "the process of python3 (pid 4711)"},
      {"$ fuser /dev/infiniband/uverbs0\n/dev/infiniband/uverbs0:  4711  4712\n", "the process of sent.txt (pid 4711)"},
      {"$ fuser -v /dev/infiniband/uverbs0\n                     USER        PID ACCESS COMMAND\n"
       "/dev/infiniband/uverbs0: root       4711 F.... train\n",
       "the process of train (pid 4711)"},
      {"$ grep uverbs /proc/4711/maps\n7f10a0000000-7f10a0001000 -w-s 00000000 00:06 512  /dev/infiniband/uverbs0\n",
       "the process of sent.txt (pid 4711)"},
      {"$ ls -l /proc/4711/fd\nlrwx------ 1 root root 64 Dec  1 10:00 30 -> /dev/infiniband/uverbs0\n",
       "the process of sent.txt (pid 4711)"},
      {"$ ps -ef | grep ib_\nroot        4711    4700  3 10:01 pts/0    00:00:09 /usr/bin/ib_write_bw -d mlx5_0\n",
       "the process of ib_write_bw (pid 4711)"},
      {"$ ps aux\nroot        4711  9.0  0.1  12345  6789 pts/0    Sl   10:01   0:09 ./all_reduce_perf -b 8\n",
       "the process of all_reduce_perf (pid 4711)"},
      {"gpu01:4711:4800 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth1:10.0.0.1<0>\n",
       "the process of sent.txt (pid 4711)"},
  };
  for (const auto& [text, unit] : told) {
    EXPECT_EQ(units_of(host_of(text + kLimits)), Units{unit}) << text;
    EXPECT_EQ(units_of(host_of(kLimits + text)), Units{unit}) << text;
  }
  EXPECT_EQ(units_of(host_of(kLimits)), Units{"process 4711 of sent.txt"});
  for (const char* other :
       {"$ rdma resource show qp\nlink mlx5_0/1 lqpn 212 type RC state RTS pid 4712 comm ib_write_bw\n",
        "$ ps -ef\nroot        4711    4700  3 10:01 pts/0    00:00:09 python3 train.py\n",
        "gpu01:4711:4800 [0] NCCL INFO NET/Socket : Using [0]eth1:10.0.0.1<0>\n"})
    EXPECT_EQ(units_of(host_of(kLimits + other)), Units{"process 4711 of sent.txt"}) << other;
}

TEST(Limits, of_a_login_are_a_shells) {
  const std::string ps =
      "$ ps -ef | grep ssh\n"
      "root        4711       1  0 10:00 ?        00:00:00 sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups\n";
  EXPECT_EQ(units_of(host_of(ps + kLimits)), std::vector<std::string>{"the shell of sent.txt"});
  EXPECT_TRUE(host_of(ps + kLimits).snapshots.back().log.empty()) << "processes are no events";
}

TEST(Limits, of_all_processes_tell_nothing_but_of_those_that_use_rdma) {
  std::string all = "$ grep \"Max locked\" /proc/*/limits\n";
  for (int pid = 1000; pid < 1200; ++pid)
    all += "/proc/" + std::to_string(pid) + "/limits:Max locked memory         65536    65536    bytes     \n";
  const HostEvidence nobody = host_of(all);
  ASSERT_FALSE(nobody.snapshots.back().host.memlock);
  EXPECT_NE(nobody.snapshots.back().host.memlock.absent().detail.find("rdma resource show qp"), std::string::npos);
  const HostEvidence one =
      host_of("$ rdma resource show qp\nlink mlx5_0/1 lqpn 5 type RC state RTS pid 1150 comm train\n" + all);
  EXPECT_EQ(units_of(one), std::vector<std::string>{"the process of train (pid 1150)"});
}

}  // namespace
}  // namespace roceready::evidence
