// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <nlohmann/json.hpp>

#include "rules/incidents.h"
#include "rules/remembered.h"

namespace roceready::rules {
namespace {

using nlohmann::json;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

json of(const IncidentView& view) {
  return {{"wall_ns", view.wall_ns},
          {"severity", name_of(view.severity)},
          {"seen", view.seen},
          {"evidence", remembered(view.evidence)}};
}

bool read_view(const json* from, IncidentView& into) {
  if (from == nullptr) return false;
  Recalled read(*from);
  into.wall_ns = read.integer("wall_ns", 0, kMost);
  const auto severity = severity_from(read.text("severity"));
  into.severity = severity.value_or(Severity::Info);
  into.seen = read.text("seen");
  into.evidence = read.evidence("evidence");
  return read.good() && severity;
}

template <class E>
bool pick(const std::string& name, std::initializer_list<E> all, E& into) {
  for (const E each : all) {
    if (name != name_of(each)) continue;
    into = each;
    return true;
  }
  return false;
}

}  // namespace

std::string incident_text(const Incident& i) {
  json out = {{"id", i.id},
              {"kind", name_of(i.kind)},
              {"key", i.key},
              {"rule", i.rule},
              {"title", i.title},
              {"subject", remembered(i.subject)},
              {"state", name_of(i.state)},
              {"begin", remembered(i.begin)},
              {"boot", i.boot},
              {"first", of(i.first)},
              {"peak", of(i.peak)},
              {"relapses", i.relapses},
              {"ended_by", i.ended_by},
              {"what", i.what},
              {"from", i.from},
              {"to", i.to}};
  if (i.end) out["end"] = remembered(*i.end);
  return as_text(out);
}

std::optional<Incident> incident_from(const std::string& text) {
  const json from = parsed(text);
  Recalled read(from);
  Incident out;
  out.id = static_cast<std::uint64_t>(read.integer("id", 1, kMost / 2));
  out.key = read.text("key");
  out.rule = read.text("rule");
  out.title = read.text("title");
  out.subject = read.subject("subject");
  out.begin = read.instant("begin");
  out.boot = read.text("boot");
  out.relapses = static_cast<std::uint32_t>(read.integer("relapses", 0, std::numeric_limits<std::uint32_t>::max()));
  out.ended_by = read.text("ended_by");
  out.what = read.text("what");
  out.from = read.text("from");
  out.to = read.text("to");
  if (read.has("end")) out.end = read.instant("end");
  const bool named =
      pick(read.text("kind"), {IncidentKind::Finding, IncidentKind::Drift, IncidentKind::Clock}, out.kind) &&
      pick(read.text("state"), {IncidentState::Active, IncidentState::Recovering, IncidentState::Ended}, out.state);
  const bool views = read_view(read.member("first"), out.first) && read_view(read.member("peak"), out.peak);
  const bool whole = (out.state == IncidentState::Active) != out.end.has_value();
  if (!read.good() || !named || !views || !whole || out.key.empty()) return {};
  return out;
}

}  // namespace roceready::rules
