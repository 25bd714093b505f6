// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstring>
#include <exception>
#include <string>

#include "daemon/cli/command.h"

int main(int argc, char** argv) {
  using namespace roceready::daemon::cli;
  std::signal(SIGPIPE, SIG_IGN);
  StandardTerminal terminal;
  int code = kIo;
  try {
    code = run(Words(argv + (argc > 0 ? 1 : 0), argv + argc), terminal);
  } catch (const std::exception& error) {
    terminal.err("roceready: " + std::string(error.what()) + "; this is a bug or a lack of memory\n");
    return 70;
  }
  if (terminal.failure() != 0) {
    terminal.err("roceready: cannot write to stdout: " + std::string(std::strerror(terminal.failure())) + "\n");
    return kIo;
  }
  return code;
}
