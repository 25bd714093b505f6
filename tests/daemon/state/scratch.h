// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace roceready::daemon {

/// A directory that goes with the test.
struct Scratch {
  std::string path;
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "roceready-state-XXXXXX").string();
    path = ::mkdtemp(name.data()) == nullptr ? "/nonexistent" : name;
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

}  // namespace roceready::daemon
