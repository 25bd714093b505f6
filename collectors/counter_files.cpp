// SPDX-License-Identifier: Apache-2.0
#include "collectors/counter_files.h"

#include "core/base/text.h"

namespace roceready {

std::optional<std::uint64_t> parse_counter(std::string_view text) {
  return parse_u64(trim(text));
}

Result<CounterFiles> read_counter_files(Files& files, const std::string& directory) {
  constexpr std::size_t kMaxFiles = 4096;
  const auto names = files.list(directory);
  if (!names) return names.error();
  CounterFiles out;
  std::optional<Error> first_failure;
  for (const std::string& name : *names) {
    if (name == "lifespan" || out.names.size() >= kMaxFiles) continue;
    const auto text = files.read(directory + "/" + name);
    const auto value = text ? parse_counter(*text) : std::nullopt;
    if (value) {
      out.names.push_back(name);
      out.values.push_back(*value);
      continue;
    }
    const bool none = text && trim(*text).starts_with("N/A");  // "N/A (no PMA)" of old kernels
    const Error failure = text ? Error{none ? ErrorCode::NotSupported : ErrorCode::Malformed,
                                       "\"" + clean_text(trim(*text)).substr(0, 40) + "\" is no number", ""}
                               : text.error();
    if (!first_failure) first_failure = Error{failure.code, failure.what, directory + "/" + name, failure.os_error};
    out.note.why = absent_from(*first_failure).why;
    if (out.note.detail.size() < 512)
      out.note.detail += (out.note.detail.empty() ? "" : ", ") + clean_text(name) + ": " + failure.what;
  }
  if (out.names.empty() && first_failure) return *first_failure;
  return out;
}

}  // namespace roceready
