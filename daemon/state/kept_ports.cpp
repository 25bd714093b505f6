// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/kept_ports.h"

#include <nlohmann/json.hpp>

#include "rules/remembered.h"

namespace roceready::daemon {

std::string kept_ports_text(const KeptPorts& ports) {
  return rules::as_text({{"boot", ports.boot}, {"used", ports.used}});
}

std::optional<KeptPorts> kept_ports_from(const std::string& text) {
  constexpr std::size_t kMostKey = 256;
  const nlohmann::json json = rules::parsed(text);
  rules::Recalled read(json);
  KeptPorts out;
  out.boot = read.text("boot");
  const nlohmann::json* used = read.member("used");
  if (!read.good() || used == nullptr || !used->is_array() || used->size() > kMostKeptPorts) return {};
  for (const nlohmann::json& key : *used) {
    const auto* name = key.get_ptr<const std::string*>();
    if (name == nullptr || name->empty() || name->size() > kMostKey) return {};
    out.used.insert(*name);
  }
  return out;
}

}  // namespace roceready::daemon
