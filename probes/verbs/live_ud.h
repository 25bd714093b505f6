// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "probes/verbs/live_resources.h"
#include "probes/verbs/verbs.h"

namespace roceready::probes::verbs::live {

/// Facts of an open port that its queues need.
struct PortHandle {
  Context context;
  PortName name;
  std::string driver;
  NicClock clock;
  std::uint32_t max_completions = 0;
};

/// Datagram queue pairs on libibverbs.
///
/// Shape: one registered block holds, for each queue pair, its receive slots (40 bytes for the GRH, then the payload),
/// and then the send slots. A work request's id names its slot; ids carry the queue pair's generation, since a queue
/// pair that fell into error is reset and used again under the same number (peers know it).
class LiveUd : public Ud {
 public:
  static Result<std::unique_ptr<Ud>> create(const PortHandle& port, const UdOptions& options);
  Result<std::size_t> poll(std::span<Completion> into) override;
  Result<void> wake_on_completion() override { return completions_->wake_on_completion(); }
  [[nodiscard]] int fd() const override { return completions_->fd(); }
  [[nodiscard]] std::size_t queue_pairs() const override { return pairs_.size(); }
  [[nodiscard]] std::uint32_t number(std::size_t queue_pair) const override;
  [[nodiscard]] std::uint32_t qkey() const override { return options_.qkey; }
  [[nodiscard]] bool nic_clock() const override { return completions_->stamps(); }
  Result<AddressHandle> make_address(const Address& address) override;
  void drop_address(AddressHandle handle) override;
  Result<void> send(const UdSend& what) override;
  [[nodiscard]] Reading<std::uint32_t> udp_source_port(std::size_t queue_pair, std::uint32_t flow_label) const override;

 private:
  struct Pair {
    Qp pair;
    std::uint32_t generation = 0, inline_bytes = 0;
    bool broken = false;
    std::int64_t not_before_ns = 0;  // of the next try to bring it back
  };
  struct SendSlot {
    std::uint64_t id = 0;
    std::uint32_t pair = 0;
    bool in_flight = false;
  };
  LiveUd(const PortHandle& port, const UdOptions& options);
  Result<void> open();
  Result<void> make_pair(Pair& pair);
  Result<void> bring_up(std::uint32_t pair);
  Result<void> post_receive(std::uint32_t pair, std::uint32_t slot);
  void bring_back_broken();
  bool translate(const RawCompletion& raw, Completion& out);
  [[nodiscard]] std::size_t slot_bytes() const;
  [[nodiscard]] std::byte* receive_slot(std::uint32_t pair, std::uint32_t slot) const;
  [[nodiscard]] std::byte* send_slot(std::uint32_t slot) const;

  PortHandle port_;
  UdOptions options_;
  std::string where_;
  Pd domain_;
  std::optional<Memory> memory_;
  std::unique_ptr<CompletionQueue> completions_;
  std::mutex handles_lock_;
  std::map<AddressHandle, std::shared_ptr<ibv_ah>> handles_;
  AddressHandle next_handle_ = 1;
  std::vector<Pair> pairs_;  // go first
  std::vector<SendSlot> sends_;
  std::vector<std::uint32_t> free_sends_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> consumed_;  // receive slots to be posted again at the next poll
  std::vector<std::uint64_t> abandoned_;                           // ids of sends that a reset swallowed
  std::vector<RawCompletion> raw_;
};

}  // namespace roceready::probes::verbs::live
