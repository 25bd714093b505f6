// SPDX-License-Identifier: Apache-2.0
// Archives that somebody sent: what libarchive makes of them, and what we do with it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "daemon/evidence/archive.h"

namespace {

class Bytes : public roceready::daemon::ByteSource {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}
  [[nodiscard]] roceready::Result<std::string_view> next() override {
    constexpr std::size_t kPiece = 512;
    const std::string_view piece = text_.substr(0, kPiece);
    text_.remove_prefix(piece.size());
    return piece;
  }

 private:
  std::string_view text_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roceready;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!daemon::is_packed(text)) return 0;
  Bytes bytes(text);
  std::uint64_t read = 0, unpacked = 0;
  const auto walked =
      daemon::walk_archive(bytes, read, [&](const daemon::ArchiveMember&, daemon::ByteSource& member) -> Result<void> {
        constexpr std::uint64_t kMost = std::uint64_t{1} << 22;
        while (true) {
          const auto piece = member.next();
          if (!piece || piece->empty()) return {};
          unpacked += piece->size();
          if (unpacked > kMost) return Error{ErrorCode::Usage, "enough", "", 0};
        }
      });
  static_cast<void>(walked);
  return 0;
}
