// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "probes/cm/channel.h"
#include "probes/cm/manager.h"

namespace roceready::probes::cm {

/// Shape: the kernel tells of the listening id by uid 1, of connections by uids above.
class KernelListener : public Listener {
 public:
  static Result<std::unique_ptr<Listener>> open(const OpenKernel& open, const verbs::Gid& address,
                                                std::uint16_t service, const verbs::KernelPort& at);
  [[nodiscard]] std::uint16_t service() const override { return service_; }
  [[nodiscard]] int fd() const override { return channel_.fd(); }
  [[nodiscard]] bool holds_any() const override { return !accepted_.empty(); }
  Result<void> step(const Answer& answer) override;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Accepted {
    std::uint64_t uid = 0;
    std::uint32_t id = 0;  ///< 0: the connection is over, and only its queue pair is kept
    std::shared_ptr<void> owner;
    Time until;
  };
  KernelListener(Channel channel, std::uint16_t service) : channel_(std::move(channel)), service_(service) {}
  void take(std::uint32_t caller, ByteSpan told, const Answer& answer);
  void end(Accepted& one, Time now);
  void age(Time now);
  Result<void> handle(const Happened& happened, const Answer& answer);

  std::vector<Accepted> accepted_;  // their queue pairs go after the channel, which ends the connections
  Channel channel_;
  std::uint16_t service_;
  std::uint64_t next_uid_ = 2;
};

}  // namespace roceready::probes::cm
