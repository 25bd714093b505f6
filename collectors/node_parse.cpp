// SPDX-License-Identifier: Apache-2.0
#include "collectors/node_parse.h"

#include <limits>

#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> parse_size(std::string_view text) {
  if (text == "infinity") return kUnlimited;
  if (text.empty()) return std::nullopt;
  constexpr std::string_view kSuffixes = "KMGTPE";
  const auto power = kSuffixes.find(text.back());
  if (power == std::string_view::npos) return parse_u64(text);
  const auto number = parse_u64(trim(text.substr(0, text.size() - 1)));
  const std::uint64_t shift = 10 * (power + 1);
  if (!number || *number > (kUnlimited >> shift)) return std::nullopt;
  return *number << shift;
}

}  // namespace

std::string hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string out(16, '0');
  for (std::size_t i = out.size(); i-- > 0; hash >>= 4U) out[i] = "0123456789abcdef"[hash & 15U];
  return out;
}

std::optional<double> parse_uptime(std::string_view text) {
  return parse_double(trim(text.substr(0, text.find(' '))));
}

std::optional<bool> parse_hypervisor(std::string_view cpuinfo) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    if (!line.starts_with("flags")) continue;
    for (const std::string_view word : split(line.substr(line.find(':') + 1), ' ')) {
      if (word == "hypervisor") return true;
    }
    return false;
  }
  return std::nullopt;
}

std::optional<std::string> parse_cpu_vendor(std::string_view cpuinfo) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const auto colon = line.find(':');
    if (!line.starts_with("vendor_id") || colon == std::string_view::npos) continue;
    return clean_text(trim(line.substr(colon + 1)));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_max_locked_memory(std::string_view limits) {
  constexpr std::string_view kName = "Max locked memory";
  for (const std::string_view line : split(limits, '\n')) {
    if (!line.starts_with(kName)) continue;
    const std::string_view rest = trim(line.substr(kName.size()));
    const std::string_view soft = rest.substr(0, rest.find_first_of(" \t"));
    return soft == "unlimited" ? std::optional(kUnlimited) : parse_u64(soft);
  }
  return std::nullopt;
}

std::optional<std::string> parse_assignment(std::string_view file, std::string_view key) {
  std::optional<std::string> out;
  for (std::string_view line : split(file, '\n')) {
    line = trim(line);
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos || trim(line.substr(0, equals)) != key) continue;
    out = clean_text(trim(line.substr(equals + 1)));
  }
  return out;
}

bool is_out_of_tree(std::string_view taint) {
  return taint.find('O') != std::string_view::npos;
}

std::optional<std::uint64_t> parse_unit_limit(std::string_view file, std::string_view key) {
  std::optional<std::uint64_t> limit;
  for (std::string_view line : split(file, '\n')) {
    line = trim(line);
    const auto equals = line.find('=');
    if (equals == std::string_view::npos || trim(line.substr(0, equals)) != key) continue;
    const std::string_view value = trim(line.substr(equals + 1));
    limit = parse_size(trim(value.substr(0, value.find(':'))));
  }
  return limit;
}

}  // namespace roceready
