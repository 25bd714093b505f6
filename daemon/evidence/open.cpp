// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/open.h"

#include <sys/stat.h>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/base/text.h"
#include "daemon/evidence/archive.h"
#include "daemon/evidence/byte_source.h"

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLook = 4096;  ///< bytes by which a file's kind is told

std::string size_text(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

/// Why a name within an archive is not taken even as a label, "" where it is.
std::string why_refused(std::string_view name) {
  if (name.starts_with("/")) return "its name is an absolute path";
  for (const std::string_view part : split(name, '/')) {
    if (part == "..") return "its name leads out of the archive";
  }
  return {};
}

/// Why these first bytes are no text of ours, "" where they may be.
std::string why_no_text(std::string_view first) {
  if (first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff"))
    return "UTF-16 text: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)";
  if (first.starts_with("%PDF")) return "a PDF: save it as text";
  for (const std::string_view picture : {"\x89PNG", "\xff\xd8\xff", "GIF8"}) {
    if (first.starts_with(picture)) return "a picture: text is needed";
  }
  const auto noise = std::count(first.begin(), first.end(), '\0');
  return noise * 100 > static_cast<std::ptrdiff_t>(first.size()) ? "binary" : "";
}

/// Reads everything below the paths, within the limits.
class Opener {
 public:
  Opener(const OpenLimits& limits, evidence::Bundle& bundle) : limits_(limits), bundle_(bundle) {}

  /// A limit was reached: what follows is not read. The bundle says so.
  [[nodiscard]] bool full() const { return full_; }

  Result<void> named(const std::string& path) {
    std::error_code fault;
    const auto status = path == "-" ? fs::file_status(fs::file_type::regular) : fs::status(path, fault);
    if (fault || status.type() == fs::file_type::not_found)
      return Error{ErrorCode::NotFound, "there is no such file or folder", clean_text(path), 0};
    if (status.type() == fs::file_type::directory) return folder(path);
    const auto bytes = open_bytes(path);
    if (!bytes) return bytes.error();
    const std::string label = path == "-" ? "standard input" : fs::path(path).filename().string();
    return source(label, **bytes, path == "-" ? 0 : modified(path), 0);
  }

 private:
  [[nodiscard]] static std::int64_t modified(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) return 0;
    return static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec;
  }

  Result<void> folder(const std::string& root) {
    std::error_code fault;
    std::vector<fs::path> files;
    auto walk = fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, fault);
    if (fault) return os_error(fault.value(), "cannot be listed", clean_text(root));
    for (; walk != fs::recursive_directory_iterator(); walk.increment(fault)) {
      if (fault) break;
      constexpr int kDeepest = 64;
      if (walk.depth() >= kDeepest) walk.disable_recursion_pending();
      const std::string label = label_of(root, walk->path());
      const auto status = walk->symlink_status(fault);
      if (status.type() == fs::file_type::directory) continue;
      if (status.type() == fs::file_type::regular)
        files.push_back(walk->path());
      else
        bundle_.skip(label, status.type() == fs::file_type::symlink ? "a link" : "a device, socket or pipe");
      if (files.size() > limits_.files) break;
    }
    if (fault) bundle_.skip(clean_text(root), "cannot be listed as a whole: " + fault.message());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const auto bytes = open_bytes(file.string());
      if (!bytes) {
        bundle_.skip(label_of(root, file), bytes.error().what);
        continue;
      }
      if (auto done = source(label_of(root, file), **bytes, modified(file.string()), 0); !done) return done;
    }
    return {};
  }

  /// The folder's own name comes first: it may be that of a sosreport or of a host.
  static std::string label_of(const std::string& root, const fs::path& file) {
    std::error_code fault;
    const fs::path whole = fs::absolute(root, fault).lexically_normal();
    const fs::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
    return clean_text((name / file.lexically_relative(root)).string());
  }

  /// One stream: text, or an archive of such. An error ends everything: a limit of all files was reached.
  Result<void> source(const std::string& label, ByteSource& bytes, std::int64_t modified_ns, std::uint32_t nesting) {
    if (full_) return {};
    if (++files_ > limits_.files)
      return stop(label, "more than " + std::to_string(limits_.files) + " files (--max-files)");
    const auto first = first_bytes(bytes, kLook);
    if (!first) return bundle_.skip(label, first.error().what), Result<void>{};
    PushedBack whole(*first, bytes);
    if (is_packed(*first)) return packed(label, whole, modified_ns, nesting);
    if (const std::string why = why_no_text(std::string_view(*first).substr(0, kLook)); !why.empty())
      return bundle_.skip(label, why), drain(label, whole);
    return text(label, whole, modified_ns);
  }

  Result<void> text(const std::string& label, ByteSource& bytes, std::int64_t modified_ns) {
    bundle_.begin(label, modified_ns);
    std::uint64_t size = 0;
    while (true) {
      const auto piece = bytes.next();
      if (!piece) bundle_.skip(label, piece.error().what + ", after " + std::to_string(size) + " bytes");
      if (!piece || piece->empty()) break;
      size += piece->size();
      total_ += piece->size();
      if (size > limits_.file_bytes) {
        bundle_.skip(label, "only the first " + size_text(limits_.file_bytes) + " were read (--max-file-size)");
        break;
      }
      if (total_ > limits_.total_bytes || bomb()) {
        bundle_.end();
        return stop(label, why_full());
      }
      bundle_.feed(*piece);
    }
    bundle_.end();
    return {};
  }

  /// Passes over what is not text. Of a file the rest is left; of an archive it would be unpacked all the same.
  Result<void> drain(const std::string& label, ByteSource& bytes) {
    while (packed_ != nullptr) {
      const auto piece = bytes.next();
      if (!piece || piece->empty()) break;
      total_ += piece->size();
      if (total_ > limits_.total_bytes || bomb()) return stop(label, why_full());
    }
    return {};
  }

  [[nodiscard]] std::string why_full() const {
    return bomb() ? "the archive unpacks to more than " + std::to_string(limits_.archive_ratio) +
                        " times its size: an archive bomb"
                  : "more than " + size_text(limits_.total_bytes) + " in all (--max-size)";
  }

  /// Unpacked far beyond what was read; small archives of small texts may be dense.
  [[nodiscard]] bool bomb() const {
    constexpr std::uint64_t kHarmless = std::uint64_t{64} << 20;
    return packed_ != nullptr && total_ - total_before_ > kHarmless &&
           total_ - total_before_ > *packed_ * limits_.archive_ratio;
  }

  Result<void> packed(const std::string& label, ByteSource& bytes, std::int64_t modified_ns, std::uint32_t nesting) {
    if (nesting >= limits_.nesting) {
      bundle_.skip(label, "an archive within " + std::to_string(nesting) + " others");
      return {};
    }
    std::uint64_t read = 0;
    const bool outermost = packed_ == nullptr;
    if (outermost) packed_ = &read, total_before_ = total_;
    const auto walked = walk_archive(bytes, read, [&](const ArchiveMember& member, ByteSource& inner) -> Result<void> {
      const std::string_view inner_name = std::string_view(member.name).substr(member.name.starts_with("./") ? 2 : 0);
      const std::string name = member.name.empty() ? label : label + "/" + clean_text(inner_name);
      if (!member.regular) {
        if (member.why_not != "a folder") bundle_.skip(name, member.why_not);
        return {};
      }
      if (const std::string why = why_refused(member.name); !why.empty())
        return bundle_.skip(name, why), Result<void>{};
      // Bytes that are passed over are unpacked, too.
      return source(name, inner, member.modified_ns != 0 ? member.modified_ns : modified_ns, nesting + 1);
    });
    if (outermost) packed_ = nullptr;
    if (!walked && full_) return {};
    if (!walked) bundle_.skip(label, walked.error().what);
    return {};
  }

  Result<void> stop(const std::string& label, const std::string& why) {
    full_ = true;
    bundle_.skip(label, why + "; what follows was not read");
    return Error{ErrorCode::Usage, why, label, 0};
  }

  const OpenLimits& limits_;
  evidence::Bundle& bundle_;
  std::uint64_t files_ = 0, total_ = 0, total_before_ = 0;
  const std::uint64_t* packed_ = nullptr;
  bool full_ = false;
};

}  // namespace

Result<void> open_evidence(const std::vector<std::string>& paths, const OpenLimits& limits, evidence::Bundle& bundle) {
  Opener opener(limits, bundle);
  for (const std::string& path : paths) {
    const auto done = opener.named(path);
    if (opener.full()) break;
    if (!done) return done;
  }
  return {};
}

}  // namespace roceready::daemon
