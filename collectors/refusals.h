// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/base/time.h"

namespace roceready {

/// Remembers questions that the machine refused, so that a driver is not asked each second what it cannot do.
/// Not remembered: NotFound (things come and go), Changed, and what the user caused.
class Refusals {
 public:
  explicit Refusals(std::int64_t retry_ns) : retry_ns_(retry_ns) {}

  /// The answer, or the refusal: a fresh one, or the remembered one with the time since when.
  template <class Ask>
  auto ask(const std::string& question, const Instant& now, Ask&& ask_it) -> decltype(ask_it()) {
    if (const Error* remembered = standing(question, now)) return *remembered;
    auto answer = ask_it();
    if (answer) {
      refused_.erase(question);
    } else {
      note(question, now, answer.error());
    }
    return answer;
  }
  [[nodiscard]] std::size_t size() const { return refused_.size(); }

 private:
  struct Refusal {
    Error error;
    Instant since, asked;
  };
  [[nodiscard]] const Error* standing(const std::string& question, const Instant& now) const;
  void note(const std::string& question, const Instant& now, const Error& error);

  std::int64_t retry_ns_;
  std::map<std::string, Refusal> refused_;
};

}  // namespace roceready
