// SPDX-License-Identifier: Apache-2.0
// nccl-tests (all_reduce_perf, alltoall_perf…): "# nThread 1 …", a line for each rank, a table headed "size count type
// redop root time algbw busbw #wrong time algbw busbw #wrong" and "# Avg bus bandwidth    : 9.84". GB are 10^9 bytes.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

using Words = std::vector<std::string_view>;

bool is_tool(std::string_view program) {
  constexpr std::string_view kNames[] = {"all_reduce", "all_gather", "alltoall", "broadcast", "gather",
                                         "hypercube",  "reduce",     "scatter",  "sendrecv",  "reduce_scatter"};
  constexpr std::string_view kEnd = "_perf";
  if (!program.ends_with(kEnd)) return false;
  program.remove_suffix(kEnd.size());
  return std::find(std::begin(kNames), std::end(kNames), program) != std::end(kNames);
}

bool made_by(std::span<const std::string> words, About&) {
  return !words.empty() && is_tool(words[0]);
}

bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "#  Rank  0 Group  0 Pid 123 on node1 device  0 [0x07] NVIDIA A100": the host; nothing for other lines.
std::optional<std::string> host_of_rank(const Words& words) {
  if (words.size() < 6 || words[0] != "#" || words[1] != "Rank" || !has(words, "Pid") || !has(words, "device"))
    return std::nullopt;
  const auto on = std::find(words.begin(), words.end(), "on");
  if (on == words.end() || on + 1 == words.end()) return std::nullopt;
  return std::string(*(on + 1));
}

bool is_head(const Words& words) {
  return words.size() > 8 && words[0] == "#" && words[1] == "size" && has(words, "algbw") && has(words, "busbw");
}
bool is_average(std::string_view text) {
  return text.starts_with("# Avg bus bandwidth");
}

/// A row of the table, read from its end, since versions differ in the columns in front.
struct Row {
  std::uint64_t bytes = 0;
  double busbw = 0;  ///< out of place, GB/s
};
std::optional<Row> row_of(const Words& words) {
  constexpr std::size_t kFewest = 11, kMost = 14, kTime = 8, kAlgorithm = 7, kBus = 6;  // the last three from the end
  constexpr double kFastest = 1e5, kShare = 0.02, kRounding = 0.011;
  if (words.size() < kFewest || words.size() > kMost) return std::nullopt;
  const auto bytes = parse_u64(words[0]), count = parse_u64(words[1]);
  const auto column = [&](std::size_t from_end) { return parse_double(words[words.size() - from_end]); };
  const auto time = column(kTime), algorithm = column(kAlgorithm), bus = column(kBus);
  if (!bytes || !count || !time || !algorithm || !bus) return std::nullopt;
  if (!(*time > 0) || !(*algorithm >= 0) || !(*bus >= 0) || *bus > kFastest) return std::nullopt;
  // What the columns say of each other tells that they are the right ones.
  const double expected = static_cast<double>(*bytes) / *time / 1e3;
  if (std::fabs(*algorithm - expected) > expected * kShare + kRounding) return std::nullopt;
  return Row{*bytes, *bus};
}

Fit fit(std::string_view line, About&) {
  constexpr std::size_t kLongest = 250;
  const std::string_view text = trim(line);
  if (text.empty() || text.size() > kLongest) return Fit::No;
  if (text[0] == '#') {
    if (text.starts_with("# nThread ") && text.find(" nGpus ") != std::string_view::npos) return Fit::Begins;
    const Words words = words_of(text);
    if (host_of_rank(words) || is_head(words) || is_average(text)) return Fit::Certain;
    return Fit::Possible;
  }
  return text[0] >= '0' && text[0] <= '9' && row_of(words_of(text)) ? Fit::Certain : Fit::No;
}

void parse(const Section& section, Draft& draft) {
  constexpr double kBitsOfGigabyte = 8e9;
  std::set<std::string> hosts;
  std::size_t ranks = 0;
  for (const Line& line : section.lines) {
    const std::string_view text = trim(line.text);
    if (text.empty()) continue;
    const Words words = words_of(text);
    if (const auto host = host_of_rank(words)) ++ranks, hosts.insert(*host);
    if (text[0] == '#') continue;
    const auto row = row_of(words);
    if (!row) {
      draft.unread(section, line, "no row of results");
      continue;
    }
    LogFact fact;
    fact.kind = "collective_bandwidth";
    fact.text = std::string(text.substr(0, 300));
    fact.place = place_text(section, line.number);
    fact.says["message_bytes"] = std::to_string(row->bytes);
    fact.says["bits_per_second"] = std::to_string(std::llround(row->busbw * kBitsOfGigabyte));
    if (!section.words.empty() && is_tool(section.words[0])) fact.says["tool"] = section.words[0];
    if (ranks > 0) {
      fact.says["ranks"] = std::to_string(ranks);
      fact.says["hosts"] = std::to_string(hosts.size());
    }
    draft.log(std::move(fact));
  }
}

}  // namespace

extern const Format kNcclTests;
constinit const Format kNcclTests{"nccl-tests", "all_reduce_perf -b 1G -e 8G -f 2", false, made_by, fit, parse};

}  // namespace roceready::evidence
