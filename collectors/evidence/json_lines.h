// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "collectors/evidence/json_text.h"
#include "collectors/evidence/line.h"

namespace roceready::evidence {

/// The lines that the tool prints without -j of what an object of its JSON says: ip link and address, rdma link, dev,
/// statistic and resource, ethtool -S --groups. Each has the number of the line that its fact stands on. Empty where
/// the object is of none of these. What an object that may be cut or filtered does not say, the lines do not, either.
[[nodiscard]] std::vector<Line> plain_lines(const JsonValue& object);

/// Takes JSON out of a text, line by line, so that the formats of the plain outputs read it.
/// Limits: of an object at most kMostLines lines and kMostBytes; a larger one is left as it stands.
class JsonLines {
 public:
  static constexpr std::size_t kMostLines = 4096, kMostBytes = std::size_t{256} << 10;

  /// Whether a line begins an output of JSON or goes on with one.
  [[nodiscard]] bool goes_on(std::string_view line) const;
  /// Takes a line that goes on. What comes out are plain lines, or lines as they stood where they tell nothing of ours.
  [[nodiscard]] std::vector<Line> take(Line line);
  /// The text ends, or goes on with something else.
  [[nodiscard]] std::vector<Line> end();
  [[nodiscard]] bool waits() const { return !kept_.empty(); }

 private:
  [[nodiscard]] std::vector<Line> release(std::vector<JsonValue> objects);

  JsonReader reader_;
  std::vector<Line> kept_;  ///< not yet come out
  std::size_t bytes_ = 0;
  bool ours_ = false;  ///< an object of the output was of ours: the brackets around it are no strange lines
};

}  // namespace roceready::evidence
