// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/port_json.h"

#include <cmath>

#include "core/base/text.h"
#include "core/base/time.h"
#include "daemon/export/port_view.h"

namespace roceready::daemon {
namespace {

Json qos_of(const DcbFacts& dcb) {
  Json out;
  out["trust"] = json_reading(dcb.trust);
  out["pfc_priorities"] = dcb.pfc ? Json(priorities_of(dcb.pfc->enabled)) : Json();
  out["dscp_to_priority"] = json_reading(dcb.dscp_to_priority);
  if (dcb.ets) {
    out["ets"] = Json{{"willing", json_reading(dcb.ets->willing)},
                      {"bandwidth_percent", dcb.ets->bandwidth_percent},
                      {"algorithm", dcb.ets->algorithm},
                      {"priority_to_class", dcb.ets->priority_to_class}};
  } else {
    out["ets"] = nullptr;
  }
  if (dcb.buffers) {
    out["buffers"] = Json{{"priority_to_buffer", dcb.buffers->priority_to_buffer},
                          {"size_bytes", dcb.buffers->size_bytes},
                          {"total_bytes", json_reading(dcb.buffers->total_bytes)}};
  } else {
    out["buffers"] = nullptr;
  }
  return out;
}

Json no_qos() {
  return qos_of(DcbFacts{});
}

Json member_of(const MemberView& member) {
  const Netdev none;
  const Netdev& facts = member.facts != nullptr ? *member.facts : none;
  Json out;
  out["netdev"] = json_text(member.name);
  out["index"] = member.facts != nullptr ? Json(facts.link.index) : Json();
  out["pci"] = json_reading(facts.link.parent_device);
  out["driver"] = facts.ethtool.driver ? json_text_or_null(facts.ethtool.driver->driver) : Json();
  out["firmware"] = facts.ethtool.driver ? json_text_or_null(facts.ethtool.driver->firmware) : Json();
  out["speed_bits_per_second"] = json_reading(member.speed_bits_per_second);
  out["link"] = Json{{"admin_up", json_reading(facts.link.admin_up)},
                     {"carrier", json_reading(facts.link.carrier)},
                     {"oper_state", json_reading(facts.link.oper_state)}};
  out["mtu"] = json_reading(facts.link.mtu);
  const auto& pause = facts.ethtool.pause;
  out["pause"] =
      Json{{"rx", json_reading(field(pause, &PauseFacts::rx))}, {"tx", json_reading(field(pause, &PauseFacts::tx))}};
  out["fec"] = json_reading(field(facts.ethtool.fec, &FecFacts::active));
  out["qos"] = qos_of(facts.dcb);
  return out;
}

Json rates_of(const rules::PortReport& port) {
  Json out = Json::object();
  for (const auto& [name, rate] : port.rates) out[clean_text(name)] = json_reading(rate);
  return out;
}

Json port_of(const PortView& view) {
  const rules::PortReport& judged = *view.judged;
  const RdmaPort none;
  const RdmaPort& facts = view.facts != nullptr ? *view.facts : none;
  Json out;
  out["key"] = json_text(judged.key);
  out["device"] = json_text_or_null(judged.device);
  out["port"] = judged.device.empty() ? Json() : Json(judged.port);
  out["in_scope"] = judged.in_scope;
  if (!judged.why_not.empty()) out["why_not"] = json_text(judged.why_not);
  out["netdev"] = json_text_or_null(view.netdev);
  out["members"] = Json::array();
  for (const MemberView& member : view.members) out["members"].push_back(member_of(member));
  out["uppers"] = Json::array();
  for (const std::string& upper : facts.uppers) out["uppers"].push_back(json_text(upper));
  out["driver"] = json_reading(view.driver);
  out["firmware"] = json_reading(view.firmware);
  out["pci"] = json_reading(facts.pci_address);
  out["numa"] = view.pci != nullptr ? json_reading(view.pci->numa_node) : Json();
  out["speed_bits_per_second"] = json_reading(view.speed_bits_per_second);
  out["link"] = Json{{"state", json_reading(facts.state)},
                     {"physical_state", json_reading(facts.physical_state)},
                     {"layer", json_reading(facts.link_layer)},
                     {"carrier", json_reading(view.carrier)}};
  out["mtu"] = json_reading(view.mtu);
  out["roce"] = Json{{"versions", facts.gids ? Json(view.roce_versions) : Json()},
                     {"gid_index", json_reading(view.gid_index)},
                     {"active_mtu", json_reading(facts.active_mtu)}};
  const Netdev* first = view.members.empty() ? nullptr : view.members.front().facts;
  out["qos"] = first != nullptr ? qos_of(first->dcb) : no_qos();
  out["profile"] = json_text_or_null(judged.profile);
  out["verdict"] = name_of(judged.verdict);
  out["score"] = judged.score ? json_number(*judged.score) : Json();
  out["score_without_waivers"] = judged.score_without_waivers ? json_number(*judged.score_without_waivers) : Json();
  out["coverage"] = json_coverage(judged.coverage);
  out["penalties"] = json_penalties(judged.penalties);
  out["rates"] = rates_of(judged);
  return out;
}

}  // namespace

Json json_text(const std::string& text) {
  return clean_text(text);
}

Json json_text_or_null(const std::string& text) {
  return text.empty() ? Json() : json_text(text);
}

Json json_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return value;
}

Json json_time(std::int64_t wall_ns) {
  return wall_ns == 0 ? Json() : Json(rfc3339(wall_ns));
}

Json json_coverage(const rules::Coverage& coverage) {
  return Json{{"ratio", json_number(coverage.ratio)},
              {"judged", coverage.judged},
              {"unknown", coverage.unknown},
              {"not_applicable", coverage.not_applicable}};
}

Json json_penalties(const std::vector<rules::Penalty>& penalties) {
  Json out = Json::array();
  for (const rules::Penalty& penalty : penalties)
    out.push_back(Json{{"finding", json_text_or_null(penalty.finding)},
                       {"domain", json_text(penalty.domain)},
                       {"points", json_number(penalty.points)},
                       {"note", json_text_or_null(penalty.note)}});
  return out;
}

Json json_ports(const rules::Report& report) {
  Json out = Json::array();
  for (const PortView& view : port_views(report)) out.push_back(port_of(view));
  return out;
}

std::string json_dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace roceready::daemon
