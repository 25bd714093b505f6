// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/probe_terms.h"

#include <unistd.h>

#include <array>
#include <map>
#include <span>

#include "core/base/text.h"
#include "daemon/probing/peer_sources.h"
#include "daemon/setup.h"
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

}  // namespace

void PortsInScope::set(std::set<std::string> ports) {
  const std::lock_guard lock(mutex_);
  ports_ = std::move(ports);
}

bool PortsInScope::contains(const std::string& port) const {
  const std::lock_guard lock(mutex_);
  return ports_.contains(port);
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
  return out;
}

Result<ProbeTerms> probe_terms(const config::Settings& settings) {
  ProbeTerms out;
  if (const rules::Profile* named = rules::profile_named(settings.profile)) {
    const rules::EffectiveProfile effective = rules::apply(*named, profile_changes(settings));
    out.dscp = effective.profile.roce_dscp;
    out.service_level = effective.profile.roce_priority;
  }
  if (settings.probes.dscp >= 0) out.dscp = static_cast<std::uint8_t>(settings.probes.dscp);
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
