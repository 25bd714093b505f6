// SPDX-License-Identifier: Apache-2.0
#include "collectors/pci_parse.h"

#include <algorithm>

#include "core/base/text.h"

namespace roceready {
namespace {

constexpr int kMaxSteps = 48;
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kHeaderSize = 64, kExtendedStart = 0x100;

bool is_hexadecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::optional<std::uint32_t> little_endian(std::string_view bytes, std::size_t offset, std::size_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

/// Offset of a capability in the first 256 bytes, 0 where there is none.
std::size_t find_capability(std::string_view config, std::uint32_t id) {
  constexpr std::size_t kStatus = 0x06, kPointer = 0x34;
  if ((little_endian(config, kStatus, 2).value_or(0) & 0x10U) == 0) return 0;
  std::size_t at = little_endian(config, kPointer, 1).value_or(0) & 0xfcU;
  for (int step = 0; step < kMaxSteps && at >= kHeaderSize; ++step) {
    const auto entry = little_endian(config, at, 2);
    if (!entry) return 0;
    if ((*entry & 0xffU) == id) return at;
    at = *entry >> 8U & 0xfcU;
  }
  return 0;
}

std::size_t find_extended_capability(std::string_view config, std::uint32_t id) {
  std::size_t at = kExtendedStart;
  for (int step = 0; step < kMaxSteps && at >= kExtendedStart; ++step) {
    const auto entry = little_endian(config, at, 4);
    if (!entry || *entry == 0 || *entry == 0xffffffffU) return 0;
    if ((*entry & 0xffffU) == id) return at;
    at = *entry >> 20U & 0xffcU;
  }
  return 0;
}

/// 128 << code as the three-bit fields of the PCIe capability say; codes 6 and 7 are reserved.
Reading<std::uint32_t> size_of_code(std::optional<std::uint32_t> bits, unsigned shift) {
  if (!bits) return Absent{Why::Malformed, "configuration space ends within the PCIe capability"};
  const std::uint32_t code = *bits >> shift & 7U;
  if (code > 5) return Absent{Why::Malformed, "reserved size code in the PCIe capability"};
  return std::uint32_t{128} << code;
}

Reading<std::uint32_t> acs_of(std::string_view config) {
  constexpr std::uint32_t kAcs = 0x0d;
  if (config.size() <= kExtendedStart) return Absent{Why::NotPresent, "no extended configuration space"};
  const std::size_t at = find_extended_capability(config, kAcs);
  const auto control = at == 0 ? std::nullopt : little_endian(config, at + 6, 2);
  if (!control) return Absent{Why::NotPresent, "no ACS capability"};
  return *control;
}

}  // namespace

bool is_pci_address(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 3 || parts[0].size() < 4 || parts[0].size() > 8 || parts[1].size() != 2) return false;
  const std::string_view slot = parts[2];
  return is_hexadecimal(parts[0]) && is_hexadecimal(parts[1]) && slot.size() == 4 && slot[2] == '.' &&
         is_hexadecimal(slot.substr(0, 2)) && is_hexadecimal(slot.substr(3));
}

bool same_pci_slot(std::string_view a, std::string_view b) {
  return is_pci_address(a) && is_pci_address(b) && a.substr(0, a.size() - 2) == b.substr(0, b.size() - 2);
}

SysfsPlace parse_sysfs_place(std::string_view link_target) {
  SysfsPlace place;
  std::string_view before;
  for (const std::string_view part : split(link_target, '/')) {
    if (is_pci_address(part) && place.pci.size() < kMaxDepth) place.pci.emplace_back(part);
    place.is_virtual = place.is_virtual || (before == "devices" && part == "virtual");
    place.sub_function = place.sub_function || part.find(".sf.") != std::string_view::npos;
    before = part;
  }
  return place;
}

std::string base_name(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const auto slash = path.rfind('/');
  return clean_text(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

Reading<std::uint64_t> parse_pci_speed(std::string_view text) {
  text = trim(text);
  const auto number = parse_double(text.substr(0, text.find(' ')));
  if (!number || text.find("GT/s") == std::string_view::npos || !(*number > 0 && *number < 1000)) {
    return Absent{text.starts_with("Unknown") ? Why::NotPresent : Why::Malformed,
                  "link speed is \"" + clean_text(text) + "\""};
  }
  return static_cast<std::uint64_t>(*number * 1e9 + 0.5);
}

Reading<std::uint32_t> parse_pci_width(std::string_view text) {
  const auto number = parse_u64(trim(text));
  if (!number || *number > 255) return Absent{Why::Malformed, "link width is \"" + clean_text(trim(text)) + "\""};
  if (*number == 0 || *number == 255) return Absent{Why::NotPresent, "no PCIe link of its own"};
  return static_cast<std::uint32_t>(*number);
}

std::optional<std::uint64_t> parse_aer_total(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const auto blank = line.rfind(' ');
    if (line.starts_with("TOTAL_ERR_") && blank != std::string_view::npos) return parse_u64(trim(line.substr(blank)));
  }
  return std::nullopt;
}

PciConfiguration parse_pci_configuration(std::string_view config) {
  constexpr std::uint32_t kPcie = 0x10;
  PciConfiguration out;
  const auto all_absent = [&](const Absent& why) {
    out.max_read_request_bytes = out.max_payload_bytes = out.max_payload_supported_bytes = out.acs_control = why;
    out.relaxed_ordering = why;
    return out;
  };
  if (config.size() < kHeaderSize)
    return all_absent({Why::Malformed, "configuration space is shorter than its header"});
  if (config.size() == kHeaderSize) {
    return all_absent({Why::Denied, "PCI configuration space past byte 64 needs CAP_SYS_ADMIN"});
  }
  if (little_endian(config, 0, 2) == 0xffffU)
    return all_absent({Why::Malformed, "the device does not answer (all ones)"});
  const std::size_t pcie = find_capability(config, kPcie);
  if (pcie == 0) return all_absent({Why::NotPresent, "no PCIe capability"});
  out.max_payload_supported_bytes = size_of_code(little_endian(config, pcie + 4, 2), 0);
  out.max_payload_bytes = size_of_code(little_endian(config, pcie + 8, 2), 5);
  out.max_read_request_bytes = size_of_code(little_endian(config, pcie + 8, 2), 12);
  const auto control = little_endian(config, pcie + 8, 2);
  if (control)
    out.relaxed_ordering = (*control & 0x10U) != 0;
  else
    out.relaxed_ordering = Absent{Why::Malformed, "configuration space ends within the PCIe capability"};
  out.acs_control = acs_of(config);
  return out;
}

}  // namespace roceready
