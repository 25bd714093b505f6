// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/evidence/parsed.h"

namespace roceready::evidence {
namespace {

using Says = std::map<std::string, std::string>;

struct Wanted {
  const char* line;
  const char* kind;
  Says says;
};

TEST(NotedResults, each_layout) {
  const Wanted all[] = {
      {"write_size 1444: ok", "message_size", {{"bytes", "1444"}, {"outcome", "passed"}, {"test", "write_size"}}},
      {"ib_write_bw >65536: fail 0x3b 0x0 0x9d",
       "message_size",
       {{"above", "yes"}, {"bytes", "65536"}, {"outcome", "failed"}, {"test", "ib_write_bw"}}},
      {"own probe 8 MiB: ok", "message_size", {{"bytes", "8388608"}, {"outcome", "passed"}, {"test", "own probe"}}},
      {"recv_queue: 256", "queue_setting", {{"name", "recv_queue"}, {"value", "256"}}},
      {"min_rnr_timer 13: iops 203347",
       "rnr_timer_result",
       {{"min_rnr_timer", "13"}, {"operations_per_second", "203347"}}},
      {"roce_adp_retrans_first_increment_ms: 4..18",
       "counter_moved",
       {{"after_ms", "4"}, {"counter", "roce_adp_retrans"}}},
      {"cqe_error_ms: 3738", "completion_error", {{"after_ms", "3738"}}},
      {"out_of_sequence: unchanged", "counter_still", {{"counter", "out_of_sequence"}}},
      {"reconnect_min: >4", "reconnect_time", {{"seconds", "240"}, {"more", "yes"}}},
      {"reconnect_s: 12.4", "reconnect_time", {{"seconds", "12"}}},
      {"two_hcas_MBps: 23634.17", "measured_rails", {{"bits_per_second", "189073360000"}, {"rails", "two cards"}}},
  };
  for (const Wanted& wanted : all) {
    const Parsed out = parsed(std::string(wanted.line) + "\n");
    ASSERT_EQ(out.draft.snapshot().log.size(), 1U) << wanted.line;
    const LogFact& fact = out.draft.snapshot().log[0];
    EXPECT_EQ(fact.kind, wanted.kind) << wanted.line;
    EXPECT_EQ(fact.says, wanted.says) << wanted.line;
    EXPECT_EQ(fact.text, wanted.line);
    EXPECT_TRUE(out.unread.empty()) << wanted.line;
  }
}

TEST(NotedResults, what_makes_no_sense_is_unread) {
  for (const char* line :
       {"write_size x: ok", "write_size 1444: maybe", "something 1444: ok", "recv_queue: many", "two_hcas_MBps: -4",
        "reconnect_min: soon", "reconnect_min: >", "reconnect_min: -1", "reconnect_min: nan", "two_hcas_MBps: nan",
        "cqe_error_ms: inf", "write_size 99999999999999999999: ok", "out_of_sequence: the same"}) {
    const Parsed out = parsed(std::string(line) + "\n");
    EXPECT_TRUE(out.draft.snapshot().log.empty()) << line;
    EXPECT_EQ(out.unread.size(), 1U) << line;
  }
}

TEST(NotedResults, cut_or_thinned_notes_invent_nothing) {
  expect_no_invention("write_size 1444: ok\nwrite_size 1445: fail\ngid_index: 3\niodepth: 512\nrecv_queue: 256\n");
}

}  // namespace
}  // namespace roceready::evidence
