// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/probe_terms.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "core/base/text.h"
#include "daemon/probing/peer_sources.h"
#include "daemon/setup.h"
#include "probes/wire.h"
#include "rules/profile.h"
#include "rules/profile_changes.h"

namespace roceready::daemon {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unnamed";
  return clean_text(std::string(name.data()).substr(0, 64));
}

/// "mlx5_0=left" and "mlx5_0/1=left" both name port 1.
Result<void> add_rail(const std::string& text, std::map<std::string, std::string>& rails) {
  const auto equals = text.find('=');
  std::string port = text.substr(0, equals);
  const std::string rail = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (port.empty() || rail.empty() || rail.size() > 64)
    return Error{ErrorCode::Usage, "probes.rails: \"" + clean_text(text) + "\" is not DEVICE=RAIL or DEVICE/PORT=RAIL",
                 "", 0};
  if (port.find('/') == std::string::npos) port += "/1";
  rails[port] = rail;
  return {};
}

probes::TravelClass class_of(const rules::Profile& profile, const config::ProbeSettings& settings) {
  probes::TravelClass out{profile.roce_dscp, profile.roce_priority};
  if (settings.dscp >= 0) out.dscp = static_cast<std::uint8_t>(settings.dscp);
  return out;
}

/// Limits below what the least of probing every peer takes: one port, small messages, each peer probed and answered.
void add_low_limits(const config::ProbeSettings& settings, std::vector<std::pair<std::string, std::string>>& out) {
  if (!wants_peers(settings)) return;
  const bool named = settings.peers_file.empty() && settings.peers_dns.empty();
  const std::size_t peers = named ? std::min(settings.peers.size(), settings.max_peers) : settings.max_peers;
  const double messages = settings.answer ? 3 : 1;  // a probe, and two replies to the peer's
  const double rounds =
      static_cast<double>(peers) * 1e9 / static_cast<double>(std::max<std::int64_t>(settings.interval_ns, 1));
  const auto check = [&](const std::string& option, double has, double each, const char* unit) {
    const double needed = std::ceil(rounds * each);
    if (has >= needed) return;
    const auto text = [](double number) { return std::to_string(static_cast<long long>(number)); };
    out.emplace_back(option, option + ": " + text(has) + " " + unit + " are less than the " + text(needed) + " that " +
                                 std::to_string(peers) + (named ? " peers" : " peers (probes.max_peers)") +
                                 " take at this probes.interval; raise it, or the interval, or probe fewer peers");
  };
  check("probes.packets_per_second", settings.packets_per_second, messages, "packets/s");
  check("probes.bytes_per_second", settings.bytes_per_second, messages * probes::kHeaderBytes, "bytes/s");
}

}  // namespace

void PortsInScope::select(MayUse may_use) {
  const std::lock_guard lock(mutex_);
  may_use_ = std::move(may_use);
}

void PortsInScope::see(const Snapshot& snapshot) {
  std::set<std::string> ports;
  for (const RdmaPort& port : snapshot.ports)
    if (port.in_scope) ports.insert(port.device + "/" + std::to_string(port.port));
  const bool listed = std::ranges::none_of(
      snapshot.collectors, [](const CollectorRun& run) { return run.collector == "rdma_ports" && !run.success; });
  const std::lock_guard lock(mutex_);
  unlisted_ = ports.empty() && !listed;
  if (unlisted_) return;  // a sample that failed takes no port away
  ports_ = std::move(ports);
  known_ = true;
}

bool PortsInScope::known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

bool PortsInScope::unlisted() const {
  const std::lock_guard lock(mutex_);
  return unlisted_;
}

bool PortsInScope::contains(const probes::verbs::PortName& port) const {
  const std::lock_guard lock(mutex_);
  return ports_.contains(port.text()) && (!may_use_ || may_use_(port));
}

bool wants_peers(const config::ProbeSettings& settings) {
  return !settings.peers.empty() || !settings.peers_file.empty() || !settings.peers_dns.empty();
}

std::vector<std::pair<std::string, std::string>> probe_problems(const config::Settings& settings) {
  std::vector<std::pair<std::string, std::string>> out;
  if (wants_peers(settings.probes) && settings.probes.secret_file.empty())
    out.emplace_back("probes.secret_file",
                     "probes.secret_file: peers are configured, and a mesh of probes needs a secret that all of them "
                     "share (head -c 32 /dev/urandom | base64 makes one)");
  std::map<std::string, std::string> rails;
  for (const std::string& rail : settings.probes.rails)
    if (const auto added = add_rail(rail, rails); !added) out.emplace_back("probes.rails", added.error().what);
  add_low_limits(settings.probes, out);
  return out;
}

std::optional<probes::TravelClass> class_in(const rules::ProfileUse& use, const config::Settings& settings) {
  const rules::Profile* const profile = rules::profile_named(use.name);
  if (profile == nullptr || (!settings.profile.empty() && settings.profile != use.name)) return std::nullopt;
  rules::ProfileChanges changes = profile_changes(settings);
  changes.overrides.insert(use.guess_overrides.begin(), use.guess_overrides.end());  // what the site says holds over it
  rules::Profile effective = rules::apply(*profile, changes).profile;
  for (const rules::ChangedProfileValue& each : use.changed)  // what was left open, and is settled by what is seen
    if (const rules::ProfileKey* const key = rules::profile_key_named(each.key); key != nullptr && !each.value.empty())
      key->set(effective, each.value);
  return class_of(effective, settings.probes);
}

Result<ProbeTerms> probe_terms(const config::Settings& settings) {
  ProbeTerms out;
  if (const rules::Profile* named = rules::profile_named(settings.profile))
    out.in_class = class_of(rules::apply(*named, profile_changes(settings)).profile, settings.probes);
  else if (settings.probes.dscp >= 0)
    out.in_class.dscp = static_cast<std::uint8_t>(settings.probes.dscp);
  if (!settings.probes.secret_file.empty()) {
    const auto secret = read_secret(settings.probes.secret_file);
    if (!secret) return secret.error();
    const auto bytes = std::as_bytes(std::span(secret->data(), secret->size()));
    out.secret.assign(bytes.begin(), bytes.end());
  }
  out.labels.node = host_name();
  out.labels.label = settings.probes.label;
  for (const std::string& rail : settings.probes.rails)
    if (auto added = add_rail(rail, out.labels.rails); !added) return added.error();
  out.may_use = [selection = sampler_options(settings).selection](const probes::verbs::PortName& port) {
    return !selection.excludes_device(port.device) && !selection.excludes_port(port.device, port.port);
  };
  return out;
}

}  // namespace roceready::daemon
