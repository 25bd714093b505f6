// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// Where a reader of JSON stands, and the first fault it met.
class JsonFaults {
 public:
  /// Keeps the reader one step further in, for its lifetime.
  class Step {
   public:
    Step(JsonFaults& faults, std::string_view member);
    Step(JsonFaults& faults, std::size_t index);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    JsonFaults& faults_;
    std::size_t length_;
  };
  /// Records the fault at the present path unless there was one before. Always false, for `return faults.fail(…)`.
  bool fail(std::string what);
  /// `where` is the path of the fault: "ports[0].gids[2].index".
  [[nodiscard]] Error error() const { return error_; }

 private:
  std::string path_;
  Error error_;
  bool failed_ = false;
};

bool read_json(const nlohmann::json& from, std::string& into, JsonFaults& faults);
bool read_json(const nlohmann::json& from, std::int64_t& into, JsonFaults& faults);
bool read_json(const nlohmann::json& from, ProbeFacts& into, JsonFaults& faults);
bool read_json(const nlohmann::json& from, NodeDigest& into, JsonFaults& faults);
/// The members of a snapshot; `elsewhere` names members that somebody else reads.
bool read_members(const nlohmann::json& from, Snapshot& into, JsonFaults& faults,
                  std::initializer_list<std::string_view> elsewhere);

}  // namespace roceready
