// SPDX-License-Identifier: Apache-2.0
// Cases from the field under tests/evidence/cases: the files as people pasted them, against what must be said of them
// and what must not. tests/evidence/README.md tells what stands in expect.json beside the members of a host's
// (expectation.h).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "collectors/evidence/bundle.h"
#include "core/base/time.h"
#include "daemon/evidence/judge.h"
#include "daemon/evidence/record.h"
#include "daemon/export/port_view.h"
#include "tests/hosts/expectation.h"
#include "tests/source_dir.h"

namespace roceready::hosts {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<fs::path> case_directories() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(ROCEREADY_SOURCE_DIR) / "tests/evidence/cases")) {
    if (fs::exists(entry.path() / "expect.json")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file, nullptr, false);
}

daemon::EvidenceRequest request_for(const fs::path& directory, const json& expect) {
  daemon::EvidenceRequest out;
  out.paths = {(directory / "files").string()};
  if (expect.contains("profile")) out.overrides["profile"] = expect["profile"].get<std::string>();
  const json options = expect.value("options", json::object());
  for (const auto& [key, value] : options.items()) out.overrides[key] = value.get<std::string>();
  if (expect.contains("interval")) out.interval_ns = *parse_duration(expect["interval"].get<std::string>());
  return out;
}

class EachCase : public testing::TestWithParam<fs::path> {};

TEST_P(EachCase, says_what_must_be_said_and_nothing_that_must_not) {
  const json expect = read_json(GetParam() / "expect.json");
  ASSERT_TRUE(expect.is_object());
  const auto judged = daemon::judge_evidence(request_for(GetParam(), expect));
  ASSERT_TRUE(judged) << judged.error().text();
  ASSERT_EQ(judged->hosts.size(), expect.value("hosts", std::size_t{1}));
  const json by_host = expect.value("by_host", json::object());
  EXPECT_TRUE(by_host.empty() || by_host.size() == judged->hosts.size());
  for (std::size_t i = 0; i < judged->hosts.size(); ++i) {
    const rules::ReportPtr& report = judged->hosts[i];
    json wanted = expect;
    if (!by_host.empty()) {
      ASSERT_TRUE(by_host.contains(judged->read[i].name)) << judged->read[i].name;
      wanted.update(by_host.at(judged->read[i].name));
    }
    for (const std::string& wrong : disagreements(wanted, {report, {}}))
      ADD_FAILURE() << judged->read[i].name << ": " << wrong;
    EXPECT_NE(report->verdict, rules::Verdict::Ready) << "cut files never make a port ready";
  }
}

/// Of an only port, by host.
TEST_P(EachCase, names_the_gid_that_can_be_used) {
  const json wanted = read_json(GetParam() / "expect.json").value("gid_index", json::object());
  if (wanted.empty()) return;
  const auto judged = daemon::judge_evidence(request_for(GetParam(), read_json(GetParam() / "expect.json")));
  ASSERT_TRUE(judged) << judged.error().text();
  ASSERT_EQ(judged->hosts.size(), wanted.size());
  for (std::size_t i = 0; i < judged->hosts.size(); ++i) {
    const auto ports = daemon::port_views(*judged->hosts[i]);
    ASSERT_EQ(ports.size(), 1U);
    ASSERT_TRUE(wanted.contains(judged->read[i].name)) << judged->read[i].name;
    EXPECT_EQ(ports[0].gid_index.value_or(UINT32_MAX), wanted.at(judged->read[i].name).get<std::uint32_t>())
        << judged->read[i].name;
  }
}

/// Files that were made say so, and what of them nobody told.
TEST_P(EachCase, says_what_was_made_up) {
  const json expect = read_json(GetParam() / "expect.json");
  ASSERT_EQ(expect.contains("made_from"), expect.contains("made_up"));
  if (!expect.contains("made_from")) return;
  EXPECT_EQ(expect.at("made_from"), "words");
  EXPECT_FALSE(expect.at("made_up").empty());
}

bool has_findings(const json& expect) {
  return expect.contains("must_have") && !expect.at("must_have").empty();
}

/// A case that holds to nothing but silence names what its thread asks for and the files, or the rules, do not give.
TEST_P(EachCase, asks_for_a_statement_or_says_why_there_is_none) {
  const json expect = read_json(GetParam() / "expect.json");
  const json not_said = expect.value("not_said", json::object()), by_host = expect.value("by_host", json::object());
  ASSERT_TRUE(not_said.is_object());
  EXPECT_TRUE(has_findings(expect) || std::any_of(by_host.begin(), by_host.end(), has_findings) || !not_said.empty());
  for (const auto& [statement, why] : not_said.items())
    EXPECT_TRUE(!statement.empty() && why.is_string() && !why.get<std::string>().empty()) << statement;
}

TEST_P(EachCase, names_a_file_for_every_number_that_a_finding_rests_on) {
  const json expect = read_json(GetParam() / "expect.json");
  const auto judged = daemon::judge_evidence(request_for(GetParam(), expect));
  ASSERT_TRUE(judged) << judged.error().text();
  for (const rules::ReportPtr& report : judged->hosts) {
    for (const rules::Finding& finding : report->findings) {
      const bool cited = finding.evidence.empty() ||
                         std::any_of(finding.evidence.begin(), finding.evidence.end(),
                                     [](const auto& item) { return item.source.find(".txt:") != std::string::npos; });
      EXPECT_TRUE(cited) << finding.key << " rests on " << (finding.evidence.empty() ? "" : finding.evidence[0].source);
    }
  }
}

/// Names and values of all counters of a bundle's hosts.
std::set<std::pair<std::string, std::uint64_t>> counters_of(const std::vector<evidence::HostEvidence>& hosts) {
  std::set<std::pair<std::string, std::uint64_t>> out;
  const auto take = [&](const Reading<RawCounters>& counters) {
    if (!counters) return;
    for (std::size_t i = 0; i < counters->size(); ++i) out.emplace((*counters->names)[i], counters->values[i]);
  };
  for (const evidence::HostEvidence& host : hosts) {
    for (const Snapshot& snapshot : host.snapshots) {
      for (const Netdev& netdev : snapshot.netdevs) take(netdev.ethtool.statistics);
      for (const RdmaPort& port : snapshot.ports) take(port.hw_counters), take(port.port_counters);
    }
  }
  return out;
}

std::vector<std::string> lines_of_file(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) out.push_back(line);
  return out;
}

/// Every line is the last one, the first one and the missing one in turn.
TEST_P(EachCase, invents_nothing_where_a_line_is_missing) {
  for (const auto& entry : fs::directory_iterator(GetParam() / "files")) {
    const auto lines = lines_of_file(entry.path());
    const std::string name = entry.path().filename().string();
    const auto counters_between = [&](std::size_t from, std::size_t to, std::size_t without) {
      std::string text;
      for (std::size_t i = from; i < to; ++i) {
        if (i != without) text += lines[i] + "\n";
      }
      evidence::Bundle bundle;
      bundle.add(name, text, 0);
      return counters_of(bundle.finish({}));
    };
    const auto all = counters_between(0, lines.size(), lines.size());
    const std::size_t step = lines.size() / 40 + 1;
    for (std::size_t at = 0; at < lines.size(); at += step) {
      for (const auto& part : {counters_between(0, at, at), counters_between(at, lines.size(), lines.size()),
                               counters_between(0, lines.size(), at)}) {
        for (const auto& counter : part) {
          EXPECT_TRUE(all.contains(counter))
              << name << " line " << at << ": " << counter.first << " " << counter.second;
        }
      }
    }
  }
}

/// What the rules say of a bundle's hosts, by host, rule and subject; rules that say nothing of a subject are not
/// there.
std::map<std::string, rules::Outcome> outcomes_of(const std::vector<evidence::HostEvidence>& hosts,
                                                  const std::string& profile) {
  std::map<std::string, rules::Outcome> out;
  for (const evidence::HostEvidence& host : hosts) {
    if (host.snapshots.empty()) continue;
    const Judged judged = judge(host.snapshots, profile);
    EXPECT_NE(judged.report->verdict, rules::Verdict::Ready);
    for (const auto& [key, outcome] : judged.outcomes) out[host.name + " " + key] = outcome;
  }
  return out;
}

/// The rule that a key of outcomes_of() is about.
std::string rule_of(const std::string& key) {
  const std::string rule = key.substr(key.find(' ') + 1);
  return rule.substr(0, rule.find('@'));
}

/// Rules on whose subjects, whatever they are called, an outcome lies.
std::set<std::string> rules_with(const std::map<std::string, rules::Outcome>& outcomes,
                                 std::initializer_list<rules::Outcome> wanted) {
  std::set<std::string> out;
  for (const auto& [key, outcome] : outcomes) {
    if (std::find(wanted.begin(), wanted.end(), outcome) != wanted.end()) out.insert(rule_of(key));
  }
  return out;
}

/// Rules on what single lines say of logs or totals have nothing to say where the line is gone.
bool is_of_lines(const std::string& rule) {
  return rule.find("-log-") != std::string::npos || rule == "probe-measured-bandwidth-low" ||
         rule == "transport-seen-since-boot" || rule == "host-netdev-not-in-namespace";
}

/// With one device less in a list the one that is left is the only one, and what names nobody is its.
bool is_of_the_only_device(const std::string& rule, const std::string& file) {
  return rule == "roce-no-v2-gid" && file.starts_with("ibv_devices");
}

/// lspci parts functions by their first lines alone: without one, its lines are the function's before.
bool is_of_lost_heading(const std::string& rule, const std::string& file) {
  return rule.starts_with("pcie-") && file.starts_with("lspci");
}

/// Lines that are left out in turn leave a fault a fault, or unknown: less evidence never makes it right, nor takes
/// what it is about out of scope, nor shows a fault that is not there.
TEST_P(EachCase, a_missing_line_takes_no_fault_away_and_makes_none) {
  const json expect = read_json(GetParam() / "expect.json");
  const std::string profile = expect.value("profile", "");
  std::map<std::string, std::vector<std::string>> files;
  for (const auto& entry : fs::directory_iterator(GetParam() / "files"))
    files[entry.path().filename().string()] = lines_of_file(entry.path());
  const auto outcomes_without = [&](const std::string& file, std::size_t line) {
    evidence::Bundle bundle;
    for (const auto& [name, lines] : files) {
      std::string text;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (name != file || i != line) text += lines[i] + "\n";
      }
      bundle.add(name, text, 0);
    }
    return outcomes_of(bundle.finish({}), profile);
  };
  const auto whole = outcomes_without("", 0);
  const std::set<std::string> failed = rules_with(whole, {rules::Outcome::Fail});
  for (const auto& [name, lines] : files) {
    const std::size_t step = lines.size() / 30 + 1;
    for (std::size_t line = 0; line < lines.size(); line += step) {
      const std::string without = " without " + name + ":" + std::to_string(line + 1) + " " + lines[line];
      const auto part = outcomes_without(name, line);
      if (part.empty()) continue;  // nothing is left that speaks of a node
      for (const auto& [key, outcome] : part) {
        const auto before = whole.find(key);
        if (outcome != rules::Outcome::Pass || before == whole.end() || is_of_lines(rule_of(key))) continue;
        EXPECT_NE(before->second, rules::Outcome::Fail) << key << without;
      }
      const auto open = rules_with(part, {rules::Outcome::Fail, rules::Outcome::Unknown, rules::Outcome::NotLookedAt});
      for (const std::string& rule : failed) EXPECT_TRUE(open.contains(rule) || is_of_lines(rule)) << rule << without;
      for (const std::string& rule : rules_with(part, {rules::Outcome::Fail}))
        EXPECT_TRUE(failed.contains(rule) || is_of_lines(rule) || is_of_lost_heading(rule, name) ||
                    is_of_the_only_device(rule, name))
            << rule << " is new" << without;
    }
  }
}

/// What `record --from-evidence` writes is a recorded host of which the same is said.
TEST_P(EachCase, recorded_it_is_judged_alike) {
  const json expect = read_json(GetParam() / "expect.json");
  const auto request = request_for(GetParam(), expect);
  const auto judged = daemon::judge_evidence(request);
  ASSERT_TRUE(judged) << judged.error().text();
  std::string name = (fs::temp_directory_path() / "roceready-record-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const auto written = daemon::record_evidence(request, name);
  EXPECT_EQ(written.has_value(), !judged->hosts.empty());
  for (std::size_t i = 0; written && i < written->size(); ++i) {
    if (expect.contains("options")) std::ofstream((*written)[i] / "site.json") << expect.at("options");
    const auto replayed = judge((*written)[i]);
    if (!replayed) {
      ADD_FAILURE() << replayed.error().text();
      continue;
    }
    std::set<std::string> before, after;
    for (const rules::Finding& finding : judged->hosts[i]->findings)
      before.insert(finding.key + " " + rules::name_of(finding.severity));
    for (const rules::Finding& finding : replayed->report->findings)
      after.insert(finding.key + " " + rules::name_of(finding.severity));
    EXPECT_EQ(before, after);
    EXPECT_EQ(judged->hosts[i]->verdict, replayed->report->verdict);
  }
  fs::remove_all(name);
}

std::string name_of_case(const testing::TestParamInfo<fs::path>& info) {
  return info.param.filename().string();
}

INSTANTIATE_TEST_SUITE_P(Cases, EachCase, testing::ValuesIn(case_directories()), name_of_case);

}  // namespace
}  // namespace roceready::hosts
