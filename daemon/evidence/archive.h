// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "daemon/evidence/byte_source.h"

namespace roceready::daemon {

/// Whether a text's first bytes (512 are enough) are those of an archive or of a packed file.
[[nodiscard]] bool is_packed(std::string_view first);

/// A member of an archive; its bytes are had in passing.
struct ArchiveMember {
  std::string name;  ///< as the archive says; "" for a packed file that is no archive
  bool regular = true;
  std::string why_not;           ///< for what is no regular file: "a link", "a device"
  std::int64_t modified_ns = 0;  ///< 0: not told
};

/// Walks an archive (tar, cpio, zip, packed by gzip, bzip2, xz, zstd, lz4), or what one packed file holds. `each` reads
/// the member's bytes or leaves them, and ends the walk with an error. A damaged archive: an error; what came before it
/// was handed out. `packed_bytes`: what was read of `source` so far. Nothing is written.
[[nodiscard]] Result<void> walk_archive(ByteSource& source, std::uint64_t& packed_bytes,
                                        const std::function<Result<void>(const ArchiveMember&, ByteSource&)>& each);

}  // namespace roceready::daemon
