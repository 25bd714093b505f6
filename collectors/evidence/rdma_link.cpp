// SPDX-License-Identifier: Apache-2.0
// rdma link: "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0", "1/1: mlx5_0/1: state …" in old versions.
// rdma dev:  "0: mlx5_0: node_type ca protocol roce fw 20.31.1014 node_guid …".
#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool is_object(const std::string& word, std::string_view name) {
  return word.size() >= 3 && name.starts_with(word);
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "rdma") return false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("-")) continue;
    if (!is_object(words[i], "link") && !is_object(words[i], "dev")) return false;
    const auto owner = i + 1 < words.size() ? device_port(words.back()) : std::nullopt;
    if (owner && words.back() != "show") about.device = owner->first, about.port = owner->second;
    return true;
  }
  return false;
}

std::string_view without_colon(std::string_view word) {
  return word.ends_with(":") ? word.substr(0, word.size() - 1) : word;
}

/// Position behind "link mlx5_0/1" or "1/1: mlx5_0/1:", and whose line it is; 0: neither.
std::size_t link_heading(const std::vector<std::string_view>& words, std::pair<std::string, std::uint32_t>& owner) {
  if (words.size() < 4) return 0;
  const bool old = words[0].ends_with(":") && words[0].find('/') != std::string_view::npos && words[1].ends_with(":");
  if (words[0] != "link" && !old) return 0;
  const std::string_view name = old ? without_colon(words[1]) : words[1];
  const auto found = name.find('/') == std::string_view::npos ? std::nullopt : device_port(name);
  if (!found || (words[2] != "state" && words[2] != "subnet_prefix" && words[2] != "physical_state")) return 0;
  owner = *found;
  return 2;
}

bool is_device_line(const std::vector<std::string_view>& words) {
  return words.size() >= 4 && words[0].ends_with(":") && parse_u64(without_colon(words[0])) &&
         words[1].ends_with(":") && is_device_name(without_colon(words[1])) && words[2] == "node_type";
}

Fit fit(std::string_view line, About&) {
  if (line.empty() || !(line[0] == 'l' || line[0] == ' ' || line[0] == '\t' || (line[0] >= '0' && line[0] <= '9')))
    return Fit::No;
  constexpr std::size_t kLook = 100;
  if (line.substr(0, kLook).find("state") == std::string_view::npos &&
      line.substr(0, kLook).find("node_type") == std::string_view::npos &&
      line.substr(0, kLook).find("subnet_prefix") == std::string_view::npos)
    return line.starts_with("    caps:") || line.starts_with("\tcaps:") ? Fit::Possible : Fit::No;
  const auto words = words_of(line);
  std::pair<std::string, std::uint32_t> owner;
  return link_heading(words, owner) > 0 || is_device_line(words) ? Fit::Certain : Fit::No;
}

void read_link(const std::vector<std::string_view>& words, std::size_t from, RdmaPort& port) {
  bool state = false, netdev = false;
  for (std::size_t i = from; i + 1 < words.size(); i += 2) {
    const std::string_view name = words[i], value = words[i + 1];
    if (name == "state") {
      const auto word = port_state_word(value);
      port.state = word ? Reading<std::string>(*word) : Absent{Why::Malformed, std::string(value)};
      state = true;
    } else if (name == "physical_state") {
      const auto word = physical_state_word(value);
      port.physical_state = word ? Reading<std::string>(*word) : Absent{Why::Malformed, std::string(value)};
    } else if (name == "netdev") {
      port.netdev = std::string(value);
      netdev = true;
    }
  }
  const bool whole = words.size() % 2 == from % 2;  // names and values pair up: nothing is cut off
  if (state && !netdev && whole)
    port.netdev = Absent{Why::OtherNamespace,
                         "rdma link names no netdev: it is in another network namespace, or there "
                         "is none"};
}

/// The device's facts stand in each of its ports.
void read_device(const std::vector<std::string_view>& words, Draft& draft) {
  const std::string device(without_colon(words[1]));
  draft.port(device, 1);
  for (RdmaPort& port : draft.snapshot().ports) {
    if (port.device != device) continue;
    static_cast<void>(named_port(draft, device, port.port));
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
      if (words[i] == "fw") port.firmware = std::string(words[i + 1]);
      if (words[i] == "protocol") port.protocol = std::string(words[i + 1]);
      if (words[i] == "node_type" && words[i + 1] == "rnic") port.protocol = std::string("iw");
    }
  }
}

void parse(const Section& section, Draft& draft) {
  for (const Line& line : section.lines) {
    const auto words = words_of(line.text);
    if (words.empty()) continue;
    std::pair<std::string, std::uint32_t> owner;
    if (const std::size_t from = link_heading(words, owner)) {
      read_link(words, from, named_port(draft, owner.first, owner.second));
      const std::string name = owner.first + "/" + std::to_string(owner.second);
      draft.cite("RDMA port " + name, section, line.number);
      draft.cite("RDMA netlink " + name, section, line.number);
    } else if (is_device_line(words)) {
      read_device(words, draft);
    } else if (!words[0].starts_with("caps")) {
      draft.unread(section, line);
    }
  }
}

}  // namespace

extern const Format kRdmaLink;
constinit const Format kRdmaLink{"rdma link", "rdma link; rdma dev", false, made_by, fit, parse};

}  // namespace roceready::evidence
