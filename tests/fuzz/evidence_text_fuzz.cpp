// SPDX-License-Identifier: Apache-2.0
// A file that somebody sent, through everything: lines, outputs, parsers, hosts.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collectors/evidence/bundle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roceready::evidence;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A NUL parts the name from the text, and two files.
  const auto name_end = text.find('\0');
  const std::string_view name = name_end == std::string_view::npos ? "file.txt" : text.substr(0, name_end);
  std::string_view rest = name_end == std::string_view::npos ? text : text.substr(name_end + 1);
  Bundle bundle;
  const auto half = rest.find('\0');
  bundle.add(name, rest.substr(0, half), 0);
  if (half != std::string_view::npos) bundle.add("t1_second.txt", rest.substr(half + 1), 0);
  static_cast<void>(bundle.finish({.interval_ns = 1'000'000'000, .device = ""}));
  return 0;
}
