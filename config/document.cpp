// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "config/settings.h"
#include "config/value.h"
#include "core/base/text.h"

namespace roceready::config {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

<!-- Generated from the option table in config/options.cpp; edit that. A test compares the two. -->

`/etc/roceready/roceready.yaml`, or the file named by `--config`. Every key is optional: roceready runs with no file at
all. Keys may be nested or dotted: `sampling: {interval: 2s}` and `sampling.interval: 2s` say the same.

- `roceready check-config FILE` lists every problem of a file at once, with its line.
- `roceready print-config` shows every value in effect and where it came from; its output is a valid configuration.
- `SIGHUP` reads the file again. A file with any problem is not used in part: the old configuration stays.

Durations are `200ms`, `2s`, `5m`, `24h`; a bare number is refused. Shares are numbers from 0 to 1, not percent. Text in
brackets, such as an IPv6 address, needs quotes. Aliases, tags, a second document, a key set twice and files larger than
1 MiB are refused.

Limits of rules are set as `rules.<rule>.<limit>`, for example `rules.pfc-storm-rx.storm_share: 0.95`; `roceready explain
<rule>` and [the rules](rules/) list them. A changed limit is shown in every report.
)";

/// A pipe would end the table cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string coded(const std::string& text) {
  return text.empty() ? "(empty)" : "`" + text + "`";
}

}  // namespace

std::string document(const std::vector<Option>& options) {
  std::string out(kIntroduction);
  std::string section = "?";
  for (const Option& option : options) {
    const auto dot = option.key.find('.');
    const std::string present = dot == std::string::npos ? "" : option.key.substr(0, dot);
    if (present != section) {
      section = present;
      out += "\n## " + (section.empty() ? std::string("Top level") : section) + "\n\n";
      out += "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n";
    }
    out += "| `" + option.key + "` | " + cell(type_text(option)) + " | " +
           cell(option.optional ? "the profile's" : coded(option.default_value)) + " | " + cell(range_text(option)) +
           " | " + cell(option.help) + " |\n";
  }
  return out;
}

}  // namespace roceready::config
