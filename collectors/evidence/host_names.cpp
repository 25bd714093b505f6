// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/host_names.h"

#include <algorithm>

#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool has_log_stamp(std::string_view line) {
  constexpr std::size_t kShortest = 24;
  if (line.size() < kShortest) return false;
  if (line[0] == '[') {
    const auto digits = line.find_first_not_of(' ', 1);
    const auto dot = line.find_first_not_of("0123456789", digits);
    return digits != std::string_view::npos && dot != std::string_view::npos && dot > digits && line[dot] == '.' &&
           is_digit(line[dot + 1]) && is_digit(line[dot + 2]);
  }
  if (is_digit(line[0]))
    return line[4] == '-' && line[7] == '-' && (line[10] == 'T' || line[10] == ' ') && line[13] == ':' &&
           line[16] == ':';
  return line[3] == ' ' && line[6] == ' ' && line[9] == ':' && line[12] == ':' && is_digit(line[11]);
}

bool is_host_name(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest && text != "localhost" &&
         text.find_first_not_of("0123456789.:") < text.size() && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
         });
}
std::string short_host_name(std::string_view host) {
  return std::string(host.substr(0, host.find('.')));
}

std::string host_of_log(std::string_view line) {
  const auto words = words_of(line.substr(0, 120));
  if (words.empty()) return {};
  const auto parts = roceready::split(words[0], ':');
  if (parts.size() == 3 && is_host_name(parts[0]) && parse_u64(parts[1]) && parse_u64(parts[2]))
    return short_host_name(parts[0]);
  const std::size_t at = is_digit(line[0]) ? 1 : 3;
  const bool stamped = has_log_stamp(line) && line[0] != '[' && line.find(' ') != 10;
  if (!stamped || words.size() < at + 2 || !words[at + 1].ends_with(":") || !is_host_name(words[at])) return {};
  return short_host_name(words[at]);
}

std::string host_of_output(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() > 3 && words[0] == "Linux" && is_digit(words[2][0]) && is_host_name(words[1]))
    return short_host_name(words[1]);
  if (words.size() == 3 && words[0] == "Static" && words[1] == "hostname:" && is_host_name(words[2]))
    return short_host_name(words[2]);
  return {};
}

std::string host_of_ansible(std::string_view line) {
  const auto words = words_of(line);
  const bool heads =
      words.size() >= 5 && words[1] == "|" && words[3] == "|" && words.back() == ">>" && is_host_name(words[0]);
  return heads ? short_host_name(words[0]) : std::string();
}
bool is_ruler(std::string_view line) {
  return line.size() >= 8 && line.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace roceready::evidence
