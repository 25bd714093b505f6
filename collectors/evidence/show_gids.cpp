// SPDX-License-Identifier: Apache-2.0
// show_gids: a table "DEV PORT INDEX GID IPv4 VER DEV", the IPv4 column empty for IPv6 addresses, and at its end
// "n_gids_found=4".
#include <map>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kCount = "n_gids_found=";

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "show_gids") return false;
  if (words.size() > 1 && is_device_name(words[1])) about.device = words[1];
  return true;
}

bool is_head(const std::vector<std::string_view>& words) {
  return (words.size() >= 4 && words[0] == "DEV" && words[1] == "PORT" && words[2] == "INDEX") ||
         (words.size() >= 3 && words[0] == "---" && words[1].starts_with("---"));
}

struct Row {
  std::string device;
  std::uint32_t port = 1;
  GidPart gid;
};

/// "mlx5_0 1 3 0000:…:ffff:c000:0206 192.0.2.6 v2 eth0".
std::optional<Row> row_of(const std::vector<std::string_view>& words) {
  if (words.size() < 4 || words.size() > 8 || !is_device_name(words[0])) return std::nullopt;
  const auto port = parse_u64(words[1]), index = parse_u64(words[2]);
  if (!port || *port == 0 || *port > 255 || !index || *index > 65535) return std::nullopt;
  const auto gid = gid_text(words[3]);
  if (!gid) return std::nullopt;
  Row out;
  out.device = words[0];
  out.port = static_cast<std::uint32_t>(*port);
  out.gid.index = static_cast<std::uint32_t>(*index);
  out.gid.gid = *gid;
  for (std::size_t i = 4; i < words.size(); ++i) {
    const std::string type = gid_type_word(words[i]);
    if (type.empty()) continue;
    out.gid.type = type;
    if (i + 1 < words.size() && is_netdev_name(words[i + 1])) out.gid.netdev = std::string(words[i + 1]);
    break;
  }
  return out;
}

Fit fit(std::string_view line, About&) {
  constexpr std::size_t kLongest = 200;
  if (line.size() > kLongest) return Fit::No;
  if (line.starts_with(kCount)) return Fit::Certain;
  const auto blank = line.find_first_of(" \t");
  const auto second = blank == std::string_view::npos ? blank : line.find_first_not_of(" \t", blank);
  if (second == std::string_view::npos) return Fit::No;
  const bool row = line[second] >= '0' && line[second] <= '9';
  if (!row && line[0] != 'D' && line[0] != '-') return Fit::No;
  const auto words = words_of(line);
  if (words.size() < 3) return Fit::No;
  if (is_head(words)) return words[0] == "DEV" ? Fit::Begins : Fit::Possible;
  return row_of(words) ? Fit::Certain : Fit::No;
}

/// The number at the end of all rows: without it the table may have been cut. That there are none is said of the device
/// that the command names, of all devices where it names none, and else of the only one.
void keep_count(std::string_view number, const std::map<std::string, std::uint64_t>& rows, const Section& section,
                const Line& line, Draft& draft) {
  const auto told = parse_u64(number);
  if (!told) return draft.unread(section, line);
  std::uint64_t seen = 0;
  for (const auto& [owner, count] : rows) seen += count;
  if (*told > 0) {
    for (const auto& [owner, count] : rows)
      if (seen == *told) draft.gid_table_ends(owner);
    return;
  }
  LogFact fact;
  fact.kind = "no_gids";
  fact.subject = section.words.size() == 1 ? "" : section.about.device;
  fact.text = trim(line.text);
  fact.place = place_text(section, line.number);
  if (rows.empty()) draft.log(std::move(fact));
}

void parse(const Section& section, Draft& draft) {
  std::map<std::string, std::uint64_t> rows;
  for (const Line& line : section.lines) {
    const std::string_view text = trim(line.text);
    const auto words = words_of(text);
    if (words.empty() || is_head(words)) continue;
    if (text.starts_with(kCount)) {
      keep_count(text.substr(kCount.size()), rows, section, line, draft);
      continue;
    }
    auto row = row_of(words);
    if (!row) {
      draft.unread(section, line);
      continue;
    }
    const std::string owner = row->device + "/" + std::to_string(row->port);
    ++rows[owner];
    draft.cite("GID table of " + owner, section, line.number);
    merge_gid(named_port(draft, row->device, row->port), std::move(row->gid));
  }
}

}  // namespace

extern const Format kShowGids;
constinit const Format kShowGids{"show_gids", "show_gids", false, made_by, fit, parse};

}  // namespace roceready::evidence
