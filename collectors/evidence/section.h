// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/evidence/line.h"

namespace roceready::evidence {

struct Format;

/// Whom a piece of output is about; empty where nobody said.
struct About {
  std::string netdev;      ///< "eth0"
  std::string device;      ///< RDMA device, "mlx5_0"
  std::uint32_t port = 0;  ///< 0: not told
  std::string pci;         ///< "0000:3b:00.0"
  bool operator==(const About&) const = default;
  [[nodiscard]] bool nobody() const { return netdev.empty() && device.empty() && pci.empty(); }
};

/// Lines of one output of one tool. Where a bundle holds several outputs of a command, each is a section.
struct Section {
  const Format* format = nullptr;
  std::string file;                ///< path within what was given
  std::vector<std::string> words;  ///< of the command that made it, sudo and path left out; empty: not told
  std::string host;                ///< by the prompt, the path or the log; "" not told
  About about;                     ///< by the command, the heading or the path
  std::int64_t wall_ns = 0;        ///< when it was made; 0: not told
  std::uint32_t moment = 0;        ///< t0, t1, …: 1, 2, …; 0: not told
  bool headed = false;             ///< began with its heading or its command, not in the middle
  std::vector<Line> lines;
  /// Whose time `wall_ns` is; only times of one clock are compared: "UTC", a zone of which only the name is told
  /// ("CET", "local"), "name" of a file, "file" for its time stamp, which a copy changes.
  std::string clock;
  std::string peer;              ///< the switch that it is of; "" for a node's or a nameless one's
  const Format* next = nullptr;  ///< of what stands behind it in its file; nullptr: it may have been cut at its end
};

}  // namespace roceready::evidence
