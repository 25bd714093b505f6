// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/snapshot/log.h"

namespace roceready::rules_test {

/// A fact of a log line, as the parsers leave it.
inline LogFact log_line(const std::string& kind, const std::string& subject, const std::string& text,
                        std::map<std::string, std::string> says = {}) {
  return {kind, subject, text, "sent.log:17", 1, std::move(says)};
}

}  // namespace roceready::rules_test
