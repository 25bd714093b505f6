// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/keeper.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>

#include "daemon/export/incidents.h"
#include "daemon/http/resources.h"
#include "daemon/sampling.h"
#include "tests/daemon/sample_report.h"
#include "tests/daemon/state/scratch.h"

namespace roceready::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr uid_t kNobody = 65534;
// The state file forgets what is old by the machine's clock.
const std::int64_t kToday =
    std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count() -
    3600 * kSecond;

/// A daemon without sockets on a host whose PFC is on or off; its time is given.
class Daemon {
 public:
  explicit Daemon(std::string directory, std::string boot = "aaaa", double second = 100, StoreLimits limits = {})
      : second_(second),
        boot_(std::move(boot)),
        history_(rules::needed_signals()),
        engine_(options()),
        keeper_({std::move(directory), limits, 300, 60}) {}
  static rules::JudgeOptions options() {
    rules::JudgeOptions out;
    out.profile = "nvidia-lossless";
    out.one_shot = false;
    return out;
  }
  rules::ReportPtr tick(double step = 1) {
    second_ += step;
    Snapshot snapshot = sample_snapshot();
    const auto ns = static_cast<std::int64_t>(second_ * 1e9);
    snapshot.before = snapshot.after = {ns, kToday + ns};
    snapshot.node.boot_id_hash = boot_;
    snapshot.netdevs[0].dcb.pfc->enabled = pfc;
    for (CounterReadings* each : {&snapshot.netdevs[0].counters, &snapshot.ports[0].counters})
      each->at_monotonic_ns = ns;
    if (noise) add_noise(snapshot.netdevs[0].counters);
    if (ticks_++ == 0) keeper_.resume(snapshot, history_, engine_);
    history_.add(std::make_shared<const Snapshot>(std::move(snapshot)));
    engine_.set_past(keeper_.past());
    report_ = engine_.judge(history_);
    keeper_.took(*report_, history_, engine_, 86400);
    return report_;
  }
  rules::ReportPtr tick_for(int seconds) {
    for (int i = 0; i < seconds; ++i) tick();
    return report_;
  }
  void end() { ASSERT_TRUE(keeper_.finish(history_, engine_, 5000)); }
  Keeper& keeper() { return keeper_; }
  [[nodiscard]] std::size_t count(rules::IncidentKind kind) const {
    std::size_t out = 0;
    for (const IncidentPtr& each : keeper_.list()->incidents) out += each->kind == kind ? 1U : 0U;
    return out;
  }
  [[nodiscard]] const rules::Incident* incident(const std::string& rule) const {
    for (const IncidentPtr& each : keeper_.list()->incidents)
      if (each->rule == rule) return each.get();
    return nullptr;
  }
  [[nodiscard]] double second() const { return second_; }

  std::uint32_t pfc = 0x08;
  bool noise = false;  ///< every counter that is remembered grows by another amount each second

 private:
  void add_noise(CounterReadings& to) {
    to.values.clear();
    for (const CounterId id : rules::needed_signals()) {
      if (info_of(id).kind != CounterKind::Counter) continue;
      const std::uint8_t lanes = info_of(id).lane_kind == LaneKind::Priority ? 8 : 1;
      for (std::uint8_t lane = 0; lane < lanes; ++lane)
        to.values.push_back({id, lanes == 1 ? kNoLane : lane, 64, grown_ += random_() % 100'000, 1.0});
    }
    std::sort(to.values.begin(), to.values.end(), [](const CounterValue& a, const CounterValue& b) {
      return std::pair(a.id, a.lane) < std::pair(b.id, b.lane);
    });
  }
  std::minstd_rand random_{7};
  std::uint64_t grown_ = 0;
  double second_;
  std::string boot_;
  int ticks_ = 0;
  History history_;
  rules::Engine engine_;
  Keeper keeper_;
  rules::ReportPtr report_;
};

const rules::Gap* gap(const rules::Report& report, const std::string& why) {
  for (const rules::Gap& each : report.not_looked_at)
    if (each.why == why) return &each;
  return nullptr;
}

/// Changes what an ended process kept under a name.
void edit_kept(const std::string& directory, const std::vector<std::string>& names,
               const std::function<std::string(const std::string&)>& edit) {
  auto store = Store::open(directory, {}, state_time());
  ASSERT_TRUE(store) << store.error().text();
  StoreBatch batch;
  for (const std::string& name : names) {
    const auto kept = store->kept(name);
    ASSERT_TRUE(kept && *kept) << name << " was not kept";
    batch.kept[name] = edit(**kept);
  }
  ASSERT_TRUE(store->write(batch, state_time()));
}

void run_sql(const std::string& directory, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(::sqlite3_open(state_file(directory).c_str(), &db), SQLITE_OK);
  EXPECT_EQ(::sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << ::sqlite3_errmsg(db);
  ::sqlite3_close(db);
}

const rules::Finding* finding(const rules::Report& report, const std::string& rule) {
  for (const rules::Finding& each : report.findings)
    if (each.rule->id == rule) return &each;
  return nullptr;
}

TEST(ARestartedDaemon, goes_on_within_five_minutes_of_the_same_boot) {
  const Scratch dir;
  auto first = std::make_unique<Daemon>(dir.path);
  first->tick_for(30);
  first->pfc = 0;
  const auto before = first->tick_for(330);
  ASSERT_NE(finding(*before, "pfc-disabled"), nullptr);
  ASSERT_NE(first->incident("pfc-disabled"), nullptr);
  const std::size_t incidents = first->keeper().list()->incidents.size();
  std::string told_before;
  for (const IncidentPtr& each : first->keeper().list()->incidents) told_before += each->key + " ";
  SCOPED_TRACE("before: " + told_before);
  const auto id = first->incident("pfc-disabled")->id;
  const double stopped_at = first->second();
  first->end();
  first.reset();  // lets go of the state file

  Daemon second(dir.path, "aaaa", stopped_at + 100);
  second.pfc = 0;
  const auto after = second.tick();
  EXPECT_TRUE(second.keeper().resumed());
  ASSERT_EQ(after->ports[0].verdict, before->ports[0].verdict) << "not initializing";
  const rules::Finding* still = finding(*after, "pfc-disabled");
  ASSERT_NE(still, nullptr);
  EXPECT_NEAR(static_cast<double>(still->since_wall_ns),
              static_cast<double>(finding(*before, "pfc-disabled")->since_wall_ns), 1e9);
  second.tick_for(5);
  std::string told;
  for (const IncidentPtr& each : second.keeper().list()->incidents) told += each->key + " ";
  EXPECT_EQ(second.keeper().list()->incidents.size(), incidents) << "nothing repeated, nothing invented: " << told;
  EXPECT_EQ(second.incident("pfc-disabled")->id, id);
  EXPECT_EQ(second.incident("pfc-disabled")->state, rules::IncidentState::Active) << "nothing cleared";
}

TEST(ARestartedDaemon, that_was_killed_loses_at_most_what_lay_since_the_last_saving) {
  const Scratch dir;
  const std::string copy = dir.path + "/copy";
  std::filesystem::create_directory(copy);
  Daemon first(dir.path);
  first.pfc = 0;
  first.tick_for(400);
  first.keeper().settle();
  std::filesystem::copy(state_file(dir.path), state_file(copy));  // as a kill would leave it
  Daemon second(copy, "aaaa", first.second() + 3);
  second.pfc = 0;
  const auto after = second.tick();
  EXPECT_TRUE(second.keeper().resumed());
  EXPECT_NE(after->ports[0].verdict, rules::Verdict::Initializing);
  EXPECT_EQ(second.incident("pfc-disabled")->id, first.incident("pfc-disabled")->id);
}

TEST(ARestartedDaemon, that_was_killed_has_five_minutes_whenever_it_last_saved) {
  const Scratch dir;
  const std::string copy = dir.path + "/copy", late = dir.path + "/late";
  Daemon first(dir.path);
  first.tick_for(429);  // saved 10 s after the begin and each minute from there: 59 s ago
  first.keeper().settle();
  for (const std::string& to : {copy, late}) {
    std::filesystem::create_directory(to);
    std::filesystem::copy(state_file(dir.path), state_file(to));
  }
  Daemon second(copy, "aaaa", first.second() + 297);
  EXPECT_NE(second.tick()->ports[0].verdict, rules::Verdict::Initializing);
  EXPECT_TRUE(second.keeper().resumed());
  Daemon third(late, "aaaa", first.second() + 305);
  third.tick();
  EXPECT_FALSE(third.keeper().resumed());
}

TEST(ARestartedDaemon, of_another_version_goes_on_all_the_same) {
  const Scratch dir;
  double stopped_at = 0;
  {
    Daemon first(dir.path);
    first.pfc = 0;
    first.tick_for(400);
    first.end();
    stopped_at = first.second();
  }
  edit_kept(dir.path, {"history", "ledger"}, [](const std::string& kept) {
    const auto from = kept.find("\"made_by\":\"") + 11;
    EXPECT_LT(from, kept.find('\n'));
    return kept.substr(0, from) + "0.0.1-old" + kept.substr(kept.find('"', from));
  });
  Daemon second(dir.path, "aaaa", stopped_at + 20);
  second.pfc = 0;
  const auto report = second.tick();
  EXPECT_TRUE(second.keeper().resumed());
  EXPECT_NE(report->ports[0].verdict, rules::Verdict::Initializing);
  ASSERT_NE(finding(*report, "pfc-disabled"), nullptr);
  EXPECT_GT(finding(*report, "pfc-disabled")->age_seconds, 300);
}

TEST(ARestartedDaemon, says_which_incidents_make_no_sense_and_ends_their_rows) {
  const Scratch dir;
  double stopped_at = 0;
  std::uint64_t id = 0;
  {
    Daemon first(dir.path);
    first.pfc = 0;
    first.tick_for(400);
    id = first.incident("pfc-disabled")->id;
    first.end();
    stopped_at = first.second();
  }
  // The ledger knows no id either.
  run_sql(dir.path, "UPDATE incidents SET data = substr(data, 1, 40) WHERE id = " + std::to_string(id) +
                        "; DELETE FROM kept WHERE name = 'ledger'");
  std::uint64_t anew = 0;
  {
    Daemon second(dir.path, "aaaa", stopped_at + 10);
    second.pfc = 0;
    const auto report = second.tick_for(400);
    const rules::Gap* said = gap(*report, "state_set_aside");
    ASSERT_NE(said, nullptr);
    EXPECT_NE(said->detail.find("make no sense and are left out: 1 (id " + std::to_string(id) + ")"), std::string::npos)
        << said->detail;
    anew = second.incident("pfc-disabled")->id;
    EXPECT_GT(anew, id) << "no other incident takes its id";
    second.end();
  }
  auto store = Store::open_for_reading(dir.path);
  ASSERT_TRUE(store);
  std::vector<std::int64_t> senseless;
  static_cast<void>(store->incidents(100, kToday - 1000 * kSecond, &senseless));
  EXPECT_EQ(senseless, std::vector<std::int64_t>{static_cast<std::int64_t>(id)});
  senseless.clear();
  static_cast<void>(store->incidents(100, state_time().wall_ns + kSecond, &senseless));
  EXPECT_TRUE(senseless.empty()) << "its row has an end";
}

TEST(ARestartedDaemon, follows_one_of_two_incidents_of_one_key_and_ends_the_other) {
  const Scratch dir;
  double stopped_at = 0;
  rules::Incident twin;
  {
    Daemon first(dir.path);
    first.pfc = 0;
    first.tick_for(400);
    twin = *first.incident("pfc-disabled");
    first.end();
    stopped_at = first.second();
  }
  twin.id += 50;
  {
    auto store = Store::open(dir.path, {}, state_time());
    ASSERT_TRUE(store);
    StoreBatch batch;
    batch.incidents[twin.id] = twin;
    ASSERT_TRUE(store->write(batch, state_time()));
  }
  Daemon second(dir.path, "aaaa", stopped_at + 10);
  second.pfc = 0;
  second.tick_for(5);
  std::size_t lasting = 0, ended = 0;
  for (const IncidentPtr& each : second.keeper().list()->incidents)
    if (each->rule == "pfc-disabled") ++(each->state == rules::IncidentState::Ended ? ended : lasting);
  EXPECT_EQ(lasting, 1U);
  EXPECT_EQ(ended, 1U);
  second.end();
  auto store = Store::open_for_reading(dir.path);
  ASSERT_TRUE(store);
  std::size_t open = 0;
  const auto kept = store->incidents(100);
  for (const rules::Incident& each : *kept)
    open += each.rule == "pfc-disabled" && each.state != rules::IncidentState::Ended ? 1U : 0U;
  EXPECT_EQ(open, 1U);
}

TEST(ADaemon, whose_history_is_too_large_to_be_kept_says_so_until_it_fits) {
  const Scratch dir;
  StoreLimits limits;
  limits.max_bytes = std::uint64_t{1} << 20U;
  Daemon noisy(dir.path, "aaaa", 100, limits);
  noisy.noise = true;
  auto report = noisy.tick_for(15);
  EXPECT_EQ(gap(*report, "not_kept"), nullptr) << "little is known yet";
  report = noisy.tick_for(500);
  const rules::Gap* said = gap(*report, "not_kept");
  ASSERT_NE(said, nullptr);
  EXPECT_NE(said->detail.find("the history"), std::string::npos) << said->detail;
  EXPECT_NE(said->detail.find("state.max_size is 0.125 MiB"), std::string::npos) << said->detail;
  EXPECT_TRUE(noisy.keeper().status().writable) << "everything else is kept";
  noisy.end();
  Daemon second(dir.path, "aaaa", noisy.second() + 10);
  EXPECT_EQ(second.tick()->ports[0].verdict, rules::Verdict::Initializing);
}

TEST(ARestartedDaemon, begins_its_windows_anew_later_but_clears_no_incident) {
  const Scratch dir;
  Daemon first(dir.path);
  first.pfc = 0;
  const auto before = first.tick_for(400);
  first.end();
  Daemon second(dir.path, "aaaa", first.second() + 900);
  second.pfc = 0;
  const auto after = second.tick_for(2);
  EXPECT_FALSE(second.keeper().resumed());
  EXPECT_LT(after->window_seconds, 10);
  EXPECT_EQ(second.incident("pfc-disabled")->id, first.incident("pfc-disabled")->id);
  second.tick_for(60);
  EXPECT_EQ(second.incident("pfc-disabled")->state, rules::IncidentState::Active);
}

TEST(ARestartedDaemon, in_another_boot_keeps_incidents_and_tells_what_the_reboot_lost) {
  const Scratch dir;
  Daemon first(dir.path);
  first.tick_for(30);
  first.end();
  Daemon second(dir.path, "bbbb", 20);
  second.pfc = 0;
  second.tick_for(3);
  EXPECT_FALSE(second.keeper().resumed());
  ASSERT_EQ(second.count(rules::IncidentKind::Drift), 1U);
  const rules::Past past = second.keeper().past();
  ASSERT_EQ(past.drift.size(), 1U);
  EXPECT_EQ(past.drift[0].what, "pfc");
  EXPECT_TRUE(past.drift[0].after_reboot);
}

TEST(ADaemon, without_a_place_to_write_runs_on_and_says_so) {
  const Scratch dir;
  std::ofstream(dir.path + "/file") << "x";
  Daemon daemon(dir.path + "/file/state");
  daemon.pfc = 0;
  const auto report = daemon.tick_for(400);
  EXPECT_FALSE(daemon.keeper().status().writable);
  EXPECT_NE(daemon.incident("pfc-disabled"), nullptr) << "in memory";
  const auto gap = std::find_if(report->not_looked_at.begin(), report->not_looked_at.end(),
                                [](const rules::Gap& each) { return each.why == "not_kept"; });
  ASSERT_NE(gap, report->not_looked_at.end());
  EXPECT_NE(gap->detail.find("do not outlive"), std::string::npos);
}

TEST(ADaemon, in_a_read_only_directory_still_reads_what_was_kept) {
  const Scratch dir;
  Daemon first(dir.path);
  first.pfc = 0;
  first.tick_for(30);
  first.end();
  for (const auto& each : std::filesystem::directory_iterator(dir.path)) ::chmod(each.path().c_str(), 0444);
  ::chmod(dir.path.c_str(), 0555);
  // Root may write everywhere, so it steps down for a while.
  const auto step_back = [root = ::geteuid() == 0] { return !root || ::seteuid(0) == 0; };
  if (::geteuid() == 0 && ::seteuid(kNobody) != 0) GTEST_SKIP() << "root cannot become another user here";
  Daemon second(dir.path, "aaaa", first.second() + 10);
  second.pfc = 0;
  second.tick();
  const auto report = second.tick();
  ASSERT_TRUE(step_back());
  EXPECT_TRUE(second.keeper().resumed());
  EXPECT_FALSE(second.keeper().status().writable);
  EXPECT_NE(gap(*report, "not_kept"), nullptr);
  ::chmod(dir.path.c_str(), 0700);
}

TEST(ADaemon, that_meets_a_damaged_state_file_says_so_in_the_report) {
  const Scratch dir;
  std::ofstream(state_file(dir.path)) << std::string(9000, '?');
  Daemon daemon(dir.path);
  const auto report = daemon.tick();
  EXPECT_TRUE(daemon.keeper().status().writable);
  EXPECT_TRUE(std::any_of(report->not_looked_at.begin(), report->not_looked_at.end(),
                          [](const rules::Gap& each) { return each.why == "state_set_aside"; }));
}

TEST(ADaemon, refuses_a_kept_history_that_makes_no_sense) {
  const Scratch dir;
  double stopped_at = 0;
  {
    Daemon first(dir.path);
    first.tick_for(30);
    first.end();
    stopped_at = first.second();
  }
  edit_kept(dir.path, {"history", "ledger", "settings"},
            [](const std::string& whole) { return whole.substr(0, whole.size() / 2); });
  Daemon second(dir.path, "aaaa", stopped_at + 10);
  const auto report = second.tick();
  EXPECT_FALSE(second.keeper().resumed());
  EXPECT_EQ(report->ports[0].verdict, rules::Verdict::Initializing);
  std::string told;
  for (const rules::Gap& each : second.tick()->not_looked_at)
    if (each.why == "state_set_aside") told += each.detail + "\n";
  for (const char* what : {"the history", "accepted settings"}) EXPECT_NE(told.find(what), std::string::npos) << told;
}

TEST(IncidentsResource, tells_what_happened_and_refuses_nonsense) {
  Daemon daemon("");
  daemon.tick_for(30);
  daemon.pfc = 0;
  daemon.tick_for(30);
  Board board;
  const auto report = daemon.tick();
  board.publish(
      std::make_shared<const Published>(report, CounterTable{}, ProcessFacts{}, DaemonFacts{}, daemon.keeper().list()));
  const http::Site site{board, [] { return std::int64_t{0}; }};
  http::Request request;
  http::Response answer = http::incidents(request, site);
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body->find("\"schema\": \"roceready.incidents/1\""), std::string::npos);
  EXPECT_NE(answer.body->find("\"what\": \"pfc\""), std::string::npos) << *answer.body;
  EXPECT_NE(answer.body->find("\"from\": \"3\""), std::string::npos);
  request.query = {{"format", "text"}, {"port", "mlx5_0/1"}};
  answer = http::incidents(request, site);
  EXPECT_NE(answer.body->find("pfc of mlx5_0/1 changed from 3 to none."), std::string::npos) << *answer.body;
  request.query = {{"port", "mlx5_7"}};
  EXPECT_NE(http::incidents(request, site).body->find("\"incidents\": []"), std::string::npos);
  for (const auto& [name, value] : {std::pair("since", "yesterday"), std::pair("format", "xml"), std::pair("x", "y")}) {
    request.query = {{name, value}};
    EXPECT_EQ(http::incidents(request, site).status, 400) << name;
  }
  board.publish(std::make_shared<const Published>(report, CounterTable{}, ProcessFacts{}, DaemonFacts{}));
  request.query.clear();
  EXPECT_EQ(http::incidents(request, site).status, 404);
}

}  // namespace
}  // namespace roceready::daemon
