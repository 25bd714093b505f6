// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma_parse.h"

#include <arpa/inet.h>
#include <algorithm>
#include <array>

#include "collectors/uapi.h"
#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::uint32_t kMaxPorts = 255;
constexpr std::size_t kMaxCounters = 4096;

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

const char* port_state_word(std::uint8_t state) {
  constexpr std::array kWords{"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
  return state < kWords.size() ? kWords[state] : nullptr;
}

const char* physical_state_word(std::uint8_t state) {
  constexpr std::array kWords{"<unknown>", "Sleep",  "Polling",           "Disabled",
                              "Training",  "LinkUp", "LinkErrorRecovery", "Phy Test"};
  return state < kWords.size() ? kWords[state] : nullptr;
}

Reading<std::string> word(std::optional<std::uint8_t> value, const char* (*table)(std::uint8_t), const char* what) {
  if (!value) return Absent{Why::NotPresent, std::string("the kernel gave no ") + what};
  if (const char* text = table(*value)) return std::string(text);
  return Absent{Why::Malformed, std::string(what) + " " + std::to_string(*value) + " is not known"};
}

std::string ipv6_text(const std::byte* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, address, text.data(), text.size()) == nullptr ? std::string() : std::string(text.data());
}

Reading<std::uint32_t> mtu_bytes(std::optional<std::uint32_t> code) {
  if (!code) return Absent{Why::Malformed, "port attributes are too short"};
  if (*code < 1 || *code > 5) return Absent{Why::Malformed, "MTU code " + std::to_string(*code) + " is not 1 to 5"};
  return std::uint32_t{128} << *code;
}

}  // namespace

Result<RdmaDevice> parse_rdma_device(ByteSpan attributes) {
  const auto name = find_text(attributes, uapi::kNldevAttrDevName);
  if (!name || !is_file_name(*name))
    return Error{ErrorCode::Malformed, "an RDMA device without usable name", "RDMA dump"};
  RdmaDevice out;
  out.name = *name;
  out.ports = std::min(find_number<std::uint32_t>(attributes, uapi::kNldevAttrPortIndex).value_or(1), kMaxPorts);
  out.firmware = Absent{Why::NotPresent, "the driver names no firmware"};
  if (auto firmware = find_text(attributes, uapi::kNldevAttrFwVersion); firmware && !firmware->empty()) {
    out.firmware = std::move(*firmware);
  }
  out.protocol = Absent{Why::NotPresent, "the kernel names no protocol"};
  if (auto protocol = find_text(attributes, uapi::kNldevAttrDevProtocol)) out.protocol = std::move(*protocol);
  out.node_type = find_number<std::uint8_t>(attributes, uapi::kNldevAttrDevNodeType);
  return out;
}

Result<RdmaPortState> parse_rdma_port(ByteSpan attributes) {
  if (!well_formed(attributes) || !find_attribute(attributes, uapi::kNldevAttrPortState) ||
      !find_attribute(attributes, uapi::kNldevAttrPortPhysState)) {
    return Error{ErrorCode::Malformed, "the answer about the RDMA port is cut or holds no state", ""};
  }
  RdmaPortState out;
  out.state = word(find_number<std::uint8_t>(attributes, uapi::kNldevAttrPortState), port_state_word, "port state");
  out.physical_state =
      word(find_number<std::uint8_t>(attributes, uapi::kNldevAttrPortPhysState), physical_state_word, "physical state");
  out.netdev = find_text(attributes, uapi::kNldevAttrNdevName).value_or("");
  return out;
}

std::string word_behind_number(std::string_view text) {
  const auto colon = text.find(':');
  return clean_text(trim(colon == std::string_view::npos ? text : text.substr(colon + 1)));
}

Result<std::vector<RdmaCounter>> parse_rdma_counters(ByteSpan attributes) {
  const auto nest = find_attribute(attributes, uapi::kNldevAttrStatHwCounters);
  if (!nest) return Error{ErrorCode::Malformed, "the answer holds no counters", ""};
  std::vector<RdmaCounter> out;
  for (Attributes at(nest->payload); at.next() && out.size() < kMaxCounters;) {
    const ByteSpan entry = at.current().payload;
    const auto name = find_attribute(entry, uapi::kNldevAttrStatHwCounterEntryName);
    const auto value = find_number<std::uint64_t>(entry, uapi::kNldevAttrStatHwCounterEntryValue);
    if (at.current().type == uapi::kNldevAttrStatHwCounterEntry && name && value) {
      out.push_back({text_of(name->payload), *value});
    }
  }
  return out;
}

std::vector<RawGid> parse_gid_table(ByteSpan entries, std::uint32_t port) {
  constexpr std::array kTypes{"IB", "RoCE v1", "RoCE v2"};
  std::vector<RawGid> out;
  for (; entries.size() >= uapi::kGidEntrySize; entries = entries.subspan(uapi::kGidEntrySize)) {
    const std::uint32_t type = number_at<std::uint32_t>(entries, uapi::kGidEntryType).value_or(0);
    if (number_at<std::uint32_t>(entries, uapi::kGidEntryPort) != port || type >= kTypes.size()) continue;
    RawGid gid;
    gid.entry.index = number_at<std::uint32_t>(entries, uapi::kGidEntryIndex).value_or(0);
    gid.entry.gid = ipv6_text(entries.data() + uapi::kGidEntryGid);
    gid.entry.type = kTypes[type];
    gid.netdev_index = number_at<std::uint32_t>(entries, uapi::kGidEntryIfIndex).value_or(0);
    out.push_back(std::move(gid));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const RawGid& a, const RawGid& b) { return a.entry.index < b.entry.index; });
  return out;
}

std::optional<std::string> gid_from_sysfs(std::string_view text) {
  std::array<std::byte, 16> address{};
  const std::string trimmed(trim(text));
  if (inet_pton(AF_INET6, trimmed.c_str(), address.data()) != 1) return std::nullopt;
  if (std::all_of(address.begin(), address.end(), [](std::byte b) { return b == std::byte{0}; })) return std::nullopt;
  return ipv6_text(address.data());
}

std::string gid_type_from_sysfs(std::string_view text) {
  const std::string_view word = trim(text);
  return word == "IB/RoCE v1" ? std::string("RoCE v1") : clean_text(word);
}

VerbsMtu parse_port_attributes(ByteSpan bytes) {
  return {mtu_bytes(number_at<std::uint32_t>(bytes, 8)), mtu_bytes(number_at<std::uint32_t>(bytes, 4))};
}

}  // namespace roceready
