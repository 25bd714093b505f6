// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/host/host.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// Files of this machine that set QoS of a NIC when it starts or a link comes up: units, udev rules, dispatcher scripts
/// and lldpad's configuration, recognised by a tool or word of that trade in them. Empty: none was found where such
/// files usually are; a container or a script that only another one names is not seen.
/// Drop-ins of units count; this program's own unit does not. Limits: 128 files, 64 KiB each. Where nothing was found:
/// Denied if a folder or file could not be read, Filtered if files were left out by the limit.
[[nodiscard]] Reading<std::vector<std::string>> read_qos_setters(Files& files);

/// The first word of a file's text that speaks of QoS of a NIC ("mlnx_qos"), outside of comments; "" for none. Pure.
[[nodiscard]] std::string_view qos_word(std::string_view text);

}  // namespace roceready
