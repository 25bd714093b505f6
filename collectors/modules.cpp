// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "collectors/collector.h"
#include "collectors/module_eeprom.h"
#include "collectors/uapi.h"
#include "core/host/answer_key.h"

namespace roceready {
namespace {

Result<Bytes> ask(Host& host, Context& context, const std::string& netdev, const ModulePart& part) {
  const std::string question = answer_key::module_eeprom(netdev, part);
  const auto answer =
      context.refusals.ask(question, context.now, [&] { return host.ethtool.module_eeprom(netdev, part); });
  if (!answer) return answer.error();
  const auto data = find_attribute(*answer, uapi::kEthtoolAModuleEepromData);
  if (!data || data->payload.size() < part.length)
    return Error{ErrorCode::Malformed, "the module's bytes are cut short", "module EEPROM of " + netdev};
  return Bytes(data->payload.begin(), data->payload.begin() + part.length);
}

/// Drivers answer with all kinds of errors where no module is plugged or it lacks a page: that is no damage. What the
/// user may not do, what took too long and what came back cut short stays what it is.
Absent missing(const Error& error, Why why) {
  Absent out = absent_from(error);
  const bool refused_by_driver =
      error.os_error != 0 && error.code != ErrorCode::Denied && error.code != ErrorCode::TimedOut;
  if (refused_by_driver) out.why = why;
  return out;
}

Reading<ModuleFacts> read_module(Host& host, Context& context, const std::string& netdev) {
  auto head = ask(host, context, netdev, kModuleHead);
  if (!head) return missing(head.error(), Why::NotPresent);
  std::map<ModulePart, Bytes> parts;
  Absent refused;
  for (const ModulePart& part : module_parts(*head)) {
    auto bytes = ask(host, context, netdev, part);
    if (bytes)
      parts[part] = std::move(*bytes);
    else if (refused.detail.empty() || refused.why == Why::NotSupported)
      refused = missing(bytes.error(), Why::NotSupported);
  }
  parts[kModuleHead] = std::move(*head);
  ModuleFacts out = parse_module(parts);
  const bool measures_nothing = !out.monitors && out.monitors.absent().why == Why::NotPresent;
  if (measures_nothing && !refused.detail.empty()) out.monitors = refused;
  return out;
}

Result<void> collect(Host& host, const Selection&, Context& context, Snapshot& out) {
  for (Netdev& netdev : out.netdevs) {
    if (context.members.contains(netdev.link.name))
      netdev.ethtool.module = read_module(host, context, netdev.link.name);
  }
  return {};
}

}  // namespace

extern const Collector kModules;
constinit const Collector kModules{"modules", Cadence::Machine, false, collect};

}  // namespace roceready
