// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "probes/verbs/verbs.h"

namespace roceready::probes {

/// Holds the threads that come to it while it is closed.
class Gate {
 public:
  void close() {
    const std::lock_guard guard(lock_);
    closed_ = true;
  }
  void open() {
    const std::lock_guard guard(lock_);
    closed_ = false;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock held(lock_);
    if (!closed_) return;
    ++held_;
    changed_.notify_all();
    changed_.wait(held, [this] { return !closed_; });
    --held_;
  }
  /// Until so many threads are held.
  void await(int count) {
    std::unique_lock held(lock_);
    changed_.wait(held, [&] { return held_ >= count; });
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool closed_ = false;
  int held_ = 0;
};

/// A node whose driver hangs in calls of a kind for as long as it is told to.
class HangingVerbs : public verbs::Verbs {
 public:
  explicit HangingVerbs(verbs::Verbs& real) : real_(real) {}
  Result<std::vector<verbs::PortName>> list() override {
    lists.pass();
    return real_.list();
  }
  Result<std::unique_ptr<verbs::Port>> open(const verbs::PortName& name) override {
    auto port = real_.open(name);
    if (!port) return port;
    return std::unique_ptr<verbs::Port>(std::make_unique<HangingPort>(std::move(*port), facts, connections));
  }
  [[nodiscard]] std::int64_t now_ns() const override { return real_.now_ns(); }
  [[nodiscard]] std::int64_t waited_ns() const override { return real_.waited_ns(); }

  Gate lists, facts, connections;

 private:
  class HangingPort : public verbs::Port {
   public:
    HangingPort(std::unique_ptr<verbs::Port> real, Gate& facts, Gate& connections)
        : real_(std::move(real)), facts_(facts), connections_(connections) {}
    [[nodiscard]] const verbs::PortName& name() const override { return real_->name(); }
    Result<verbs::PortFacts> facts() override {
      facts_.pass();
      return real_->facts();
    }
    Result<std::unique_ptr<verbs::Ud>> make_ud(const verbs::UdOptions& options) override {
      return real_->make_ud(options);
    }
    Result<std::unique_ptr<verbs::Rc>> make_rc(const verbs::RcOptions& options) override {
      connections_.pass();
      return real_->make_rc(options);
    }
    [[nodiscard]] int event_fd() const override { return real_->event_fd(); }
    std::vector<verbs::Event> events() override { return real_->events(); }

   private:
    std::unique_ptr<verbs::Port> real_;
    Gate& facts_;
    Gate& connections_;
  };
  verbs::Verbs& real_;
};

}  // namespace roceready::probes
