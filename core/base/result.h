// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace roceready {

/// Kinds of failure of an operation. Each maps to one reason of an absent reading (see reading.h).
enum class ErrorCode {
  NotFound,        ///< ENOENT, ENODEV, ENXIO: the thing is not there (or no longer)
  NotSupported,    ///< EOPNOTSUPP, ENOSYS, ENOTTY: this kernel or driver does not offer it
  Denied,          ///< EPERM, EACCES
  Malformed,       ///< the other side answered with bytes that make no sense, or EINVAL on a read
  TimedOut,        ///< no answer within the limit
  Filtered,        ///< excluded by the user's configuration: deliberately not asked
  OtherNamespace,  ///< exists, but belongs to another network namespace
  NotRecorded,     ///< a recorded host was never asked this question
  Changed,         ///< the thing changed while it was being read; ask again
  Usage,           ///< the user asked for something that makes no sense
  Io,              ///< any other operating system error
};

/// Why an operation failed: what was being done, on which object, and the operating system's word for it.
struct Error {
  ErrorCode code = ErrorCode::Io;
  std::string what;   ///< for a person: what went wrong
  std::string where;  ///< the object: a path, "ethtool statistics of eth0", an option
  int os_error = 0;   ///< errno, 0 when the failure is not the operating system's

  /// The same error seen from one level further out: "listing RDMA ports: …".
  [[nodiscard]] Error during(const std::string& activity) const {
    Error outer = *this;
    outer.what = activity + ": " + what;
    return outer;
  }
  /// One line: what, then where.
  [[nodiscard]] std::string text() const { return where.empty() ? what : what + " (" + where + ")"; }
};

/// Outcome of an operation that could fail: a value or an Error. Shape of C++23 std::expected.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const T& value() const& { return checked(), std::get<0>(state_); }
  [[nodiscard]] T& value() & { return checked(), std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return checked(), std::get<0>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  [[nodiscard]] const Error& error() const {
    assert(!has_value());
    return std::get<1>(state_);
  }

 private:
  void checked() const { assert(has_value()); }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}
  [[nodiscard]] bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
  bool failed_ = false;
};

/// Error for an errno of the operating system; the code follows the errno.
[[nodiscard]] Error os_error(int errno_value, std::string what, std::string where);
/// Symbolic name of an errno ("ENOENT"), its number as text where unknown. Inverse: errno_from_name, 0 where unknown.
[[nodiscard]] std::string errno_name(int errno_value);
[[nodiscard]] int errno_from_name(const std::string& name);
[[nodiscard]] const char* name_of(ErrorCode code);
/// Inverse of name_of; Io for an unknown name.
[[nodiscard]] ErrorCode error_code_from_name(const std::string& name);

}  // namespace roceready
