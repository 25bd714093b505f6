// SPDX-License-Identifier: Apache-2.0
#include "rules/remembered.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "rules/engine.h"

namespace roceready::rules {
namespace {

using nlohmann::json;

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

json of(const std::variant<double, std::string>& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    // JSON has no infinity; as text it stays readable.
    if (!std::isfinite(*number)) return *number > 0 ? "+Inf" : *number < 0 ? "-Inf" : "NaN";
    return *number;
  }
  return std::get<std::string>(value);
}

std::optional<std::variant<double, std::string>> value_from(const json& from) {
  if (from.is_number()) {
    const auto number = from.get<double>();
    if (!std::isfinite(number)) return {};
    return std::variant<double, std::string>(number);
  }
  if (from.is_string() && from.get_ref<const std::string&>().size() <= kMostText)
    return std::variant<double, std::string>(from.get<std::string>());
  return {};
}

std::optional<std::vector<FixCommand>> fix_from(const json& from) {
  if (!from.is_array() || from.size() > kMostItems) return {};
  std::vector<FixCommand> out;
  for (const json& each : from) {
    Recalled one(each);
    out.push_back({one.text("vendor"), one.text("command"), one.flag("persistent"), one.text("note")});
    if (!one.good()) return {};
  }
  return out;
}

}  // namespace

std::optional<Severity> severity_from(const std::string& name) {
  for (const Severity each : {Severity::Info, Severity::Warning, Severity::Critical})
    if (name == name_of(each)) return each;
  return {};
}

json parsed(const std::string& text) {
  return json::parse(text, nullptr, false);
}

std::string as_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json remembered(const Subject& subject) {
  json out = {
      {"device", subject.device}, {"port", subject.port}, {"netdev", subject.netdev}, {"member", subject.member}};
  if (subject.priority) out["priority"] = *subject.priority;
  if (subject.peer) out["peer"] = *subject.peer;
  if (subject.path) out["path"] = *subject.path;
  return out;
}

json remembered(const Instant& at) {
  return {{"monotonic_ns", at.monotonic_ns}, {"wall_ns", at.wall_ns}};
}

json remembered(const std::vector<EvidenceItem>& evidence) {
  json out = json::array();
  for (const EvidenceItem& item : evidence) {
    json one = {{"what", item.what},
                {"value", of(item.value)},
                {"unit", item.unit},
                {"source", item.source},
                {"at_wall_ns", item.at_wall_ns}};
    if (item.op) one["op"] = *item.op;
    if (item.limit) one["limit"] = of(*item.limit);
    out.push_back(std::move(one));
  }
  return out;
}

json remembered(const Finding& finding) {
  json fix = json::array();
  for (const FixCommand& each : finding.fix)
    fix.push_back(
        {{"vendor", each.vendor}, {"command", each.command}, {"persistent", each.persistent}, {"note", each.note}});
  return {{"key", finding.key},
          {"rule", finding.rule->id},
          {"severity", name_of(finding.severity)},
          {"confidence", finding.confidence},
          {"recovering", finding.state == FindingState::Recovering},
          {"subject", remembered(finding.subject)},
          {"seen", finding.seen},
          {"evidence", remembered(finding.evidence)},
          {"fix", std::move(fix)},
          {"derived_threshold", finding.derived_threshold}};
}

Recalled::Recalled(const json& from) : from_(from), good_(from.is_object()) {}

bool Recalled::has(const char* name) const {
  return good_ && from_.contains(name);
}

const json* Recalled::member(const char* name) {
  if (good_) {
    const auto found = from_.find(name);
    if (found != from_.end()) return &*found;
  }
  good_ = false;
  return nullptr;
}

std::string Recalled::text(const char* name) {
  const json* found = member(name);
  if (found == nullptr) return {};
  if (!found->is_string() || found->get_ref<const std::string&>().size() > kMostText) {
    good_ = false;
    return {};
  }
  return found->get<std::string>();
}

std::int64_t Recalled::integer(const char* name, std::int64_t least, std::int64_t most) {
  const json* found = member(name);
  if (found == nullptr) return least;
  const bool fits = found->is_number_integer() && (!found->is_number_unsigned() || found->get<std::uint64_t>() <= kAny);
  const std::int64_t value = fits ? found->get<std::int64_t>() : least;
  good_ = good_ && fits && value >= least && value <= most;
  return good_ ? value : least;
}

double Recalled::number(const char* name) {
  const json* found = member(name);
  if (found == nullptr) return 0;
  good_ = found->is_number() && std::isfinite(found->get<double>());
  return good_ ? found->get<double>() : 0;
}

bool Recalled::flag(const char* name) {
  const json* found = member(name);
  if (found == nullptr) return false;
  good_ = found->is_boolean();
  return good_ && found->get<bool>();
}

Instant Recalled::instant(const char* name) {
  const json* found = member(name);
  if (found == nullptr) return {};
  Recalled inner(*found);
  // Half of the range: differences of two never overflow.
  constexpr std::int64_t kFar = kAny / 2;
  const Instant out{inner.integer("monotonic_ns", -kFar, kFar), inner.integer("wall_ns", -kFar, kFar)};
  good_ = inner.good();
  return out;
}

Subject Recalled::subject(const char* name) {
  const json* found = member(name);
  if (found == nullptr) return {};
  Recalled inner(*found);
  Subject out;
  out.device = inner.text("device");
  out.port = static_cast<std::uint32_t>(inner.integer("port", 0, 65535));
  out.netdev = inner.text("netdev");
  out.member = inner.text("member");
  if (inner.has("priority")) out.priority = static_cast<std::uint8_t>(inner.integer("priority", 0, 7));
  if (inner.has("peer")) out.peer = inner.text("peer");
  if (inner.has("path")) out.path = inner.text("path");
  good_ = inner.good();
  return out;
}

std::vector<EvidenceItem> Recalled::evidence(const char* name) {
  std::vector<EvidenceItem> out;
  const json* found = member(name);
  if (found == nullptr) return out;
  if (!found->is_array() || found->size() > kMostItems) {
    good_ = false;
    return out;
  }
  for (const json& each : *found) {
    Recalled one(each);
    EvidenceItem item;
    item.what = one.text("what");
    item.unit = one.text("unit");
    item.source = one.text("source");
    item.at_wall_ns = one.integer("at_wall_ns", -kAny, kAny);
    const json* value = one.member("value");
    const auto read = value != nullptr ? value_from(*value) : std::nullopt;
    if (one.has("op")) item.op = one.text("op");
    if (one.has("limit")) item.limit = value_from(*one.member("limit"));
    good_ = good_ && one.good() && read && (!one.has("limit") || item.limit);
    if (!good_) return {};
    item.value = *read;
    out.push_back(std::move(item));
  }
  return out;
}

std::optional<Finding> finding_from(const json& from) {
  Recalled read(from);
  Finding out;
  out.key = read.text("key");
  out.rule = rule_named(read.text("rule"));
  const auto severity = severity_from(read.text("severity"));
  out.confidence = read.number("confidence");
  out.state = read.flag("recovering") ? FindingState::Recovering : FindingState::Active;
  out.subject = read.subject("subject");
  out.seen = read.text("seen");
  if (out.rule != nullptr) out.next = out.rule->next;
  out.evidence = read.evidence("evidence");
  out.derived_threshold = read.flag("derived_threshold");
  const json* fix = read.member("fix");
  auto commands = fix != nullptr ? fix_from(*fix) : std::nullopt;
  const bool sound = read.good() && out.rule != nullptr && severity && commands && out.confidence >= 0 &&
                     out.confidence <= 1 && out.key == std::string(out.rule->id) + "@" + out.subject.key();
  if (!sound) return {};
  out.severity = *severity;
  out.fix = std::move(*commands);
  return out;
}

}  // namespace roceready::rules
