// SPDX-License-Identifier: Apache-2.0
// Every recorded answer in turn is removed, refused, cut or scrambled. What failed may become unknown; it never becomes
// a pass.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "daemon/export/json.h"
#include "rules/rule.h"
#include "tests/hosts/mutation.h"
#include "tests/hosts/pipeline.h"

namespace roceready::hosts {
namespace {

using rules::Outcome;
using rules::Verdict;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double environment_number(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtod(text, nullptr);
}

struct Case {
  std::string host, key;
  Damage damage;
};

/// A shorter list and a shorter text are what some other machine would say, so another outcome may be right.
bool is_strict(const Recording& recording, const Case& one) {
  if (may_lie(one.damage)) return false;
  const bool cut = one.damage == Damage::Halve || one.damage == Damage::Empty;
  if (!cut) return true;
  const Answer* answer = recording.find(0, one.key);
  if (answer == nullptr || answer->kind == Answer::Kind::List) return false;
  const bool file =
      !one.key.starts_with("netlink/") && !one.key.starts_with("ethtool/") && !one.key.starts_with("verbs/");
  return !file || one.damage == Damage::Empty;
}

class NoFalseGreen : public testing::Test {
 protected:
  static const std::map<std::string, Recording>& recordings() {
    static const std::map<std::string, Recording> all = [] {
      std::map<std::string, Recording> out;
      for (const auto& directory : host_directories()) {
        auto recording = read_recording(directory);
        if (recording) out[directory.filename().string()] = std::move(*recording);
      }
      return out;
    }();
    return all;
  }

  static const Judged& truth(const std::string& host) {
    static std::map<std::string, Judged> known;
    const auto at = known.find(host);
    return at != known.end() ? at->second : known[host] = judge(recordings().at(host));
  }

  void try_case(const Case& one, std::mt19937_64& random) {
    Recording recording = recordings().at(one.host);
    if (!apply(recording, one.key, one.damage, random)) return;
    SCOPED_TRACE(one.host + ": " + one.key + " " + name_of(one.damage));
    const auto begin = Clock::now();
    const Judged now = judge(recording);
    (void)daemon::report_json(*now.report);
    EXPECT_LT(seconds_since(begin), 5) << "one judgement must be bounded";
    ++tried_;
    if (is_strict(recordings().at(one.host), one)) compare(one, truth(one.host), now);
  }

  void compare(const Case& one, const Judged& before, const Judged& now) {
    for (const auto& [key, outcome] : before.outcomes) {
      if (outcome != Outcome::Fail) continue;
      const auto at = now.outcomes.find(key);
      if (at != now.outcomes.end() && at->second == Outcome::Pass) report(one, key + " failed and passes now");
    }
    if (is_blind_spot(one.damage) && admits(before, now)) return;
    const auto bad = [](Verdict verdict) { return verdict == Verdict::NotReady || verdict == Verdict::Degraded; };
    if (before.report->verdict == Verdict::NotReady && now.report->verdict == Verdict::Ready)
      report(one, "the node was not_ready and is ready now");
    for (const rules::PortReport& port : now.report->ports) {
      for (const rules::PortReport& was : before.report->ports)
        if (was.key == port.key && bad(was.verdict) && port.verdict == Verdict::Ready)
          report(one, "port " + port.key + " became ready");
    }
  }

  /// What was never asked, what a privilege withholds and what a kernel lacks lowers the coverage; where the rule is
  /// not mandatory the port may still be ready (product.md 1), provided that every rule that had failed says that it is
  /// unknown.
  static bool is_blind_spot(Damage damage) {
    return damage == Damage::Remove || damage == Damage::RefusePermission || damage == Damage::RefuseSupport;
  }
  static bool admits(const Judged& before, const Judged& now) {
    return std::all_of(
        before.report->findings.begin(), before.report->findings.end(), [&](const rules::Finding& finding) {
          if (finding.severity == rules::Severity::Info || now.report->finding(finding.key) != nullptr) return true;
          return std::any_of(now.report->unknown.begin(), now.report->unknown.end(), [&](const rules::Gap& gap) {
            return gap.rule == finding.rule->id && gap.subject.device == finding.subject.device &&
                   gap.subject.port == finding.subject.port;
          });
        });
  }

  /// Once for each kind of key.
  void report(const Case& one, const std::string& what) {
    if (!reported_.insert({kind_of_key(one.key), name_of(one.damage), what}).second) return;
    ADD_FAILURE() << what;
  }

  std::size_t tried_ = 0;

 private:
  std::set<std::tuple<std::string, std::string, std::string>> reported_;
};

TEST_F(NoFalseGreen, holds_for_every_answer_of_the_pair_that_lost_its_pfc) {
  std::mt19937_64 random(1);
  const std::string host = "cx7-pair-pfc-lost-at-reboot";
  ASSERT_TRUE(recordings().contains(host));
  const auto begin = Clock::now();
  for (const std::string& key : keys_of(recordings().at(host)))
    for (const Damage damage : all_damages()) try_case({host, key, damage}, random);
  std::printf("%zu damaged recordings in %.1f s\n", tried_, seconds_since(begin));
}

TEST_F(NoFalseGreen, holds_for_each_kind_of_answer_of_each_host) {
  // The same cases in every run; other seeds, more cases and more time are for long runs by hand.
  const auto seed = static_cast<std::uint64_t>(environment_number("ROCEREADY_MUTATION_SEED", 20261130));
  const double most = environment_number("ROCEREADY_MUTATION_CASES", 1200);
  const double budget = environment_number("ROCEREADY_MUTATION_SECONDS", 90);
  std::mt19937_64 random(seed);
  std::vector<Case> cases;
  for (const auto& [host, recording] : recordings()) {
    std::map<std::string, std::vector<std::string>> by_kind;
    for (const std::string& key : keys_of(recording)) by_kind[kind_of_key(key)].push_back(key);
    for (const auto& [kind, keys] : by_kind)
      for (const Damage damage : all_damages()) cases.push_back({host, keys[random() % keys.size()], damage});
  }
  std::shuffle(cases.begin(), cases.end(), random);
  const auto begin = Clock::now();
  for (const Case& one : cases) {
    if (seconds_since(begin) > budget || static_cast<double>(tried_) >= most) break;
    try_case(one, random);
  }
  std::printf("seed %llu: %zu damaged recordings of %zu in %.1f s (ROCEREADY_MUTATION_SEED, _CASES, _SECONDS)\n",
              static_cast<unsigned long long>(seed), tried_, cases.size(), seconds_since(begin));
}

}  // namespace
}  // namespace roceready::hosts
