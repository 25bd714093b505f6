// SPDX-License-Identifier: Apache-2.0
// /proc/net/dev: recognised. Its counters are those of the kernel's network stack, in which RDMA does not show.
#include <algorithm>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About&) {
  return words[0] == "cat" && words.size() > 1 && words[1] == "/proc/net/dev";
}

Fit fit(std::string_view line, About&) {
  const std::string_view text = trim(line);
  if (text.starts_with("Inter-|")) return Fit::Begins;
  if (text.starts_with("face |bytes")) return Fit::Certain;
  // "eth0: 16 numbers"; a long count may touch the colon.
  constexpr std::size_t kColumns = 16;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || !is_netdev_name(text.substr(0, colon))) return Fit::No;
  const auto columns = words_of(text.substr(colon + 1));
  const bool numbers = columns.size() == kColumns &&
                       std::all_of(columns.begin(), columns.end(), [](std::string_view one) { return parse_u64(one); });
  return numbers ? Fit::Certain : Fit::No;
}

void parse(const Section&, Draft&) {}

}  // namespace

extern const Format kProcNetDev;
constinit const Format kProcNetDev{"/proc/net/dev", "cat /proc/net/dev", false, made_by, fit, parse};

}  // namespace roceready::evidence
