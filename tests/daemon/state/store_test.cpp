// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/daemon/state/scratch.h"

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kNow = 1'800'000'000 * kSecond;

/// `second` later by the monotonic clock; the wall clock stepped by `step` seconds.
Instant at(std::int64_t second = 0, std::int64_t step = 0) {
  return {(1'000'000 + second) * kSecond, kNow + (second + step) * kSecond};
}

rules::Incident incident(std::uint64_t id, std::int64_t begin_s, std::optional<std::int64_t> end_s = {}) {
  rules::Incident out;
  out.id = id;
  out.key = "link-down@mlx5_0/1";
  out.rule = "link-down";
  out.begin = {begin_s * kSecond, kNow + begin_s * kSecond};
  if (end_s) {
    out.state = rules::IncidentState::Ended;
    out.end = Instant{*end_s * kSecond, kNow + *end_s * kSecond};
    out.ended_by = "cleared";
  }
  out.peak.seen = std::string(500, 'x');
  return out;
}

StoreBatch batch_of(std::initializer_list<rules::Incident> incidents) {
  StoreBatch out;
  for (const rules::Incident& each : incidents) out.incidents[each.id] = each;
  return out;
}

void run_sql(const std::string& directory, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(::sqlite3_open(state_file(directory).c_str(), &db), SQLITE_OK);
  EXPECT_EQ(::sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << ::sqlite3_errmsg(db);
  ::sqlite3_close(db);
}

std::vector<std::string> set_aside(const std::string& directory) {
  std::vector<std::string> out;
  for (const auto& each : fs::directory_iterator(directory))
    if (each.path().filename().string().starts_with("state.db-") && each.path().filename() != "state.db-journal")
      out.push_back(each.path().filename().string());
  return out;
}

TEST(StateStore, gives_back_what_it_was_given) {
  const Scratch dir;
  {
    auto store = Store::open(dir.path, {}, at());
    ASSERT_TRUE(store) << store.error().text();
    StoreBatch batch = batch_of({incident(1, 0, 5), incident(2, 10)});
    batch.kept["a"] = std::string("x\0y", 3);
    ASSERT_TRUE(store->write(batch, at()));
    ASSERT_TRUE(store->write(batch_of({incident(2, 10, 20)}), at()));
  }
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store);
  EXPECT_TRUE(store->notes().empty());
  const auto all = store->incidents(100);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[1].end->monotonic_ns, 20 * kSecond);
  EXPECT_EQ(**store->kept("a"), std::string("x\0y", 3));
  EXPECT_FALSE(store->kept("b")->has_value());
  EXPECT_EQ(*store->last_id(), 2U);
  EXPECT_EQ(store->incidents(100, kNow + 10 * kSecond)->size(), 1U) << "what ended before that time";
}

TEST(StateStore, belongs_to_one_process_and_can_be_read_beside_it) {
  const Scratch dir;
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->write(batch_of({incident(1, 0)}), at()));
  const auto second = Store::open(dir.path, {}, at());
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().text().find("another process"), std::string::npos) << second.error().text();
  auto reader = Store::open_for_reading(dir.path);
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->incidents(10)->size(), 1U);
}

TEST(StateStore, sets_a_damaged_file_aside_and_begins_anew) {
  const Scratch dir;
  std::ofstream(state_file(dir.path)) << std::string(10'000, 'z');
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store) << store.error().text();
  ASSERT_EQ(store->notes().size(), 1U);
  EXPECT_NE(store->notes()[0].find("damaged"), std::string::npos) << store->notes()[0];
  ASSERT_EQ(set_aside(dir.path), (std::vector<std::string>{"state.db-damaged-20270115T080000Z"}));
  EXPECT_EQ(fs::file_size(dir.path + "/state.db-damaged-20270115T080000Z"), 10'000U);
  EXPECT_TRUE(store->write(batch_of({incident(1, 0)}), at()));
}

TEST(StateStore, sets_aside_a_file_with_a_hole_in_it) {
  const Scratch dir;
  {
    auto store = Store::open(dir.path, {}, at());
    ASSERT_TRUE(store);
    StoreBatch batch;
    for (std::uint64_t id = 1; id < 200; ++id) batch.incidents[id] = incident(id, 0, 1);
    ASSERT_TRUE(store->write(batch, at()));
  }
  std::fstream file(state_file(dir.path), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8192);
  file << std::string(60'000, '\xff');
  file.close();
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ(store->notes().size(), 1U);
  EXPECT_TRUE(store->incidents(10)->empty());
}

TEST(StateStore, sets_a_newer_schema_aside) {
  const Scratch dir;
  { ASSERT_TRUE(Store::open(dir.path, {}, at())); }
  run_sql(dir.path, "PRAGMA user_version = 99");
  const auto reader = Store::open_for_reading(dir.path);
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().text().find("newer"), std::string::npos);
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store);
  EXPECT_NE(store->notes()[0].find("newer version (schema 99)"), std::string::npos) << store->notes()[0];
  EXPECT_TRUE(set_aside(dir.path)[0].starts_with("state.db-newer-"));
}

TEST(StateStore, does_not_set_aside_without_end) {
  const Scratch dir;
  for (int i = 0; i < 8; ++i) std::ofstream(dir.path + "/state.db-damaged-" + std::to_string(i)) << "x";
  std::ofstream(state_file(dir.path)) << "no database at all, and long enough to be looked at";
  const auto store = Store::open(dir.path, {}, at());
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().text().find("too many"), std::string::npos) << store.error().text();
}

TEST(StateStore, follows_no_link_and_opens_no_pipe) {
  const Scratch dir;
  fs::create_symlink("/etc/passwd", state_file(dir.path));
  EXPECT_FALSE(Store::open(dir.path, {}, at()));
  EXPECT_TRUE(set_aside(dir.path).empty());
}

TEST(StateStore, keeps_within_its_size_by_dropping_the_oldest) {
  const Scratch dir;
  StoreLimits limits;
  limits.max_bytes = 1U << 20U;
  auto store = Store::open(dir.path, limits, at());
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->write(batch_of({incident(1, 0)}), at())) << "lasts: never dropped";
  for (std::uint64_t id = 2; id < 4000; id += 50) {
    StoreBatch batch;
    for (std::uint64_t i = id; i < id + 50; ++i)
      batch.incidents[i] = incident(i, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
    const auto done = store->write(batch, at());
    ASSERT_TRUE(done) << id << " " << done.error().text();
  }
  EXPECT_LE(fs::file_size(state_file(dir.path)), limits.max_bytes);
  const auto all = store->incidents(10'000);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->front().id, 1U);
  EXPECT_EQ(all->back().id, 4001U);
  EXPECT_GT(all->size(), 200U);
  StoreBatch large;
  large.kept["history"] = std::string(900'000, 'h');
  EXPECT_FALSE(store->write(large, at())) << "what cannot fit drops nothing";
  EXPECT_EQ(store->incidents(10'000)->size(), all->size());
}

TEST(StateStore, shrinks_when_its_limit_was_lowered) {
  const Scratch dir;
  {
    auto store = Store::open(dir.path, {}, at());
    StoreBatch batch;
    for (std::uint64_t i = 1; i < 3000; ++i) batch.incidents[i] = incident(i, 0, static_cast<std::int64_t>(i));
    ASSERT_TRUE(store->write(batch, at()));
  }
  StoreLimits limits;
  limits.max_bytes = 1U << 20U;
  auto store = Store::open(dir.path, limits, at());
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_LE(fs::file_size(state_file(dir.path)), limits.max_bytes);
  EXPECT_GT(store->incidents(10'000)->size(), 100U);
}

TEST(StateStore, forgets_what_is_too_old) {
  const Scratch dir;
  StoreLimits limits;
  limits.max_age_ns = 3600 * kSecond;
  auto store = Store::open(dir.path, limits, at());
  ASSERT_TRUE(store->write(batch_of({incident(1, 0), incident(2, 0, 1), incident(3, 0, 5000)}), at()));
  ASSERT_TRUE(store->write(batch_of({incident(4, 0)}), at(5000)));
  EXPECT_EQ(store->incidents(10)->size(), 3U);
}

constexpr std::int64_t kDay = 86'400;

TEST(StateStore, forgets_nothing_over_a_step_of_the_wall_clock) {
  const Scratch dir;
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store->write(batch_of({incident(1, -10, -5)}), at()));
  const auto count = [&] { return store->incidents(100)->size(); };
  ASSERT_TRUE(store->write(batch_of({incident(2, 91 * kDay, 91 * kDay)}), at(1, 91 * kDay)));
  EXPECT_EQ(count(), 2U) << "91 days forward";
  ASSERT_TRUE(store->write(batch_of({incident(3, 2, 2)}), at(2)));
  EXPECT_EQ(count(), 3U) << "and back";
  ASSERT_TRUE(store->write(batch_of({incident(4, -91 * kDay, -91 * kDay)}), at(3, -91 * kDay)));
  EXPECT_EQ(count(), 4U) << "what happens while the clock is behind";
  ASSERT_TRUE(store->write(batch_of({incident(5, 4, 4)}), at(4)));
  EXPECT_EQ(count(), 4U) << "its clock was right again: that one is too old by now";
}

TEST(StateStore, forgets_nothing_where_the_clock_is_wrong_at_the_start) {
  const Scratch dir;
  StoreBatch first = batch_of({incident(1, -10, -5)});
  first.kept["ledger"] = "x";
  { ASSERT_TRUE(Store::open(dir.path, {}, at())->write(first, at())); }
  StoreBatch later;
  later.kept["ledger"] = "y";
  for (const std::int64_t restart : {100, 200, 300}) {
    auto store = Store::open(dir.path, {}, at(restart, 91 * kDay));
    ASSERT_TRUE(store->write(later, at(restart + 1, 91 * kDay)));
    EXPECT_EQ(store->incidents(100)->size(), 1U) << restart;
  }
  auto store = Store::open(dir.path, {}, at(400));
  ASSERT_TRUE(store->write(later, at(401)));
  EXPECT_EQ(store->incidents(100)->size(), 1U);
}

TEST(StateStore, believes_a_clock_that_stands_for_a_day) {
  const Scratch dir;
  StoreBatch first = batch_of({incident(1, -10, -5)});
  first.kept["ledger"] = "x";
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store->write(first, at()));
  ASSERT_TRUE(store->write(batch_of({incident(2, 0)}), at(60, 91 * kDay)));
  ASSERT_TRUE(store->write(batch_of({incident(2, 0)}), at(kDay, 91 * kDay)));
  EXPECT_EQ(store->incidents(100)->size(), 2U);
  ASSERT_TRUE(store->write(batch_of({incident(2, 0)}), at(kDay + 60, 91 * kDay)));
  EXPECT_EQ(store->incidents(100)->size(), 1U);
}

TEST(StateStore, forgets_after_ninety_days_in_one_process_and_over_restarts) {
  const Scratch dir;
  StoreBatch first = batch_of({incident(1, -10, -5)});
  first.kept["ledger"] = "x";
  StoreBatch hourly;
  hourly.kept["ledger"] = "y";
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store->write(first, at()));
  for (std::int64_t day = 1; day < 90; ++day) {
    if (day % 10 == 0) {
      store = Error{};  // lets go of the file
      store = Store::open(dir.path, {}, at(day * kDay));
    }
    ASSERT_TRUE(store->write(hourly, at(day * kDay)));
    ASSERT_EQ(store->incidents(100)->size(), 1U) << day;
  }
  ASSERT_TRUE(store->write(hourly, at(90 * kDay)));
  EXPECT_TRUE(store->incidents(100)->empty());
}

TEST(StateStore, tells_which_incidents_make_no_sense_and_ends_them) {
  const Scratch dir;
  {
    auto store = Store::open(dir.path, {}, at());
    ASSERT_TRUE(
        store->write(batch_of({incident(1, 0, 5), incident(2, 10), incident(3, 10), incident(4, 10, 20)}), at()));
  }
  run_sql(dir.path, "UPDATE incidents SET data = 'no incident' WHERE id = 2");
  run_sql(dir.path, "UPDATE incidents SET data = (SELECT data FROM incidents WHERE id = 1) WHERE id = 4");
  StoreLimits limits;
  limits.max_age_ns = 3600 * kSecond;
  auto store = Store::open(dir.path, limits, at(100));
  std::vector<std::int64_t> senseless;
  const auto all = store->incidents(100, 0, &senseless);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 2U);
  EXPECT_EQ(senseless, (std::vector<std::int64_t>{2, 4})) << "no JSON; the id of another one";
  ASSERT_TRUE(store->end(senseless, at(100).wall_ns));
  ASSERT_TRUE(store->write(batch_of({incident(5, 100)}), at(200)));
  senseless.clear();
  EXPECT_EQ(store->incidents(100, 0, &senseless)->size(), 3U);
  EXPECT_EQ(senseless.size(), 2U) << "they stay for a while";
  for (std::int64_t second = 1000; second <= 4000; second += 1000)
    ASSERT_TRUE(store->write(batch_of({incident(5, 100)}), at(second)));
  senseless.clear();
  EXPECT_EQ(store->incidents(100, 0, &senseless)->size(), 2U);
  EXPECT_TRUE(senseless.empty()) << "and then they go";
}

TEST(StateStore, that_cannot_grow_says_so_and_goes_on_later) {
  const Scratch dir;
  auto store = Store::open(dir.path, {}, at());
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->write(batch_of({incident(1, 0, 1)}), at()));
  // The file system refuses a larger file, as a full disk does.
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{40'960, before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  StoreBatch large;
  large.kept["history"] = std::string(300'000, 'h');
  const auto done = store->write(large, at());
  ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(done);
  EXPECT_EQ(store->incidents(10)->size(), 1U) << "a disk that others filled is no reason to drop incidents";
  EXPECT_TRUE(store->write(large, at()));
}

/// Writes until it is killed; each transaction is {id n, kept "n" = n}.
[[noreturn]] void write_for_ever(const std::string& directory) {
  auto store = Store::open(directory, {}, at());
  if (!store) ::_exit(1);
  for (std::uint64_t n = *store->last_id() + 1;; ++n) {
    StoreBatch batch = batch_of({incident(n, 0)});
    batch.kept["n"] = std::to_string(n) + std::string(n % 7 * 5000, ' ');
    if (!store->write(batch, at())) ::_exit(2);
  }
}

TEST(StateStore, is_whole_after_a_kill_at_any_instant) {
  const Scratch dir;
  std::uint64_t before = 0;
  // On a host that is full the first ones end before anything is written: later ones have more time.
  for (int round = 0; round < 20 || (before == 0 && round < 200); ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_for_ever(dir.path);
    ::usleep(static_cast<useconds_t>(15'000 + round * 3'700));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << WEXITSTATUS(status);
    auto store = Store::open(dir.path, {}, at());
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(store->notes().empty()) << store->notes()[0];
    const std::uint64_t last = *store->last_id();
    ASSERT_GE(last, before) << "nothing that was kept is lost";
    before = last;
    const auto kept = store->kept("n");
    ASSERT_TRUE(kept);
    if (last > 0) {
      ASSERT_EQ(std::to_string(last), (*kept)->substr(0, (*kept)->find(' '))) << "all of a transaction, or nothing";
    }
  }
  EXPECT_GT(before, 0U);
}

}  // namespace
}  // namespace roceready::daemon
