// SPDX-License-Identifier: Apache-2.0
#include "core/base/reading.h"

#include <array>

namespace roceready {
namespace {

constexpr std::array<std::pair<Why, const char*>, 8> kWhys{{
    {Why::NotPresent, "not_present"},
    {Why::NotSupported, "not_supported"},
    {Why::Denied, "denied"},
    {Why::Malformed, "malformed"},
    {Why::TimedOut, "timed_out"},
    {Why::Filtered, "filtered"},
    {Why::OtherNamespace, "other_namespace"},
    {Why::NotRecorded, "not_recorded"},
}};

Why why_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return Why::NotPresent;
    case ErrorCode::NotSupported:
      return Why::NotSupported;
    case ErrorCode::Denied:
      return Why::Denied;
    case ErrorCode::TimedOut:
      return Why::TimedOut;
    case ErrorCode::Filtered:
      return Why::Filtered;
    case ErrorCode::OtherNamespace:
      return Why::OtherNamespace;
    case ErrorCode::NotRecorded:
    case ErrorCode::Usage:
      return Why::NotRecorded;
    case ErrorCode::Malformed:
    case ErrorCode::Changed:
    case ErrorCode::Io:
      return Why::Malformed;
  }
  return Why::Malformed;
}

}  // namespace

const char* name_of(Why why) {
  for (const auto& [value, name] : kWhys)
    if (value == why) return name;
  return "not_recorded";
}

Why why_from_name(const std::string& name) {
  for (const auto& [value, text] : kWhys)
    if (name == text) return value;
  return Why::NotRecorded;
}

Absent absent_from(const Error& error) {
  std::string detail = error.text();
  if (error.os_error != 0) detail += ": " + errno_name(error.os_error);
  return Absent{why_of(error.code), std::move(detail)};
}

}  // namespace roceready
