// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <vector>

namespace roceready::daemon {
namespace {

struct Closer {
  void operator()(archive* handle) const { archive_read_free(handle); }
};
using Handle = std::unique_ptr<archive, Closer>;

/// What libarchive's callbacks need.
struct Feed {
  ByteSource& source;
  std::uint64_t& bytes;
  std::string piece;  // libarchive reads from it until the next call
};

la_ssize_t feed(archive* handle, void* context, const void** buffer) {
  auto* from = static_cast<Feed*>(context);
  const auto piece = from->source.next();
  if (!piece) {
    archive_set_error(handle, EIO, "%s", piece.error().what.c_str());
    return -1;
  }
  from->piece = *piece;
  from->bytes += from->piece.size();
  *buffer = from->piece.data();
  return static_cast<la_ssize_t>(from->piece.size());
}

Error archive_error(archive* handle) {
  const char* text = archive_error_string(handle);
  return {ErrorCode::Malformed, std::string("damaged archive: ") + (text != nullptr ? text : "no reason given"), "", 0};
}

class MemberBytes : public ByteSource {
 public:
  explicit MemberBytes(archive* handle) : handle_(handle), buffer_(kPiece) {}
  [[nodiscard]] Result<std::string_view> next() override {
    const la_ssize_t got = archive_read_data(handle_, buffer_.data(), buffer_.size());
    if (got < 0) return archive_error(handle_);
    return std::string_view(buffer_.data(), static_cast<std::size_t>(got));
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{128} * 1024;
  archive* handle_;
  std::vector<char> buffer_;
};

ArchiveMember member_of(archive* handle, archive_entry* entry) {
  ArchiveMember out;
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  if (name != nullptr) out.name = name;
  if (archive_format(handle) == ARCHIVE_FORMAT_RAW) out.name.clear();
  if (archive_entry_mtime_is_set(entry) != 0)
    out.modified_ns =
        static_cast<std::int64_t>(archive_entry_mtime(entry)) * 1'000'000'000 + archive_entry_mtime_nsec(entry);
  const auto type = archive_entry_filetype(entry);
  const bool linked = archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr;
  out.regular = !linked && (type == AE_IFREG || archive_format(handle) == ARCHIVE_FORMAT_RAW);
  if (linked || type == AE_IFLNK)
    out.why_not = "a link";
  else if (type == AE_IFDIR)
    out.why_not = "a folder";
  else if (!out.regular)
    out.why_not = "a device, socket or pipe";
  return out;
}

}  // namespace

bool is_packed(std::string_view first) {
  constexpr std::size_t kTarMagic = 257;
  for (const std::string_view magic :
       {std::string_view("\x1f\x8b", 2),
        std::string_view("\xfd"
                         "7zXZ",
                         5),
        std::string_view("BZh", 3), std::string_view("PK\x03\x04", 4), std::string_view("\x28\xb5\x2f\xfd", 4),
        std::string_view("\x04\x22\x4d\x18", 4), std::string_view("070701", 6), std::string_view("PK\x05\x06", 4)}) {
    if (first.starts_with(magic)) return true;
  }
  return first.size() > kTarMagic && first.substr(kTarMagic).starts_with("ustar");
}

Result<void> walk_archive(ByteSource& source, std::uint64_t& packed_bytes,
                          const std::function<Result<void>(const ArchiveMember&, ByteSource&)>& each) {
  const Handle handle(archive_read_new());
  if (!handle) return Error{ErrorCode::Io, "no memory for reading the archive", "", 0};
  // Filters that would run a program are left out: those of support_filter_all do where a library is missing.
  archive_read_support_filter_gzip(handle.get());
  archive_read_support_filter_bzip2(handle.get());
  archive_read_support_filter_xz(handle.get());
  archive_read_support_filter_zstd(handle.get());
  archive_read_support_filter_lz4(handle.get());
  archive_read_support_format_tar(handle.get());
  archive_read_support_format_zip_streamable(handle.get());
  archive_read_support_format_cpio(handle.get());
  archive_read_support_format_empty(handle.get());
  archive_read_support_format_raw(handle.get());
  Feed from{source, packed_bytes, {}};
  if (archive_read_open(handle.get(), &from, nullptr, feed, nullptr) != ARCHIVE_OK) return archive_error(handle.get());
  archive_entry* entry = nullptr;
  while (true) {
    const int code = archive_read_next_header(handle.get(), &entry);
    if (code == ARCHIVE_EOF) return {};
    if (code == ARCHIVE_RETRY) continue;
    if (code < ARCHIVE_WARN) return archive_error(handle.get());
    MemberBytes bytes(handle.get());
    if (auto done = each(member_of(handle.get(), entry), bytes); !done) return done;
  }
}

}  // namespace roceready::daemon
