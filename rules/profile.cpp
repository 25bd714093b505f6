// SPDX-License-Identifier: Apache-2.0
#include "rules/profile.h"

#include <algorithm>

namespace roceready::rules {

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = [] {
    std::vector<Profile> sorted = profiles_table();
    std::sort(sorted.begin(), sorted.end(), [](const Profile& a, const Profile& b) { return a.name < b.name; });
    return sorted;
  }();
  return all;
}

const Profile* profile_named(std::string_view name) {
  const auto found =
      std::find_if(profiles().begin(), profiles().end(), [&](const Profile& profile) { return profile.name == name; });
  return found == profiles().end() ? nullptr : &*found;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.push_back(profile.name);
  return names;
}

}  // namespace roceready::rules
