// SPDX-License-Identifier: Apache-2.0
// Writes the made-up hosts into the directory that is named, in the place of what is there by the same names.
// From the repository: cmake --build BUILD --target make_hosts && BUILD/tests/make_hosts tests/hosts
#include <cstdio>
#include <filesystem>

#include "tests/hosts/stories.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY\n", argc > 0 ? argv[0] : "make_hosts");
    return 64;
  }
  for (const roceready::hosts::Story& story : roceready::hosts::stories()) {
    std::filesystem::remove_all(std::filesystem::path(argv[1]) / story.name);
    if (const auto done = roceready::hosts::write_story(argv[1], story); !done) {
      std::fprintf(stderr, "%s: %s\n", story.name.c_str(), done.error().text().c_str());
      return 74;
    }
    std::printf("%s\n", story.name.c_str());
  }
  return 0;
}
