// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace roceready::daemon {

/// Bytes one piece after the other: a file, standard input, a member of an archive. Threads: one caller.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The next piece, valid until the next call; empty at the end. An error ends it.
  [[nodiscard]] virtual Result<std::string_view> next() = 0;
};

/// A regular file, opened without following a link at its end, or standard input for "-".
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path);

/// Hands back a first piece that was looked at, then goes on with the source.
class PushedBack : public ByteSource {
 public:
  PushedBack(std::string first, ByteSource& rest) : first_(std::move(first)), rest_(rest) {}
  [[nodiscard]] Result<std::string_view> next() override;

 private:
  std::string first_;
  ByteSource& rest_;
  bool given_ = false;
};

/// The first bytes of a source, at least `wanted` unless it ends before.
[[nodiscard]] Result<std::string> first_bytes(ByteSource& source, std::size_t wanted);

}  // namespace roceready::daemon
