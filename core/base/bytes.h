// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace roceready {

/// Numbers and texts as bytes, little endian, for what a process keeps for its successor.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value) { put(value, 4); }
  void u64(std::uint64_t value) { put(value, 8); }
  void i64(std::int64_t value) { u64(static_cast<std::uint64_t>(value)); }
  void f32(float value);
  void f64(double value);
  void text(std::string_view value);
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void put(std::uint64_t value, int bytes);
  std::string out_;
};

/// The way back. What is read is foreign: past the end, or past a limit, everything reads as 0 and good() is false for
/// good.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(get(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(get(4)); }
  std::uint64_t u64() { return get(8); }
  std::int64_t i64() { return static_cast<std::int64_t>(get(8)); }
  float f32();
  double f64();
  std::string text(std::size_t most);
  /// A number of things that follow, each of at least `bytes_each`: never more than there can be.
  std::size_t count(std::size_t most, std::size_t bytes_each = 1);
  void fail() {
    good_ = false;
    left_ = {};
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return good_ && left_.empty(); }

 private:
  std::uint64_t get(std::size_t bytes);
  std::string_view left_;
  bool good_ = true;
};

}  // namespace roceready
