// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "probes/cm/manager.h"

namespace roceready::doubles {

/// Connection managers of all nodes of a test in one. A call reaches who listens at its address and number, whose step
/// `serve` must call. Threads: one.
class FakeManager : public probes::cm::Manager {
 public:
  using Call = probes::cm::Call;
  using Outcome = probes::cm::Outcome;
  std::function<void()> serve;                                 ///< lets the other end take its turn while a call waits
  std::function<std::optional<Outcome>(const Call&)> instead;  ///< what becomes of a call without reaching anybody
  std::function<void(std::vector<std::byte>&)> on_the_way;     ///< changes private data, there and back
  std::vector<Call> calls;
  std::optional<roceready::Error> listening_fails;
  std::map<probes::verbs::Gid, std::size_t> opened;  ///< listeners so far, by address
  std::size_t open_now = 0;
  std::set<std::uint16_t> taken;  ///< numbers that nobody can have
  bool listeners_break = false, listeners_full = false;
  std::uint16_t next_service = 40'000;
  std::vector<std::uint32_t> accepted_with;  ///< queue pairs

  Outcome call(const Call& what, const std::stop_token& /*stop*/) override {
    calls.push_back(what);
    if (instead)
      if (auto said = instead(what)) return *said;
    Outcome out;
    const auto listener = listeners_.find({what.to, what.service});
    if (listener == listeners_.end()) {
      out.kind = Outcome::Kind::Refused;
      out.why = "rejected: nobody listens on that service (8)";
      return out;
    }
    std::vector<std::byte> told = padded(what.told, probes::cm::kPrivateBytes);
    if (on_the_way) on_the_way(told);
    Waiting waiting{told, probes::cm::Refusal{}, false};
    listener->second->waiting.push_back(&waiting);
    if (serve) serve();
    if (!waiting.taken) {
      std::erase(listener->second->waiting, &waiting);
      out.kind = Outcome::Kind::Failed;
      out.stage = probes::cm::Stage::Connect;
      out.why = "no answer in time";
    } else if (const auto* const refusal = std::get_if<probes::cm::Refusal>(&waiting.answer)) {
      out.kind = Outcome::Kind::Refused;
      out.why = "rejected: the program there does not take it (28)";
      out.told = padded(refusal->told, 148);
    } else {
      const auto& accepted = std::get<probes::cm::Acceptance>(waiting.answer);
      out.kind = Outcome::Kind::Connected;
      out.told = padded(accepted.told, 196);
      accepted_with.push_back(accepted.queue_pair);
      listener->second->owners.push_back(accepted.owner);
      if (on_the_way) on_the_way(out.told);
    }
    return out;
  }

  Result<std::unique_ptr<probes::cm::Listener>> listen(const probes::verbs::Gid& address, std::uint16_t service,
                                                       const probes::verbs::KernelPort& /*at*/) override {
    if (listening_fails) return *listening_fails;
    if (taken.contains(service)) return roceready::Error{ErrorCode::Io, "address in use", "", 0};
    ++opened[address];
    return std::unique_ptr<probes::cm::Listener>(
        std::make_unique<FakeListener>(*this, address, service != 0 ? service : next_service++));
  }

 private:
  struct Waiting {
    std::vector<std::byte> told;
    probes::cm::Reply answer;
    bool taken = false;
  };
  class FakeListener : public probes::cm::Listener {
   public:
    FakeListener(FakeManager& manager, const probes::verbs::Gid& address, std::uint16_t number)
        : manager_(manager), address_(address), number_(number) {
      manager_.listeners_[{address_, number_}] = this;
      ++manager_.open_now;
    }
    ~FakeListener() override {
      manager_.listeners_.erase({address_, number_});
      --manager_.open_now;
    }
    [[nodiscard]] std::uint16_t service() const override { return number_; }
    [[nodiscard]] int fd() const override { return -1; }
    [[nodiscard]] bool holds_any() const override { return !owners.empty(); }
    Result<void> step(const Answer& answer) override {
      if (manager_.listeners_break) return roceready::Error{ErrorCode::NotFound, "the device has gone", "", 0};
      for (; !waiting.empty(); waiting.pop_front()) {
        waiting.front()->answer = answer(waiting.front()->told, !manager_.listeners_full);
        waiting.front()->taken = true;
      }
      return {};
    }
    std::deque<Waiting*> waiting;
    std::vector<std::shared_ptr<void>> owners;  ///< kept as long as the listener

   private:
    FakeManager& manager_;
    probes::verbs::Gid address_;
    std::uint16_t number_;
  };
  /// As private data arrives: of the length that the kind of message has room for.
  static std::vector<std::byte> padded(std::vector<std::byte> data, std::size_t size) {
    data.resize(size);
    return data;
  }
  std::map<std::pair<probes::verbs::Gid, std::uint16_t>, FakeListener*> listeners_;
};

}  // namespace roceready::doubles
