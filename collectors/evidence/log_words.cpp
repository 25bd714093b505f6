// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/log_words.h"

#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kPunctuation = "[](){}<>,;:'\"=";

std::string_view bare(std::string_view word) {
  const auto begin = word.find_first_not_of(kPunctuation);
  if (begin == std::string_view::npos) return {};
  return word.substr(begin, word.find_last_not_of(kPunctuation) - begin + 1);
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  constexpr std::size_t kMostDigits = 16;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  std::uint64_t out = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9', small = c >= 'a' && c <= 'f', large = c >= 'A' && c <= 'F';
    if (!digit && !small && !large) return std::nullopt;
    out = out << 4U | static_cast<std::uint64_t>(digit ? c - '0' : (small ? c - 'a' : c - 'A') + 10);
  }
  return out;
}

}  // namespace

std::optional<std::uint64_t> number_behind(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + name.size());
  rest = rest.substr(std::min(rest.find_first_not_of(" =:("), rest.size()));
  if (rest.starts_with("0x"))
    return hexadecimal(rest.substr(2, rest.find_first_not_of("0123456789abcdefABCDEF", 2) - 2));
  return parse_u64(rest.substr(0, rest.find_first_not_of("0123456789")));
}

std::string word_behind(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + name.size());
  rest = rest.substr(std::min(rest.find_first_not_of(" ="), rest.size()));
  if (rest.starts_with(": ")) rest = trim(rest.substr(2));  // a GID may begin with colons
  return std::string(rest.substr(0, rest.find_first_of(" \t,;)]")));
}

std::string device_in(std::string_view line) {
  for (const std::string_view word : words_of(line)) {
    std::string_view name = bare(word);
    const auto bracket = name.find(']');  // "[0]mlx5_0:1/RoCE"
    if (bracket != std::string_view::npos) name.remove_prefix(bracket + 1);
    name = name.substr(0, name.find_first_of(":/"));
    if (is_usual_device_name(name)) return std::string(name);
  }
  return {};
}

std::string pci_in(std::string_view line, bool last) {
  std::string out;
  for (const std::string_view word : words_of(line)) {
    const std::string_view name = bare(word);
    if (name.size() < 7 || name.find(':') == std::string_view::npos) continue;
    auto address = pci_address(name);
    if (!address) continue;
    out = std::move(*address);
    if (!last) break;
  }
  return out;
}

const char* kind_of_status(std::uint64_t status) {
  constexpr std::uint64_t kMostStatus = 40;
  switch (status) {
    case 4:
      return "local_protection_error";
    case 5:
      return "flush_error";
    case 10:
      return "remote_access_error";
    case 12:
      return "retry_exceeded";
    case 13:
      return "rnr_retry_exceeded";
    default:
      return status > kMostStatus ? "" : "completion_error";
  }
}

std::string netdev_before(std::string_view line, std::size_t at) {
  const auto words = words_of(line.substr(0, at));
  if (words.empty()) return {};
  const std::string_view name = bare(words.back());
  if (!is_netdev_name(name) || name.find('.') == 0 || pci_address(name)) return {};
  return std::string(name);
}

}  // namespace roceready::evidence
