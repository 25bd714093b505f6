// SPDX-License-Identifier: Apache-2.0
// ibstat: "CA 'mlx5_0'", "Firmware version: …", "Port 1:", "State: Active"… ibstatus: "Infiniband device 'mlx5_0' port
// 1 status:", "state: 4: ACTIVE", "phys state: 5: LinkUp", "link_layer: Ethernet".
#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "ibstat" && words[0] != "ibstatus") return false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!is_usual_device_name(words[i].substr(0, words[i].find(':')))) continue;
    if (const auto owner = device_port(words[i])) about.device = owner->first;
  }
  return true;
}

/// The name between the first two apostrophes.
std::string quoted(std::string_view text) {
  const auto begin = text.find('\'');
  const auto end = begin == std::string_view::npos ? begin : text.find('\'', begin + 1);
  if (end == std::string_view::npos) return {};
  const std::string_view name = text.substr(begin + 1, end - begin - 1);
  return is_device_name(name) ? std::string(name) : std::string();
}

bool heading(std::string_view line, About& about) {
  line = trim(line);
  if (!line.starts_with("CA '") && !line.starts_with("Infiniband device '")) return false;
  about.device = quoted(line);
  const auto port = line.find(" port ");
  if (port != std::string_view::npos) {
    const std::string_view rest = line.substr(port + 6);
    const auto number = parse_u64(rest.substr(0, rest.find(' ')));
    if (number && *number > 0 && *number < 256) about.port = static_cast<std::uint32_t>(*number);
  }
  return !about.device.empty();
}

/// "Port 1:".
std::optional<std::uint32_t> port_heading(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("Port ") || !line.ends_with(":")) return std::nullopt;
  const auto number = parse_u64(line.substr(5, line.size() - 6));
  return number && *number > 0 && *number < 256 ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

/// Halves at the first colon: a value may hold one ("state: 4: ACTIVE").
std::optional<KeyValue> pair_of(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return KeyValue{trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
}

bool is_name(std::string_view key) {
  for (const std::string_view name : {"CA type",
                                      "Number of ports",
                                      "Firmware version",
                                      "Hardware version",
                                      "Node GUID",
                                      "System image GUID",
                                      "State",
                                      "Physical state",
                                      "Rate",
                                      "Base lid",
                                      "LMC",
                                      "SM lid",
                                      "Capability mask",
                                      "Port GUID",
                                      "Link layer",
                                      "default gid",
                                      "base lid",
                                      "sm lid",
                                      "state",
                                      "phys state",
                                      "rate",
                                      "link_layer"}) {
    if (key == name) return true;
  }
  return false;
}

Fit fit(std::string_view line, About& about) {
  constexpr std::size_t kLongest = 160;
  if (line.empty() || line.size() > kLongest) return Fit::No;
  if (heading(line, about)) return Fit::Begins;
  if (port_heading(line)) return Fit::Possible;
  const auto pair = pair_of(line);
  if (!pair || !is_name(pair->key)) return Fit::No;
  if (pair->key == "Physical state" || pair->key == "phys state" || pair->key == "Link layer") return Fit::Certain;
  if (pair->key == "state") return pair->value.find(": ") != std::string_view::npos ? Fit::Certain : Fit::Possible;
  return Fit::Possible;
}

void parse(const Section& section, Draft& draft) {
  About about = section.about;
  std::string firmware;
  for (const Line& line : section.lines) {
    if (trim(line.text).empty()) continue;
    About named;
    if (heading(line.text, named)) {
      about.device = named.device;
      about.port = named.port;
      firmware.clear();
      static_cast<void>(named_port(draft, about.device, about.port));
      continue;
    }
    if (const auto number = port_heading(line.text)) {
      about.port = *number;
      if (!firmware.empty()) named_port(draft, about.device, about.port).firmware = firmware;
      continue;
    }
    const auto pair = pair_of(line.text);
    if (!pair || !is_name(pair->key)) {
      draft.unread(section, line);
      continue;
    }
    RdmaPort& port = named_port(draft, about.device, about.port);
    const std::string owner = about.device + "/" + std::to_string(port.port);
    draft.cite("RDMA port " + owner, section, line.number);
    const std::string name = lower(pair->key);
    if (name == "firmware version") {
      firmware = pair->value;
      port.firmware = firmware;
    } else if (name == "state") {
      const auto word = port_state_word(pair->value);
      port.state = word ? Reading<std::string>(*word) : Absent{Why::Malformed, std::string(pair->value)};
    } else if (name == "physical state" || name == "phys state") {
      const auto word = physical_state_word(pair->value);
      port.physical_state = word ? Reading<std::string>(*word) : Absent{Why::Malformed, std::string(pair->value)};
    } else if ((name == "link layer" || name == "link_layer") &&
               (pair->value == "Ethernet" || pair->value == "InfiniBand")) {
      port.link_layer = std::string(pair->value);
      if (!port.protocol && pair->value == "InfiniBand") port.protocol = std::string("ib");
      draft.cite("link_layer of " + owner, section, line.number);
    }
  }
}

}  // namespace

extern const Format kIbstat;
constinit const Format kIbstat{"ibstat", "ibstat", false, made_by, fit, parse};

}  // namespace roceready::evidence
