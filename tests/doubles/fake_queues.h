// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "tests/doubles/fake_fabric.h"

namespace roceready::doubles {

using Guard = std::lock_guard<std::mutex>;

/// A completion that becomes visible at a moment, with what it points to.
struct Pending {
  std::int64_t at_ns = 0;
  vb::Completion completion;
  std::vector<std::byte> grh, payload;
  std::size_t ring = 0;  ///< queue pair whose receive slot it holds
  bool holds_slot = false;
};

[[nodiscard]] inline Error device_gone() {
  return Error{ErrorCode::Io, "the device is gone", "fake device", 0};
}

/// Completions in order of time.
class PendingQueue {
 public:
  void add(Pending pending) {
    const auto place = std::upper_bound(all_.begin(), all_.end(), pending.at_ns,
                                        [](std::int64_t at, const Pending& other) { return at < other.at_ns; });
    all_.insert(place, std::move(pending));
  }
  [[nodiscard]] std::optional<std::int64_t> next_after(std::int64_t now_ns) const {
    for (const Pending& each : all_)
      if (each.at_ns > now_ns) return each.at_ns;
    return std::nullopt;
  }
  /// Moves what is visible at `now_ns` out; it stays valid until the next call.
  std::size_t take(std::int64_t now_ns, std::span<vb::Completion> into) {
    taken_.clear();
    while (!all_.empty() && all_.front().at_ns <= now_ns && taken_.size() < into.size()) {
      taken_.push_back(std::move(all_.front()));
      all_.pop_front();
    }
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      into[i] = taken_[i].completion;
      into[i].grh = taken_[i].grh;
      into[i].payload = taken_[i].payload;
    }
    return taken_.size();
  }
  std::vector<Pending>& taken() { return taken_; }
  /// What is not visible at `now_ns` fails at `at_ns` instead. Of which queue pairs there was something.
  std::vector<std::uint32_t> fail(std::int64_t now_ns, std::int64_t at_ns, vb::Status status) {
    std::vector<std::uint32_t> out;
    for (Pending& each : all_) {
      if (each.at_ns <= now_ns) continue;
      each.at_ns = at_ns;
      each.completion.status = status;
      out.push_back(each.completion.queue_pair);
    }
    return out;
  }

 private:
  std::deque<Pending> all_;
  std::vector<Pending> taken_;
};

class FakeUd : public vb::Ud {
 public:
  FakeUd(FakeFabric& fabric, FakeFabric::Device& device, const vb::UdOptions& options);
  ~FakeUd() override;
  Result<std::size_t> poll(std::span<vb::Completion> into) override;
  Result<void> wake_on_completion() override { return {}; }
  [[nodiscard]] int fd() const override { return -1; }
  [[nodiscard]] std::size_t queue_pairs() const override { return options_.queue_pairs; }
  [[nodiscard]] std::uint32_t number(std::size_t i) const override { return first_ + static_cast<std::uint32_t>(i); }
  [[nodiscard]] std::uint32_t qkey() const override { return options_.qkey; }
  [[nodiscard]] bool nic_clock() const override { return device_.setup.nic_clock; }
  Result<vb::AddressHandle> make_address(const vb::Address& address) override;
  void drop_address(vb::AddressHandle handle) override;
  Result<void> send(const vb::UdSend& what) override;
  [[nodiscard]] Reading<std::uint32_t> udp_source_port(std::size_t i, std::uint32_t) const override {
    return 0xC000 + (number(i) & 0x3fff);
  }

 private:
  friend class FakeFabric;
  FakeFabric& fabric_;
  FakeFabric::Device& device_;
  vb::UdOptions options_;
  std::uint32_t first_ = 0;
  std::map<vb::AddressHandle, vb::Address> handles_;
  vb::AddressHandle next_handle_ = 1;
  /// From the NIC to the wire, with its completion.
  void leave(const vb::UdSend& what, const vb::Address& to);
  std::vector<std::uint32_t> free_receives_;
  struct Held {
    vb::UdSend what;
    std::vector<std::byte> payload;
  };
  std::vector<Held> held_;  // posted, and not sent by the NIC
  std::uint32_t in_flight_ = 0;
  PendingQueue pending_;
};

class FakeRc : public vb::Rc {
 public:
  FakeRc(FakeFabric& fabric, FakeFabric::Device& device, const vb::RcOptions& options);
  ~FakeRc() override;
  Result<std::size_t> poll(std::span<vb::Completion> into) override;
  Result<void> wake_on_completion() override;
  [[nodiscard]] int fd() const override { return -1; }
  [[nodiscard]] std::size_t queue_pairs() const override { return options_.queue_pairs; }
  [[nodiscard]] std::uint32_t number(std::size_t i) const override { return first_ + static_cast<std::uint32_t>(i); }
  [[nodiscard]] std::uint32_t first_packet(std::size_t i) const override { return 100 + static_cast<std::uint32_t>(i); }
  [[nodiscard]] std::uint64_t buffer() const override { return 0x7f0000000000; }
  [[nodiscard]] std::uint32_t buffer_key() const override { return 0xabc000 + first_; }
  Result<void> connect(std::size_t queue_pair, const vb::RcPeer& peer) override;
  Result<void> post(std::size_t queue_pair, vb::Operation operation, std::uint32_t bytes, std::uint64_t id) override;

 private:
  friend class FakeFabric;
  /// Status and time until it is known.
  std::pair<vb::Status, std::int64_t> outcome(std::size_t queue_pair, vb::Operation operation, std::uint32_t bytes);
  FakeRc* other_end(std::size_t queue_pair) const;
  /// Until the line has carried so many bytes more.
  std::int64_t on_the_line_ns(std::size_t queue_pair, std::uint32_t bytes) const;
  /// Its port is down: requests under way are tried again, in vain.
  void lose_port();
  FakeFabric& fabric_;
  FakeFabric::Device& device_;
  vb::RcOptions options_;
  std::uint32_t first_ = 0;
  std::vector<std::optional<vb::RcPeer>> peers_;
  std::vector<std::int64_t> failed_ns_;  // when that is known; 0: it has not. What follows is flushed, not before
  std::vector<std::uint32_t> free_receives_, in_flight_;
  PendingQueue pending_;
  std::uint64_t posted_ = 0, posted_unawaited_ = 0;  // the latter since a wake-up was asked for
};

}  // namespace roceready::doubles
