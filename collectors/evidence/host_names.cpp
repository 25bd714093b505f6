// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/host_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kPod = "pod ", kContainer = "container ";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "node0" is a NUMA node and "gpu1" a GPU; hosts of these names have a leading zero or three digits. What is named
/// "gpu01-to-gpu02" is a way between hosts.
bool is_part_of_a_host(std::string_view name) {
  for (const std::string_view part : {"node", "gpu"}) {
    const std::string_view number = name.starts_with(part) ? name.substr(part.size()) : std::string_view();
    if (!number.empty() && number.size() < 3 && std::all_of(number.begin(), number.end(), is_digit) &&
        (number.size() == 1 || number[0] != '0'))
      return true;
  }
  return name.find("numa") != std::string_view::npos || name.find("-to-") != std::string_view::npos;
}

/// "2026-11-30T10:00:01" looks like a host and two numbers.
bool is_date(std::string_view word) {
  constexpr std::size_t kDate = 10;
  return word.size() >= kDate && is_digit(word[0]) && word[4] == '-' && word[7] == '-';
}

/// "node1:4242:4260" is a process as NCCL and UCX call it: host, PID, thread.
bool is_process(std::string_view word) {
  const auto parts = roceready::split(word, ':');
  return parts.size() == 3 && !is_date(word) && is_host_name(parts[0]) && parse_u64(parts[1]) && parse_u64(parts[2]);
}

/// "[0]": NCCL's number of the GPU, behind the process.
bool is_gpu_number(std::string_view word) {
  if (word.size() < 3 || word[0] != '[' || word.back() != ']') return false;
  word = word.substr(1, word.size() - 2);
  if (word.starts_with("-")) word.remove_prefix(1);
  return parse_u64(word).has_value();
}

/// The process that wrote a job's line, at its begin or behind what a launcher put in front; "" for another line.
std::string_view process_of_job(std::string_view line, const std::vector<std::string_view>& words) {
  constexpr std::size_t kMostInFront = 6;
  if (is_process(words[0])) return words[0];
  const bool ucx = line.find("UCX") != std::string_view::npos;
  for (std::size_t i = 0; i < std::min(words.size(), kMostInFront); ++i) {
    std::string_view word = words[i];
    if (const auto stream = word.rfind(">:"); stream != std::string_view::npos) word.remove_prefix(stream + 2);
    const bool boxed = ucx && word.starts_with("[") && word.ends_with("]") && word.size() > 2;
    if (boxed) word = word.substr(1, word.size() - 2);
    if (!boxed && (i + 1 == words.size() || !is_gpu_number(words[i + 1]))) continue;
    if (is_process(word)) return word;
  }
  return {};
}

/// "**node1**", "**Server A (10.0.0.1)**", "### Server A:".
std::string host_of_markdown(std::string_view line) {
  const auto begin = line.find_first_not_of("*# ");
  if (begin == std::string_view::npos) return {};
  std::string_view name = line.substr(begin);
  name = name.substr(0, name.find('('));
  name = name.substr(0, name.find_last_not_of("*: ") + 1);
  if (is_role(name)) return std::string(name);
  return is_host_name(name) ? short_host_name(name) : std::string();
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
  if (const auto process = process_of_job(line, words); !process.empty())
    return short_host_name(process.substr(0, process.find(':')));
  const std::size_t at = is_digit(line[0]) ? 1 : 3;
  const bool stamped = has_log_stamp(line) && line[0] != '[' && line.find(' ') != 10;
  if (!stamped || words.size() < at + 2 || !words[at + 1].ends_with(":") || !is_host_name(words[at])) return {};
  return short_host_name(words[at]);
}

std::optional<std::uint64_t> pid_of_job(std::string_view line) {
  const auto words = words_of(line.substr(0, 120));
  const std::string_view process = words.empty() ? std::string_view() : process_of_job(line, words);
  if (process.empty()) return std::nullopt;
  return parse_u64(roceready::split(process, ':')[1]);
}

std::string host_of_output(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() > 3 && words[0] == "Linux" && is_digit(words[2][0]) && is_host_name(words[1]))
    return short_host_name(words[1]);
  if (words.size() == 3 && words[0] == "Static" && words[1] == "hostname:" && is_host_name(words[2]))
    return short_host_name(words[2]);
  return {};
}

std::string host_within(const std::string& within, const std::string& host) {
  return host.empty() || within.starts_with(kPod) || is_pod_or_container(host) ? within : within + " on " + host;
}

bool is_pod_or_container(std::string_view name) {
  return name.starts_with(kPod) || name.starts_with(kContainer);
}

std::string host_of_ansible(std::string_view line) {
  const auto words = words_of(line);
  const bool heads =
      words.size() >= 5 && words[1] == "|" && words[3] == "|" && words.back() == ">>" && is_host_name(words[0]);
  return heads ? short_host_name(words[0]) : std::string();
}

std::string host_of_pssh(std::string_view line) {
  const auto words = words_of(line);
  const bool heads = words.size() >= 4 && is_gpu_number(words[0]) && words[1].find(':') != std::string_view::npos &&
                     (words[2] == "[SUCCESS]" || words[2] == "[FAILURE]");
  return heads && is_host_name(words[3]) ? short_host_name(words[3]) : std::string();
}

std::string host_of_heading(std::string_view line) {
  const auto words = words_of(line);
  if (words.empty() || words.size() > 2 || !line.starts_with(words[0])) return {};
  const std::string_view name = words[0], count = words.back();
  if (words.size() == 2 &&
      (!count.starts_with("(") || !count.ends_with(")") || !parse_u64(count.substr(1, count.size() - 2))))
    return {};
  return is_host_name(name.substr(0, name.find('['))) ? short_host_name(name) : std::string();
}

bool is_spoken_title(std::string_view line) {
  return trim(line).starts_with("On ");
}

bool is_role(std::string_view name) {
  constexpr std::string_view kRoles[] = {"server", "client", "sender", "receiver", "host", "node", "machine"};
  constexpr std::size_t kNeedNumber = 4;  // of these those behind it are hosts with a number alone
  const auto words = words_of(name);
  if (words.empty() || words.size() > 2) return false;
  const auto role = std::find(std::begin(kRoles), std::end(kRoles), lower(words[0]));
  if (role == std::end(kRoles)) return false;
  if (words.size() == 1) return role < std::begin(kRoles) + kNeedNumber;
  const std::string_view number = words[1];
  return (number.size() == 1 && std::isalpha(static_cast<unsigned char>(number[0])) != 0) ||
         (number.size() <= 3 && parse_u64(number));
}

std::string host_of_title(std::string_view line) {
  line = trim(line);
  std::string_view name;
  const bool bold = line.starts_with("**") && line.ends_with("**") && line.size() > 4;
  if (bold || line.starts_with("## ") || line.starts_with("### ")) return host_of_markdown(line);
  if (is_spoken_title(line) && line.ends_with(":")) {
    name = line.substr(3, line.size() - 4);
  } else if (line.starts_with("==") && line.ends_with("==")) {
    const auto begin = line.find_first_not_of('=');
    if (begin == std::string_view::npos) return {};
    name = trim(line.substr(begin, line.find_last_not_of('=') - begin + 1));
  }
  return is_host_name(name) ? short_host_name(name) : std::string();
}

bool is_called_like_a_host(std::string_view name) {
  constexpr std::string_view kStems[] = {"node", "host",   "gpu",    "dgx",     "hgx", "srv",  "server",
                                         "cn",   "worker", "master", "compute", "hpc", "rack", "blade"};
  constexpr std::size_t kTooShortAsEnd = 2;  // "ecn1" is no host
  if (!is_host_name(name) || std::none_of(name.begin(), name.end(), is_digit) || is_part_of_a_host(name)) return false;
  while (!name.empty()) {
    const auto end = std::min(name.find_first_of("_-."), name.size());
    std::string_view part = name.substr(0, end);
    part = part.substr(0, part.find_last_not_of("0123456789") + 1);
    if (std::any_of(std::begin(kStems), std::end(kStems), [&](std::string_view stem) {
          return part == stem || (stem.size() > kTooShortAsEnd && part.ends_with(stem));
        }))
      return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

bool is_ruler(std::string_view line) {
  return line.size() >= 8 && line.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace roceready::evidence
