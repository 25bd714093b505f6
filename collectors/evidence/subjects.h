// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collectors/evidence/section.h"

namespace roceready::evidence {

/// What a netdev, an RDMA device and a PCI function are called that no file names: as in a command to be filled in.
inline constexpr const char* kNamelessNetdev = "NETDEV";
inline constexpr const char* kNamelessDevice = "DEVICE";
inline constexpr const char* kNamelessFunction = "PCI";

/// What the netdev of a device is called that no file pairs with one.
[[nodiscard]] std::string nameless_netdev_of(const std::string& device);

/// A host of which the files hold counters of a switch alone is a switch: its outputs tell of the peer of the nodes,
/// and are no node's own. They lose their host and keep its name as their peer's.
void set_switches_apart(std::vector<Section>& sections);

/// Gives every section of a host a subject: the only netdev, RDMA device and function that the files name, else the
/// nameless ones. `device` is what the person said. What was assumed becomes a sentence in `assumptions`.
void name_the_nameless(std::vector<Section>& sections, const std::string& device,
                       std::vector<std::string>& assumptions);

}  // namespace roceready::evidence
