// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/history/history.h"
#include "core/snapshot/snapshot.h"
#include "rules/engine.h"
#include "rules/rule.h"

namespace roceready::rules {
#define RULE(name) extern const Rule name;
#include "rules/catalog.def"
#undef RULE
}  // namespace roceready::rules

namespace roceready::rules_test {

using namespace roceready::rules;

/// Growth of one counter in one sample, in base units (seconds of pause, bytes, packets, events).
struct Growth {
  CounterId id;
  double amount;
  std::uint8_t lane = kNoLane;
};

/// A healthy node with one RoCE port, mlx5_0/1 on eth0, as profile nvidia-lossless wants it, whose counters have seen
/// years. A test changes what its story needs, adds samples and asks one rule. Changes stay in the samples that follow.
class Scene {
 public:
  // Out of line, as all that touches a snapshot: each test file would build the code again.
  Scene();
  Scene(const Scene&);
  Scene(Scene&&) noexcept;
  Scene& operator=(const Scene&);
  Scene& operator=(Scene&&) noexcept;
  ~Scene();

  Snapshot& now();
  RdmaPort& port();
  Netdev& netdev(const std::string& name);
  Netdev& eth0() { return netdev("eth0"); }
  PciFunction& nic() { return function("0000:3b:00.0"); }
  PciFunction& bridge() { return function("0000:3a:00.0"); }

  Scene& profile(const std::string& name);
  Profile& profile() { return *profile_; }
  Scene& limit(const std::string& name, double value);
  Scene& daemon();
  /// What the configuration demands of the host.
  HostDemands& demands() { return demands_; }

  /// The driver's table has no such counter.
  Scene& never_shows(std::initializer_list<CounterId> ids);
  /// The driver knows such a counter but does not show it now.
  Scene& hides(CounterId id);
  /// Gives eth0 a counter that the scene does not have.
  Scene& shows(CounterId id, std::uint8_t lane = kNoLane);
  /// The same for the RDMA side of the port.
  Scene& shows_rdma(CounterId id);

  /// A further sample, `seconds` later.
  Scene& after(double seconds, const std::vector<Growth>& growths = {});
  /// `times` samples, `seconds` apart, each with the same growth.
  Scene& every(double seconds, std::size_t times, const std::vector<Growth>& growths = {});

  /// Makes the port a bond of eth0 and eth1 (`mode` as the kernel counts them).
  Scene& bonded(std::uint32_t mode, const std::string& active);

  /// What a rule writes about a member of the port (the port, the node).
  [[nodiscard]] std::vector<Judgement> judge(const Rule& rule, const std::string& member = "eth0") const;
  /// The same where exactly one answer is expected.
  [[nodiscard]] Judgement ask(const Rule& rule, const std::string& member = "eth0") const;
  /// Commands of the newest question.
  [[nodiscard]] const std::vector<FixCommand>& fix() const { return fix_; }

  /// The whole report, by the engine.
  [[nodiscard]] ReportPtr report() const;

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000;

  PciFunction& function(const std::string& address);
  template <class F>
  void each_counters(F&& change) {
    for (Netdev& one : now().netdevs) change(one.counters);
    for (RdmaPort& one : now().ports) change(one.counters);
  }
  static void sort(CounterReadings& readings);
  void grow(const Growth& growth);
  void move(Snapshot& sample, double seconds);

  static Snapshot healthy();

  std::vector<Snapshot> samples_;
  std::shared_ptr<Profile> profile_ = std::make_shared<Profile>(*profile_named("nvidia-lossless"));
  std::map<std::string, double> limits_;
  bool one_shot_ = true;
  HostDemands demands_;
  mutable std::vector<FixCommand> fix_;
};

/// One line for a failed expectation.
std::string words_of(const Judgement& judgement);

void expect_fail(const Judgement& judgement, Severity severity, const std::string& part = "");
void expect_pass(const Judgement& judgement);
void expect_unknown(const Judgement& judgement, Why why);
void expect_not_applicable(const Judgement& judgement);
void expect_not_looked_at(const Judgement& judgement, const std::string& why);
/// A fact that was asked for and refused.
inline Absent denied() {
  return {Why::Denied, "needs CAP_SYS_ADMIN"};
}
inline Absent not_present() {
  return {Why::NotPresent, "is not there"};
}
inline Absent not_supported() {
  return {Why::NotSupported, "this driver does not offer it"};
}

}  // namespace roceready::rules_test
