// SPDX-License-Identifier: Apache-2.0
// The ports with which a responder answers: which there are, opening one, and when it must go.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "probes/responder.h"
#include "probes/responder_session.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kListedForNs = 10 * kSecond, kScopeEveryNs = kSecond;

}  // namespace

bool Responder::excluded(const verbs::PortName& name) const {
  return options_.may_use && !options_.may_use(name);
}

Result<std::vector<Responder::Candidate>> Responder::candidates() {
  std::erase_if(candidates_, [this](const Candidate& each) { return excluded(each.name); });
  if (!candidates_.empty() && verbs_.now_ns() < candidates_until_ns_) return candidates_;
  const auto names = verbs_.list();
  if (!names) return names.error();
  candidates_.clear();
  Error last{ErrorCode::NotFound, "there is no RDMA device", "RDMA", 0};
  if (!names->empty() && std::ranges::all_of(*names, [this](const auto& name) { return excluded(name); }))
    last = {ErrorCode::NotSupported, "all are excluded from probing", "RDMA ports", 0};
  for (const verbs::PortName& name : *names) {
    if (excluded(name)) continue;
    const auto opened = open_probe_port(verbs_, name, std::nullopt);
    if (opened)
      candidates_.push_back({name, opened->facts});
    else
      last = opened.error();
  }
  candidates_until_ns_ = verbs_.now_ns() + kListedForNs;
  port_count_ = std::max<std::size_t>(candidates_.size(), 1);
  if (candidates_.empty()) return last;
  return candidates_;
}

Result<std::shared_ptr<Responder::Serving>> Responder::serving_for(const SessionRequest& request) {
  const std::lock_guard opening(opening_);
  const auto among = candidates();
  if (!among) return among.error();
  Error last{ErrorCode::NotFound, "none has the address family that is asked for, or the name", "RDMA ports", 0};
  for (const verbs::PortName& name : rank(*among, request)) {
    auto opened = open_serving(name, request.endpoint.gid);
    if (opened) return opened;
    last = opened.error();
    candidates_until_ns_ = 0;  // what we know is old
  }
  return last;
}

Result<std::shared_ptr<Responder::Serving>> Responder::open_serving(const verbs::PortName& name,
                                                                    const verbs::Gid& like) {
  const std::string key = name.text() + (verbs::is_ipv4(like) ? " IPv4" : " IPv6");
  {
    const Entrance entrance(*this, kPatience);
    if (!entrance) return held_up();
    if (const auto found = servings_.find(key); found != servings_.end()) {
      found->second->used_ns = verbs_.now_ns();
      return found->second;
    }
  }
  auto port = open_probe_port(verbs_, name, like);
  if (!port) return port.error();
  verbs::UdOptions wanted;
  wanted.queue_pairs = std::clamp(options_.queue_pairs, 1U, 16U);
  // Each peer has a few probes under way at a time; what does not fit is lost, and looks like loss.
  wanted.receive_slots = std::clamp(options_.expected_peers * 4 / wanted.queue_pairs, 32U, 1024U);
  wanted.send_slots = std::clamp(options_.expected_peers * 4, 64U, 2048U);
  wanted.payload_bytes = port->facts.active_mtu_bytes;
  wanted.qkey = random_qkey();
  auto ud = port->port->make_ud(wanted);
  if (!ud) return ud.error();
  auto serving = std::make_shared<Serving>(std::move(*port), std::move(*ud), verbs_, options_.probes_per_second,
                                           options_.budget.get());
  serving->used_ns = verbs_.now_ns();
  const Entrance entrance(*this, kPatience);
  if (!entrance) return held_up();
  past_.failed.erase(key);
  servings_[key] = serving;
  mtus_.add({serving, serving->port.port.get()}, serving->port.facts.active_mtu_bytes);
  return serving;
}

void Responder::watch_events(Serving& serving) {
  for (const verbs::Event& event : serving.port.port->events()) {
    if (event.kind == verbs::EventKind::DeviceFatal)
      serving.failed = "the device failed or was removed (" + event.name + ")";
    if (event.kind == verbs::EventKind::PortActive) mtus_.suspect(*serving.port.port);
    if (event.kind != verbs::EventKind::GidChange) continue;
    const auto facts = serving.port.port->facts();
    const verbs::GidEntry& own = serving.port.gid;
    const bool still = facts && std::any_of(facts->gids.begin(), facts->gids.end(), [&](const verbs::GidEntry& entry) {
                         return entry.index == own.index && entry.gid == own.gid && entry.type == own.type;
                       });
    if (!still) serving.failed = "the address " + verbs::address_text(own.gid) + " is gone from the port";
  }
  if (serving.failed.empty()) serving.failed = mtus_.change_of(*serving.port.port);
}

void Responder::look_at_scope(std::int64_t now_ns) {
  if (now_ns - scope_seen_ns_ < kScopeEveryNs) return;
  scope_seen_ns_ = now_ns;
  for (auto& [name, serving] : servings_)
    if (excluded(serving->port.port->name())) serving->failed = "the port is excluded from probing";
}

}  // namespace roceready::probes
