// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/result.h"

namespace roceready {

/// Why a fact is not known. Absent is never 0, never "", never healthy.
enum class Why {
  NotPresent,      ///< the machine does not have it (file, attribute, counter is not there)
  NotSupported,    ///< kernel or driver says that it does not offer it
  Denied,          ///< needs a privilege that we do not have; `detail` names it
  Malformed,       ///< an answer came that makes no sense, or the driver refused this reading with an error
  TimedOut,        ///< no answer in time
  Filtered,        ///< excluded by configuration: not asked
  OtherNamespace,  ///< belongs to another network namespace
  NotRecorded,     ///< a recorded host or a file does not say
};

[[nodiscard]] const char* name_of(Why why);
/// Inverse of name_of (the snake_case name); NotRecorded for an unknown name.
[[nodiscard]] Why why_from_name(const std::string& name);

struct Absent {
  Why why = Why::NotRecorded;
  std::string detail;  ///< for a person: what was asked and what came back
  bool operator==(const Absent&) const = default;
};

/// The reason that an Error leaves behind when the fact it would have brought stays absent.
[[nodiscard]] Absent absent_from(const Error& error);

/// A fact that may be missing on a healthy machine: a value, or why it is absent.
/// A default-constructed Reading is absent with NotRecorded: nobody asked yet.
template <class T>
class Reading {
 public:
  Reading() : state_(std::in_place_index<1>) {}
  Reading(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Reading(Absent absent) : state_(std::in_place_index<1>, std::move(absent)) {}
  Reading(const Error& error) : state_(std::in_place_index<1>, absent_from(error)) {}
  Reading(Result<T> result)
      : state_(result ? State(std::in_place_index<0>, std::move(*result))
                      : State(std::in_place_index<1>, absent_from(result.error()))) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const T& value() const {
    assert(has_value());
    return std::get<0>(state_);
  }
  [[nodiscard]] T& value() {
    assert(has_value());
    return std::get<0>(state_);
  }
  const T& operator*() const { return value(); }
  T& operator*() { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  [[nodiscard]] const Absent& absent() const {
    assert(!has_value());
    return std::get<1>(state_);
  }
  [[nodiscard]] T value_or(T other) const { return has_value() ? value() : std::move(other); }
  bool operator==(const Reading&) const = default;

 private:
  using State = std::variant<T, Absent>;
  State state_;
};

/// A Reading of one member of a struct that itself may be absent: `field(port.pause, &Pause::rx)`.
template <class T, class M>
[[nodiscard]] auto field(const Reading<T>& whole, M T::*member) {
  using Member = std::decay_t<M>;
  if constexpr (requires(const Member& m) { m.absent(); }) {
    return whole ? (*whole).*member : Member(whole.absent());
  } else {
    return whole ? Reading<Member>((*whole).*member) : Reading<Member>(whole.absent());
  }
}

}  // namespace roceready
