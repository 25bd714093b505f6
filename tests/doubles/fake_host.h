// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/host/answer_key.h"
#include "core/host/recording.h"

namespace roceready::doubles {

/// A machine as a map from question to answer; keys as in core/host/recording.h. A key that is missing is NotFound
/// (ENOENT), as on a machine that lacks the thing. Keeps what was asked. The clock stands still until a test moves it,
/// but for `cost`.
class FakeHost : Files, Ethtool, RdmaNetlink, Dcb, Links, VerbsFacts, ProbeResults, Clock {
 public:
  std::map<std::string, Answer> answers;
  std::vector<std::string> asked;
  std::map<std::string, std::int64_t> cost_ns;     ///< by key: the clock moves on by this much when it is asked
  std::function<void(const std::string&)> on_ask;  ///< may change answers: things vanish between two questions
  Instant clock_now{1'000'000'000'000, 1'767'225'600'000'000'000};

  void data(const std::string& key, std::string bytes) {
    answers[key] = Answer{Answer::Kind::Data, std::move(bytes), {}, {}};
  }
  void list(const std::string& key, std::vector<std::string> items) {
    answers[key] = Answer{Answer::Kind::List, {}, std::move(items), {}};
  }
  void refuse(const std::string& key, int errno_value) {
    answers[key] = Answer{Answer::Kind::Refused, {}, {}, os_error(errno_value, "refused", key)};
  }
  /// A file by its path, and its name in the list of its directory.
  void file(const std::string& path, std::string text) {
    data(answer_key::file(path), std::move(text));
    const auto slash = path.rfind('/');
    entry(path.substr(0, slash), path.substr(slash + 1));
  }
  void link(const std::string& path, std::string target) { data(answer_key::link(path), std::move(target)); }
  /// A name in the list of a directory.
  void entry(const std::string& directory, const std::string& name) {
    Answer& answer = answers[answer_key::list(directory)];
    answer.kind = Answer::Kind::List;
    for (const std::string& item : answer.items) {
      if (item == name) return;
    }
    answer.items.push_back(name);
    std::sort(answer.items.begin(), answer.items.end());
  }
  void advance(std::int64_t nanoseconds) {
    clock_now.monotonic_ns += nanoseconds;
    clock_now.wall_ns += nanoseconds;
  }
  [[nodiscard]] std::size_t times_asked(const std::string& key) const {
    return static_cast<std::size_t>(std::count(asked.begin(), asked.end(), key));
  }
  [[nodiscard]] bool asked_about(const std::string& part) const {
    return std::any_of(asked.begin(), asked.end(),
                       [&](const std::string& key) { return key.find(part) != std::string::npos; });
  }
  [[nodiscard]] Host host() { return Host{*this, *this, *this, *this, *this, *this, *this, *this}; }

 private:
  Result<const Answer*> ask(const std::string& key) {
    asked.push_back(key);
    if (on_ask) on_ask(key);
    if (const auto cost = cost_ns.find(key); cost != cost_ns.end()) advance(cost->second);
    const auto at = answers.find(key);
    if (at == answers.end()) return os_error(2, "no such thing", key);
    if (at->second.kind == Answer::Kind::Refused) return at->second.error;
    return &at->second;
  }
  Result<std::string> text(const std::string& key) {
    const auto answer = ask(key);
    if (!answer) return answer.error();
    return (*answer)->data;
  }
  Result<Bytes> bytes(const std::string& key) {
    const auto answer = ask(key);
    if (!answer) return answer.error();
    return bytes_of((*answer)->data);
  }
  Result<std::vector<Bytes>> messages(const std::string& key) {
    const auto answer = ask(key);
    if (!answer) return answer.error();
    std::vector<Bytes> out;
    for (const std::string& item : (*answer)->items) out.push_back(bytes_of(item));
    return out;
  }
  static Bytes bytes_of(const std::string& data) {
    Bytes out(data.size());
    if (!data.empty()) std::memcpy(out.data(), data.data(), data.size());
    return out;
  }

  Result<std::string> read(const std::string& path, std::size_t limit) override {
    auto content = text(answer_key::file(path));
    if (content && content->size() > limit) return Error{ErrorCode::Malformed, "too long", path};
    return content;
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    const auto answer = ask(answer_key::list(path));
    if (!answer) return answer.error();
    return (*answer)->items;
  }
  Result<std::string> read_link(const std::string& path) override { return text(answer_key::link(path)); }
  Result<Bytes> driver_info(const std::string& netdev) override {
    return bytes(answer_key::ethtool("driver_info", netdev));
  }
  Result<Bytes> statistics_names(const std::string& netdev) override {
    return bytes(answer_key::ethtool("statistics_names", netdev));
  }
  Result<Bytes> statistics_values(const std::string& netdev, std::size_t count) override {
    auto values = bytes(answer_key::ethtool("statistics_values", netdev));
    if (values && values->size() != count * 8)
      return Error{ErrorCode::Changed, "the number of statistics changed", netdev};
    return values;
  }
  Result<Bytes> pfc_prevention_timeout(const std::string& netdev) override {
    return bytes(answer_key::ethtool("pfc_prevention_timeout", netdev));
  }
  Result<Bytes> get(const std::string& netdev, EthtoolMessage message) override {
    return bytes(answer_key::ethtool(message, netdev));
  }
  Result<Bytes> module_eeprom(const std::string& netdev, const ModulePart& part) override {
    return bytes(answer_key::module_eeprom(netdev, part));
  }
  Result<std::vector<Bytes>> devices() override { return messages(answer_key::kRdmaDevices); }
  Result<Bytes> port(const std::string& device, std::uint32_t number) override {
    return bytes(answer_key::rdma_port(device, number));
  }
  Result<Bytes> statistics(const std::string& device, std::uint32_t number) override {
    return bytes(answer_key::rdma_statistics(device, number));
  }
  Result<Bytes> ieee(const std::string& netdev) override { return bytes(answer_key::dcb_ieee(netdev)); }
  Result<Bytes> dcbx(const std::string& netdev) override { return bytes(answer_key::dcb_dcbx(netdev)); }
  Result<std::vector<Bytes>> links() override { return messages(answer_key::kLinks); }
  Result<std::vector<Bytes>> addresses() override { return messages(answer_key::kAddresses); }
  Result<std::vector<Bytes>> rules() override { return messages(answer_key::kRules); }
  Result<Bytes> port_attributes(const std::string& device, std::uint32_t number) override {
    return bytes(answer_key::verbs_port(device, number));
  }
  Result<Bytes> gid_table(const std::string& device) override { return bytes(answer_key::verbs_gids(device)); }
  Result<std::string> results() override { return text(answer_key::kProbeResults); }
  Instant now() override { return clock_now; }
};

}  // namespace roceready::doubles
