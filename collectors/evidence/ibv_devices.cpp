// SPDX-License-Identifier: Apache-2.0
// ibv_devices: a table "device / node GUID". ibdev2netdev: "mlx5_0 port 1 ==> eth0 (Up)", with -v the PCI address and
// the firmware in front and the RDMA port's state: "… fw 28.39.1002 port 1 (DOWN  ) ==> eth0 (Down)".
#include <optional>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool made_by_devices(std::span<const std::string> words, About&) {
  return words[0] == "ibv_devices";
}

bool is_guid(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_table_head(const std::vector<std::string_view>& words) {
  return (words.size() == 3 && words[0] == "device" && words[1] == "node" && words[2] == "GUID") ||
         (words.size() == 2 && words[0] == "------" && words[1].starts_with("------"));
}

Fit fit_devices(std::string_view line, About&) {
  constexpr std::size_t kLongest = 100;
  if (line.size() > kLongest) return Fit::No;
  const auto words = words_of(line);
  if (words.empty() || words.size() > 3) return Fit::No;
  if (is_table_head(words)) return Fit::Certain;
  const bool device = is_usual_device_name(words[0]) && (words.size() == 1 || (words.size() == 2 && is_guid(words[1])));
  return device ? Fit::Certain : Fit::No;
}

void parse_devices(const Section& section, Draft& draft) {
  for (const Line& line : section.lines) {
    const auto words = words_of(line.text);
    if (words.empty() || is_table_head(words)) continue;
    if (is_device_name(words[0]))
      static_cast<void>(named_port(draft, std::string(words[0]), 1));
    else
      draft.unread(section, line);
  }
}

bool made_by_netdevs(std::span<const std::string> words, About&) {
  return words[0] == "ibdev2netdev";
}

Fit fit_netdevs(std::string_view line, About&) {
  constexpr std::size_t kLongest = 300;
  if (line.size() > kLongest) return Fit::No;
  return line.find(" port ") != std::string_view::npos && line.find("==>") != std::string_view::npos ? Fit::Certain
                                                                                                     : Fit::No;
}

/// "ACTIVE" of "port 1 (ACTIVE) ==>" and "DOWN" of "port 1 (DOWN  ) ==>"; `at` is behind the port's number.
std::optional<std::string> state_in_brackets(const std::vector<std::string_view>& words, std::size_t at,
                                             std::size_t arrow) {
  if (at >= arrow || !words[at].starts_with("(")) return std::nullopt;
  std::string_view word = words[at].substr(1);
  return port_state_word(word.substr(0, word.find(')')));
}

void parse_netdevs(const Section& section, Draft& draft) {
  for (const Line& line : section.lines) {
    const auto words = words_of(line.text);
    if (words.empty()) continue;
    std::size_t port = 0, arrow = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "port" && port == 0) port = i;
      if (words[i] == "==>") arrow = i;
    }
    const auto address = pci_address(words[0]);
    const std::string_view device = address && words.size() > 1 ? words[1] : words[0];
    const auto number = port > 0 && port + 1 < words.size() ? parse_u64(words[port + 1]) : std::nullopt;
    if (!number || *number == 0 || *number > 255 || !is_device_name(device)) {
      draft.unread(section, line);
      continue;
    }
    RdmaPort& at = named_port(draft, std::string(device), static_cast<std::uint32_t>(*number));
    if (address) at.pci_address = *address;
    if (const auto state = state_in_brackets(words, port + 2, arrow)) at.state = *state;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "fw") at.firmware = std::string(words[i + 1]);
    }
    if (arrow == 0 || arrow + 1 >= words.size() || !is_netdev_name(words[arrow + 1])) continue;
    const std::string name(words[arrow + 1]);
    at.netdev = name;
    Netdev& netdev = draft.netdev(name);
    if (address) netdev.link.parent_device = *address;
    const std::string state = arrow + 2 < words.size() ? lower(words[arrow + 2]) : "";
    if (!netdev.link.oper_state && (state == "(up)" || state == "(down)"))
      netdev.link.oper_state = std::string(state == "(up)" ? "up" : "down");
    draft.cite("rtnetlink " + name, section, line.number);
    draft.cite("RDMA port " + std::string(device) + "/" + std::to_string(*number), section, line.number);
  }
}

}  // namespace

extern const Format kIbvDevices;
constinit const Format kIbvDevices{"ibv_devices", "ibv_devices", false, made_by_devices, fit_devices, parse_devices};
extern const Format kIbdev2netdev;
constinit const Format kIbdev2netdev{"ibdev2netdev",  "ibdev2netdev -v", false,
                                     made_by_netdevs, fit_netdevs,       parse_netdevs};

}  // namespace roceready::evidence
