// SPDX-License-Identifier: Apache-2.0
#include "daemon/cli/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace roceready::daemon::cli {
namespace {

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

}  // namespace

StandardTerminal::StandardTerminal() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    if (descriptor == STDOUT_FILENO) failure_ = EBADF;
    static_cast<void>(
        ::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY));  // takes the lowest free one
  }
}

void StandardTerminal::out(std::string_view text) {
  if (failure_ != 0 || reader_left_) return;
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE)
    reader_left_ = true;
  else
    failure_ = error;
}

void StandardTerminal::err(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

bool StandardTerminal::out_has_colour() const {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

bool StandardTerminal::err_is_terminal() const {
  return ::isatty(STDERR_FILENO) == 1;
}

}  // namespace roceready::daemon::cli
