// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/host/recording.h"

/// The pieces of a recorded host on disk (layout raw), as docs/recorded-hosts.md describes them: pure functions between
/// bytes and values. `where` is the file that the bytes came from; errors name it.
namespace roceready::recording_format {

inline constexpr std::size_t kMaxFileBytes = std::size_t{16} * 1024 * 1024;
inline constexpr std::size_t kMaxAnswers = 100'000;  ///< a sample
inline constexpr std::size_t kMaxSamples = 100'000;
inline constexpr std::size_t kMaxTotalBytes = std::size_t{1024} * 1024 * 1024;
inline constexpr std::size_t kMaxDepth = 64;  ///< directories below a sample

inline constexpr char kHostFile[] = "host.json";
inline constexpr char kClockFile[] = "clock.json";
inline constexpr char kDataFile[] = "data.json";
inline constexpr char kListsFile[] = "lists.json";
inline constexpr char kRefusedFile[] = "refused.json";
inline constexpr char kHexSuffix[] = ".hex";
inline constexpr char kFormat[] = "roceready.host/1";

/// Key as it stands in file names and in JSON: unusual bytes are %XX, and so are a leading dot of a component, the dot
/// of a trailing ".hex", and in the first component that of a trailing ".json".
[[nodiscard]] std::string encode_key(std::string_view key);
/// Inverse; nothing where `encoded` is not exactly what encode_key writes (so ".." is not a key, "%2E%2E" is).
[[nodiscard]] std::optional<std::string> decode_key(std::string_view encoded);
/// Whether an encoded key can be a file's path below a sample: at least two components, none empty or too long.
[[nodiscard]] bool can_be_path(std::string_view encoded);

/// Valid UTF-8 without control characters except newline and tab: stored as it is, everything else as hexadecimal.
[[nodiscard]] bool is_text(std::string_view bytes);
/// Lower case, a line break after each 32 bytes.
[[nodiscard]] std::string to_hex(std::string_view bytes);
/// White space between bytes is ignored; nothing where anything else is wrong.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view text);

/// "0000", "0001", …; five digits from 10000 on.
[[nodiscard]] std::string sample_directory(std::size_t index);

struct SampleClock {
  std::vector<Instant> readings;  ///< at least one
  bool unchanged = false;         ///< no answer changed: the sample has no directory
};

[[nodiscard]] Result<RecordedHostInfo> parse_host_info(const std::string& text, const std::string& where);
[[nodiscard]] Result<std::vector<SampleClock>> parse_clock(const std::string& text, const std::string& where);
/// Add the answers of one of the sample's JSON files. A key that the sample already has is an error.
[[nodiscard]] Result<void> parse_data(const std::string& text, const std::string& where, RecordedSample& sample);
[[nodiscard]] Result<void> parse_lists(const std::string& text, const std::string& where, RecordedSample& sample);
[[nodiscard]] Result<void> parse_refused(const std::string& text, const std::string& where, RecordedSample& sample);

}  // namespace roceready::recording_format
