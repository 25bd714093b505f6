// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/evidence/parsed.h"
#include "tests/collectors/evidence/rdma_read.h"

namespace roceready::evidence {
namespace {

const std::string kTable =
    "#                                                              out-of-place                       in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
    "#wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
    "  1073741824     268435456     float     sum      -1   204710    5.25    9.83      0   204518    5.25    9.84     "
    " 0\n"
    "  8589934592    2147483648     float     sum      -1  1636201    5.25    9.84    N/A  1635990    5.25    9.84    "
    "N/A\n"
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 9.84\n#\n";
const std::string kRun =
    "# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20\n#\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid  68801 on  node1 device  0 [0x07] NVIDIA A100-SXM4-80GB\n"
    "#  Rank  1 Group  0 Pid  68802 on  node2 device  0 [0x07] NVIDIA A100-SXM4-80GB\n#\n" +
    kTable;

TEST(NcclTests, rows_become_facts_with_the_number_of_hosts) {
  for (const std::string& before :
       {std::string(), std::string("root@node1:~# mpirun -np 2 ./build/all_reduce_perf -b 1G -e 8G -f 2\n")}) {
    const Parsed out = parsed(before + kRun);
    EXPECT_EQ(out.formats, std::vector<std::string>{"nccl-tests"}) << before;
    EXPECT_TRUE(out.unread.empty()) << before;
    const auto& log = out.draft.snapshot().log;
    ASSERT_EQ(log.size(), 2U) << before;
    EXPECT_EQ(log[0].kind, "collective_bandwidth");
    EXPECT_EQ(log[0].says.at("bits_per_second"), "78640000000");
    EXPECT_EQ(log[1].says.at("message_bytes"), "8589934592");
    EXPECT_EQ(log[0].says.at("ranks"), "2");
    EXPECT_EQ(log[0].says.at("hosts"), "2");
  }
}

TEST(NcclTests, names_the_tool_where_the_command_stands) {
  const Parsed out = parsed("$ ./build/alltoall_perf -b 1G\n" + kTable);
  ASSERT_EQ(out.draft.snapshot().log.size(), 2U);
  EXPECT_EQ(out.draft.snapshot().log[0].says.at("tool"), "alltoall_perf");
  EXPECT_FALSE(out.draft.snapshot().log[0].says.contains("hosts")) << "nobody told";
}

TEST(NcclTests, a_row_that_contradicts_itself_is_none) {
  for (const char* row : {"  1073741824     268435456     float     sum      -1   204710    52.5    9.83      0   "
                          "204518    5.25    9.84      0\n",
                          "  1073741824     268435456     float     sum      -1   204710    5.25    9.83\n",
                          "  1073741824     268435456     float     sum      -1        0    5.25    9.83      0   "
                          "204518     inf     nan      0\n"}) {
    const Parsed out = parsed(row);
    EXPECT_TRUE(out.draft.snapshot().log.empty()) << row;
    EXPECT_EQ(out.unread.size(), 1U) << row;
  }
}

TEST(NcclTests, every_cut_is_lived_with) {
  expect_no_invention(kRun);
  evidence_test::cut_everywhere(kRun);
}

}  // namespace
}  // namespace roceready::evidence
