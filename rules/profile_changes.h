// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/profile.h"

namespace roceready::rules {

struct Rule;

/// How the values of a profile key are written.
enum class ProfileKeyType { Number, Share, Words, Priorities, Boolean };

/// One cell of a profile that a site may fill in for itself: `profile_overrides.<name>`.
struct ProfileKey {
  const char* name = "";
  ProfileKeyType type = ProfileKeyType::Number;
  const char* unit = "";
  double min = 0, max = 0;           ///< Number, Share, each of Priorities
  std::vector<std::string> choices;  ///< Words
  const char* help = "";
  /// Takes a text that passed the checks above.
  void (*set)(Profile& profile, const std::string& text) = nullptr;
  /// As the user would write it, "" where the profile demands nothing.
  std::string (*get)(const Profile& profile) = nullptr;
};
[[nodiscard]] const std::vector<ProfileKey>& profile_keys();
[[nodiscard]] const ProfileKey* profile_key_named(std::string_view name);

struct ProfileModifier {
  const char* name = "";
  const char* help = "";
  void (*apply)(Profile& profile) = nullptr;
};
[[nodiscard]] const std::vector<ProfileModifier>& profile_modifiers();
/// What a node is for; at most one.
[[nodiscard]] const std::vector<ProfileModifier>& profile_roles();
/// Profiles that take the class values of another one, and those that can give them.
[[nodiscard]] bool takes_base(std::string_view profile);
[[nodiscard]] std::vector<std::string> base_profile_names();

/// What a site says beside the name of its profile.
struct ProfileChanges {
  std::string base;                              ///< "" for the usual one
  std::string role;                              ///< "" for any
  std::vector<std::string> modifiers;            ///< names
  std::map<std::string, std::string> overrides;  ///< key → text
  bool operator==(const ProfileChanges&) const = default;
};

/// One value that differs from the profile as documented.
struct ChangedProfileValue {
  std::string key, value, otherwise;
  bool operator==(const ChangedProfileValue&) const = default;
};

struct EffectiveProfile {
  Profile profile;
  std::vector<ChangedProfileValue> changed;  ///< by overrides and by modifiers alike
};

/// The profile as it holds here: base, then role and modifiers, then overrides. Names that do not exist do nothing:
/// problems_of finds them.
[[nodiscard]] EffectiveProfile apply(const Profile& named, const ProfileChanges& changes);

/// What is wrong with a combination, as (option, message): a lossless priority in a profile without PFC, modifiers that
/// exclude each other. `name` may be "": then only what needs no name is checked.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> problems_of(const std::string& name,
                                                                           const ProfileChanges& changes);

/// Why a finding of this rule is no more than info under the profile's modifiers: a sentence. Never for what loses data
/// or hurts other nodes (docs/profiles.md, "What a profile never does").
[[nodiscard]] std::optional<std::string> why_info_only(const Rule& rule, const Profile& profile);

}  // namespace roceready::rules
