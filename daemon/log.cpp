// SPDX-License-Identifier: Apache-2.0
#include "daemon/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "core/base/text.h"

namespace roceready::daemon {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("roceready", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::Error:
      return spdlog::level::err;
    case Level::Warning:
      return spdlog::level::warn;
    case Level::Info:
      return spdlog::level::info;
    case Level::Debug:
      return spdlog::level::debug;
  }
  return spdlog::level::info;
}

}  // namespace

std::string log_line(std::string_view message, std::initializer_list<LogField> fields) {
  std::string out = clean_text(message);
  for (const LogField& field : fields) {
    const std::string value = clean_text(field.value);
    out += " " + std::string(field.name) + "=";
    if (!value.empty() && value.find_first_of(" \"=") == std::string::npos) {
      out += value;
      continue;
    }
    out += '"';
    for (const char c : value) {
      if (c == '"') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out;
}

void log(Level level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!logger().should_log(level_of(level))) return;
  logger().log(level_of(level), "{}", log_line(message, fields));
}

void set_log_level(const std::string& name) {
  if (name == "error") logger().set_level(spdlog::level::err);
  if (name == "warning") logger().set_level(spdlog::level::warn);
  if (name == "info") logger().set_level(spdlog::level::info);
  if (name == "debug") logger().set_level(spdlog::level::debug);
}

}  // namespace roceready::daemon
