// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string_view>

#include "collectors/live/parts.h"
#include "core/base/text.h"

namespace roceready::live {
namespace {

constexpr std::size_t kMaxNames = 65536;

Error malformed(std::string what, const std::string& path) {
  return Error{ErrorCode::Malformed, std::move(what), clean_text(path), 0};
}

/// A NUL would cut the path short to that of another file.
Result<void> check_path(const std::string& path) {
  if (path.starts_with('/') && path.find('\0') == std::string::npos) return {};
  return Error{ErrorCode::Usage, "not an absolute path", clean_text(path), 0};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

class LiveFiles : public Files {
 public:
  explicit LiveFiles(std::string root) : root_(std::move(root)) {}

  Result<std::string> read(const std::string& path, std::size_t limit) override {
    if (auto good = check_path(path); !good) return good.error();
    // O_NONBLOCK: a pipe in the way must not hold us; it means nothing to files of sysfs and procfs.
    const Descriptor file(::open((root_ + path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0) return os_error(errno, "cannot open", clean_text(path));
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return os_error(errno, "cannot look at", clean_text(path));
    if (S_ISDIR(info.st_mode)) return os_error(EISDIR, "cannot read", clean_text(path));
    if (!S_ISREG(info.st_mode)) return malformed("is not a regular file", path);
    std::string out;
    for (;;) {
      char chunk[4096];
      const ssize_t got = ::read(file.get(), chunk, sizeof chunk);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return os_error(errno, "cannot read", clean_text(path));
      if (got == 0) return out;
      if (out.size() + static_cast<std::size_t>(got) > limit)
        return malformed("longer than " + std::to_string(limit) + " bytes", path);
      out.append(chunk, static_cast<std::size_t>(got));
    }
  }

  Result<std::vector<std::string>> list(const std::string& path) override {
    if (auto good = check_path(path); !good) return good.error();
    struct Closer {
      DIR* directory;
      ~Closer() {
        if (directory != nullptr) ::closedir(directory);
      }
    } const opened{::opendir((root_ + path).c_str())};
    if (opened.directory == nullptr) return os_error(errno, "cannot list", clean_text(path));
    std::vector<std::string> names;
    for (;;) {
      errno = 0;
      const dirent* entry = ::readdir(opened.directory);
      if (entry == nullptr && errno != 0) return os_error(errno, "cannot list", clean_text(path));
      if (entry == nullptr) break;
      const std::string_view name(static_cast<const char*>(entry->d_name));
      if (name == "." || name == "..") continue;
      if (names.size() >= kMaxNames) return malformed("more than 65536 entries", path);
      names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::string> read_link(const std::string& path) override {
    if (auto good = check_path(path); !good) return good.error();
    std::string target(PATH_MAX, '\0');
    const ssize_t length = ::readlink((root_ + path).c_str(), target.data(), target.size());
    if (length < 0) return os_error(errno, "cannot read the symbolic link", clean_text(path));
    if (static_cast<std::size_t>(length) >= target.size()) return malformed("target is too long", path);
    target.resize(static_cast<std::size_t>(length));
    return target;
  }

 private:
  std::string root_;
};

}  // namespace

std::unique_ptr<Files> make_files(const std::string& root) {
  return std::make_unique<LiveFiles>(root);
}

}  // namespace roceready::live
