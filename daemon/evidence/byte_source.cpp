// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <utility>
#include <vector>

namespace roceready::daemon {
namespace {

class FileBytes : public ByteSource {
 public:
  FileBytes(int descriptor, std::string path, bool owned)
      : descriptor_(descriptor), path_(std::move(path)), owned_(owned), buffer_(kPiece) {}
  ~FileBytes() override {
    if (owned_) ::close(descriptor_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  [[nodiscard]] Result<std::string_view> next() override {
    while (true) {
      const ssize_t got = ::read(descriptor_, buffer_.data(), buffer_.size());
      if (got >= 0) return std::string_view(buffer_.data(), static_cast<std::size_t>(got));
      if (errno != EINTR) return os_error(errno, "cannot be read", path_);
    }
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{256} * 1024;
  int descriptor_;
  std::string path_;
  bool owned_;
  std::vector<char> buffer_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path) {
  if (path == "-")
    return std::unique_ptr<ByteSource>(std::make_unique<FileBytes>(STDIN_FILENO, "standard input", false));
  // O_NONBLOCK: a pipe that took a file's place must not hold us up.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return os_error(errno, "cannot be opened", path);
  auto bytes = std::make_unique<FileBytes>(descriptor, path, true);
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return os_error(errno, "cannot be read", path);
  if (!S_ISREG(facts.st_mode)) return Error{ErrorCode::Usage, "is neither a file nor a folder", path, 0};
  return std::unique_ptr<ByteSource>(std::move(bytes));
}

Result<std::string_view> PushedBack::next() {
  if (!std::exchange(given_, true) && !first_.empty()) return std::string_view(first_);
  return rest_.next();
}

Result<std::string> first_bytes(ByteSource& source, std::size_t wanted) {
  std::string out;
  while (out.size() < wanted) {
    const auto piece = source.next();
    if (!piece) return piece.error();
    if (piece->empty()) break;
    out += *piece;
  }
  return out;
}

}  // namespace roceready::daemon
