// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/verbs/live_resources.h"
#include "probes/verbs/live_ud.h"
#include "probes/verbs/verbs.h"

namespace roceready::probes::verbs::live {

/// Connected queue pairs on libibverbs, in a protection domain of their own, so that the key of one session's buffer
/// opens no other.
/// Shape: the registered block holds the buffer, then 64 bytes for each receive kept posted.
class LiveRc : public Rc {
 public:
  static Result<std::unique_ptr<Rc>> create(const PortHandle& port, const RcOptions& options);
  Result<std::size_t> poll(std::span<Completion> into) override;
  Result<void> wake_on_completion() override { return completions_->wake_on_completion(); }
  [[nodiscard]] int fd() const override { return completions_->fd(); }
  [[nodiscard]] std::size_t queue_pairs() const override { return pairs_.size(); }
  [[nodiscard]] std::uint32_t number(std::size_t queue_pair) const override;
  [[nodiscard]] std::uint32_t first_packet(std::size_t queue_pair) const override { return packets_[queue_pair]; }
  [[nodiscard]] std::uint64_t buffer() const override;
  [[nodiscard]] std::uint32_t buffer_key() const override { return memory_ ? memory_->remote_key() : 0; }
  Result<void> connect(std::size_t queue_pair, const RcPeer& peer) override;
  Result<void> post(std::size_t queue_pair, Operation operation, std::uint32_t bytes, std::uint64_t id) override;

 private:
  LiveRc(const PortHandle& port, const RcOptions& options);
  Result<void> open();
  Result<void> make_pair();
  Result<void> post_receive(std::uint32_t pair, std::uint32_t slot);
  Result<void> ready_to_receive(std::size_t queue_pair, const RcPeer& peer);

  PortHandle port_;
  RcOptions options_;
  std::string where_;
  Pd domain_;
  std::optional<Memory> memory_;
  std::unique_ptr<CompletionQueue> completions_;
  std::vector<Qp> pairs_;  // go first
  std::vector<std::uint32_t> packets_, inline_bytes_;
  std::vector<RcPeer> peers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> consumed_;
  std::vector<RawCompletion> raw_;
};

}  // namespace roceready::probes::verbs::live
