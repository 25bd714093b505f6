// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "collectors/attributes.h"
#include "core/host/host.h"
#include "core/snapshot/ethtool.h"

namespace roceready {

/// Form factor and layout of a module's EEPROM, by its first byte (SFF-8024).
enum class ModuleLayout { Unknown, Sfp, Qsfp, Cmis };
[[nodiscard]] ModuleLayout module_layout(std::byte identifier);
/// "QSFP28"; "" for an unknown one.
[[nodiscard]] const char* module_form(std::byte identifier);

/// The first bytes of every module: identifier, revision, status.
inline constexpr ModulePart kModuleHead{0x50, 0, 0, 3};

/// What else to read of a module with this head. Never the bytes that hold latched flags: reading clears those for
/// everybody else (SFF-8636, CMIS).
[[nodiscard]] std::vector<ModulePart> module_parts(ByteSpan head);

/// What the parts say that could be read; `head` among them. Parts that are missing or short make single facts absent.
[[nodiscard]] ModuleFacts parse_module(const std::map<ModulePart, Bytes>& parts);

}  // namespace roceready
