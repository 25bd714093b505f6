// SPDX-License-Identifier: Apache-2.0
// rdma resource: "2: mlx5_2: pd 4 cq 4 qp 1 cm_id 1 mr 2 ctx 1 srq 2". rdma resource show qp, cm_id, mr, …: "link
// mlx5_0/1 lqpn 212 type RC state RTS … pid 4711 comm ib_write_bw", "dev mlx5_0 mrn 3 … pid 4711 comm ib_write_bw".
// rdma system: "netns shared copy-on-fork on".
#include <algorithm>
#include <iterator>
#include <optional>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/processes.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About&) {
  if (words[0] != "rdma") return false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("-")) continue;
    return (word.size() >= 3 && std::string_view("resource").starts_with(word)) ||
           (word.size() >= 3 && std::string_view("system").starts_with(word));
  }
  return false;
}

bool is_resource(std::string_view word) {
  for (const std::string_view name : {"pd", "cq", "qp", "cm_id", "mr", "ctx", "srq"}) {
    if (word == name) return true;
  }
  return false;
}

/// "2: mlx5_2: pd 4 …": the device, "" where the line is another.
std::string device_of(const std::vector<std::string_view>& words) {
  if (words.size() < 4 || !words[0].ends_with(":") || !words[1].ends_with(":")) return {};
  const std::string_view name = words[1].substr(0, words[1].size() - 1);
  if (!parse_u64(words[0].substr(0, words[0].size() - 1)) || !is_device_name(name)) return {};
  return is_resource(words[2]) ? std::string(name) : std::string();
}

bool is_system(const std::vector<std::string_view>& words) {
  return words.size() >= 2 && words[0] == "netns" && (words[1] == "shared" || words[1] == "exclusive");
}

/// One object of a port or a device.
bool is_object(const std::vector<std::string_view>& words) {
  constexpr std::string_view kNumbers[] = {"lqpn", "cm_idn", "cqn", "mrn", "pdn", "ctxn", "srqn"};
  return words.size() >= 4 && (words[0] == "link" || words[0] == "dev") && device_port(words[1]) &&
         std::find(std::begin(kNumbers), std::end(kNumbers), words[2]) != std::end(kNumbers);
}

/// The kernel's own objects have no PID.
void take_object(const std::vector<std::string_view>& words, Draft& draft) {
  const auto owner = device_port(words[1]);
  if (owner && words[0] == "link") named_port(draft, owner->first, owner->second);
  std::optional<std::uint64_t> pid;
  std::string_view program;
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    if (words[i] == "pid") pid = parse_u64(words[i + 1]);
    if (words[i] == "comm") program = words[i + 1];
  }
  if (pid) tell_process(draft, *pid, program, true);
}

Fit fit(std::string_view line, About&) {
  if (line.empty() ||
      !((line[0] >= '0' && line[0] <= '9') || line[0] == 'n' || line[0] == ' ' || line[0] == 'l' || line[0] == 'd'))
    return Fit::No;
  constexpr std::size_t kLongest = 300;
  if (line.size() > kLongest) return Fit::No;
  const auto words = words_of(line);
  return !device_of(words).empty() || is_system(words) || is_object(words) ? Fit::Certain : Fit::No;
}

void parse(const Section& section, Draft& draft) {
  for (const Line& line : section.lines) {
    const auto words = words_of(line.text);
    if (words.empty() || is_system(words)) continue;
    if (is_object(words)) {
      take_object(words, draft);
      continue;
    }
    const std::string device = device_of(words);
    if (device.empty()) {
      draft.unread(section, line);
      continue;
    }
    draft.port(device, 1);
    LogFact fact{.kind = "resource_usage",
                 .subject = device,
                 .text = line.text.substr(0, 300),
                 .place = place_text(section, line.number),
                 .count = 1,
                 .says = {}};
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
      if (is_resource(words[i]) && parse_u64(words[i + 1]))
        fact.says[std::string(words[i])] = std::string(words[i + 1]);
    }
    draft.log(std::move(fact));
  }
}

}  // namespace

extern const Format kRdmaResource;
constinit const Format kRdmaResource{"rdma resource", "rdma resource show", false, made_by, fit, parse};

}  // namespace roceready::evidence
