// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tests/rules/scene.h"

namespace roceready::rules_test {

/// A setting of the scene's port that differs from the accepted one.
inline SettingDrift drifted(const std::string& what, bool after_reboot, const std::string& device = "mlx5_0") {
  SettingDrift out;
  out.subject.device = device;
  out.subject.port = 1;
  out.subject.netdev = "eth0";
  out.what = what;
  out.accepted = "3";
  out.now = "none";
  out.after_reboot = after_reboot;
  return out;
}

/// What a port rule says with that past; nothing: a one-shot.
inline Judgement ask_with(const Rule& rule, Scene scene, const std::optional<std::vector<SettingDrift>>& drift) {
  History history({});
  history.add(std::make_shared<const Snapshot>(scene.now()));
  const SnapshotPtr now = history.now();
  Past past;
  past.settings_kept = drift.has_value();
  if (drift) past.drift = *drift;
  const std::map<std::string, double> limits;
  Evidence::Context context;
  context.history = &history;
  context.now = now.get();
  context.port = &now->ports[0];
  context.profile = &scene.profile();
  context.rule = &rule;
  context.limits = &limits;
  context.past = &past;
  Outcomes out{Subject{}};
  rule.judge(Evidence(context), out);
  EXPECT_EQ(out.entries().size(), 1U);
  return out.entries().empty() ? Judgement{} : out.entries().front();
}

}  // namespace roceready::rules_test
