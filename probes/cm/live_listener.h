// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "probes/cm/live_objects.h"
#include "probes/cm/manager.h"

namespace roceready::probes::cm {

class LiveListener : public Listener {
 public:
  static Result<std::unique_ptr<Listener>> open(const Library& library, const verbs::Gid& address,
                                                std::uint16_t service);
  [[nodiscard]] std::uint16_t service() const override { return service_; }
  [[nodiscard]] int fd() const override { return channel_.fd(); }
  Result<void> step(const Answer& answer) override;

 private:
  struct Accepted {
    Identifier id;
    std::chrono::steady_clock::time_point until;
  };
  LiveListener(const Library& library, Channel channel, Identifier id, std::uint16_t service)
      : library_(library), channel_(std::move(channel)), id_(std::move(id)), service_(service) {}
  void take(Identifier caller, const std::vector<std::byte>& told, const Answer& answer);
  void drop(const rdma_cm_id* id);
  Result<void> handle(Happened happened, const Answer& answer);

  const Library& library_;
  Channel channel_;
  Identifier id_;
  std::uint16_t service_;
  std::vector<Accepted> accepted_;
};

}  // namespace roceready::probes::cm
