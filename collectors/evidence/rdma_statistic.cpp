// SPDX-License-Identifier: Apache-2.0
// rdma statistic [show link]: "link mlx5_0/1 name value name value …" on one line, wrapped by a terminal or a mail, or
// one pair a line (-p). Counters of single queue pairs ("link mlx5_0/1 cntn …") are another thing.
#include <algorithm>

#include "collectors/evidence/counter_names.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "rdma") return false;
  bool statistic = false;
  for (const std::string& word : words) {
    statistic = statistic || word == "stat" || word == "stats" || word == "statistic" || word == "statistics";
    if (word.find('/') == std::string::npos) continue;
    if (const auto owner = device_port(word)) about.device = owner->first, about.port = owner->second;
  }
  return statistic;
}

/// The port that a heading names; nothing where the line is no heading of counters.
std::optional<std::pair<std::string, std::uint32_t>> heading(const std::vector<std::string_view>& words) {
  if (words.size() < 2 || words[0] != "link" || words[1].find('/') == std::string_view::npos) return std::nullopt;
  return device_port(words[1]);
}

/// What else `rdma` says of a link or of its single queue pairs and regions.
bool is_other(std::string_view word) {
  return word == "state" || word == "subnet_prefix" || word == "physical_state" || word == "cntn" || word == "lqpn" ||
         word == "mrn" || word == "auto" || word.starts_with("optional-");
}

/// Names and numbers by turns.
bool is_pairs(const std::vector<std::string_view>& words, bool& known) {
  std::size_t names = 0, numbers = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool number = parse_u64(words[i]).has_value();
    if (!number && !is_counter_name(words[i])) return false;
    if (i > 0 && number == parse_u64(words[i - 1]).has_value()) return false;
    if (!number && counter_set_of(words[i]) == CounterSet::Hardware) known = true;
    ++(number ? numbers : names);
  }
  return names + numbers > 0 && (numbers > 0 || known);
}

/// Names, numbers and one '/': nearly every line of other texts has something else early.
bool has_other_characters(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return !letter && !(c >= '0' && c <= '9') && c != '_' && c != ' ' && c != '\t' && c != '/' && c != '.' && c != '-';
  });
}

Fit fit(std::string_view line, About& about) {
  if (has_other_characters(line)) return Fit::No;
  const auto words = words_of(line);
  if (words.empty()) return Fit::No;
  if (const auto owner = heading(words)) {
    if (words.size() > 2 && is_other(words[2])) return Fit::No;
    about.device = owner->first;
    about.port = owner->second;
    return Fit::Begins;
  }
  bool known = false;
  if (!is_pairs(words, known)) return Fit::No;
  return known ? Fit::Certain : Fit::Possible;
}

void parse(const Section& section, Draft& draft) {
  About about = section.about;
  std::string name;  // that waits for its value
  for (const Line& line : section.lines) {
    auto words = words_of(line.text);
    if (const auto owner = heading(words)) {
      about.device = owner->first;
      about.port = owner->second;
      draft.port(about.device, about.port);
      words.erase(words.begin(), words.begin() + 2);
      name.clear();
    }
    for (const std::string_view word : words) {
      const auto number = parse_u64(word);
      if (number && !name.empty())
        static_cast<void>(keep_counter(draft, about, CounterSet::Hardware, name, word, section, line.number));
      else if (number || !is_counter_name(word))
        draft.unread(section, line, "a value without its name");
      name = number ? std::string() : std::string(word);
    }
  }
}

}  // namespace

extern const Format kRdmaStatistic;
constinit const Format kRdmaStatistic{"rdma statistic", "rdma statistic", true, made_by, fit, parse};

}  // namespace roceready::evidence
