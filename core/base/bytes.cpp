// SPDX-License-Identifier: Apache-2.0
#include "core/base/bytes.h"

#include <bit>

namespace roceready {

void ByteWriter::put(std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out_.push_back(static_cast<char>(value >> (8U * static_cast<unsigned>(i)) & 0xffU));
}
void ByteWriter::f32(float value) {
  u32(std::bit_cast<std::uint32_t>(value));
}
void ByteWriter::f64(double value) {
  u64(std::bit_cast<std::uint64_t>(value));
}
void ByteWriter::text(std::string_view value) {
  u32(static_cast<std::uint32_t>(value.size()));
  out_ += value;
}

std::uint64_t ByteReader::get(std::size_t bytes) {
  if (left_.size() < bytes) {
    fail();
    return 0;
  }
  std::uint64_t out = 0;
  for (std::size_t i = bytes; i-- > 0;) out = out << 8U | static_cast<unsigned char>(left_[i]);
  left_.remove_prefix(bytes);
  return out;
}
float ByteReader::f32() {
  return std::bit_cast<float>(u32());
}
double ByteReader::f64() {
  return std::bit_cast<double>(u64());
}
std::string ByteReader::text(std::size_t most) {
  const std::size_t size = count(most);
  std::string out(left_.substr(0, size));
  left_.remove_prefix(size);
  return out;
}
std::size_t ByteReader::count(std::size_t most, std::size_t bytes_each) {
  const std::uint32_t value = u32();
  if (value > most || value * std::uint64_t{bytes_each} > left_.size()) {
    fail();
    return 0;
  }
  return value;
}

}  // namespace roceready
