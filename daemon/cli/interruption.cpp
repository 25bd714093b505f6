// SPDX-License-Identifier: Apache-2.0
#include "daemon/cli/interruption.h"

#include <csignal>

namespace roceready::daemon::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;
void ask_stop(int) {
  stop_asked = 1;
}

}  // namespace

void watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = ask_stop;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return stop_asked != 0;
}

}  // namespace roceready::daemon::cli
