// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace roceready::daemon {

enum class Level { Error, Warning, Info, Debug };

struct LogField {
  const char* name;
  std::string value;
};

/// One line on stderr: time, level, message, then key=value fields (quoted where they hold blanks). Any thread.
void log(Level level, std::string_view message, std::initializer_list<LogField> fields = {});
/// error, warning, info, debug; another word leaves the level as it is.
void set_log_level(const std::string& name);
/// `key=value key="two words"`.
[[nodiscard]] std::string log_line(std::string_view message, std::initializer_list<LogField> fields);

}  // namespace roceready::daemon
