// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "probes/cm/channel.h"
#include "probes/cm/kernel.h"

namespace roceready::doubles {

/// The kernel's connection manager as a test wants it: takes commands as the real one does, and tells the events that
/// the test has queued. Threads: one.
struct FakeKernel {
  std::map<std::uint32_t, int> refuses;                 ///< errno by number of the command
  std::map<std::uint32_t, std::function<void()>> then;  ///< what follows a command that was taken
  std::deque<rdma_ucm_event_resp> events;
  std::vector<std::uint32_t> commands;          ///< all but GET_EVENT
  std::vector<rdma_ucm_conn_param> parameters;  ///< of CONNECT and ACCEPT
  std::vector<rdma_ucm_reject> rejections;
  std::uint32_t backlog = 0;
  std::set<std::uint32_t> ids;  ///< alive
  rdma_ucm_query_addr_resp bound{};
  std::uint32_t next_id = 10;
  int open_now = 0;
  std::optional<Error> cannot_open;

  probes::cm::OpenKernel opener() {
    return [this]() -> Result<std::unique_ptr<probes::cm::Kernel>> {
      if (cannot_open) return *cannot_open;
      return std::unique_ptr<probes::cm::Kernel>(std::make_unique<Open>(*this));
    };
  }
  /// Queues an event.
  void tell(probes::cm::EventKind what, int status = 0, std::uint64_t uid = 1, const std::string& told = {},
            std::uint32_t id = 0) {
    rdma_ucm_event_resp out{};
    out.event = static_cast<std::uint32_t>(what);
    out.status = static_cast<std::uint32_t>(status);
    out.uid = uid;
    out.id = id;
    std::memcpy(out.param.conn.private_data, told.data(), told.size());
    out.param.conn.private_data_len = static_cast<std::uint8_t>(told.size());
    events.push_back(out);
  }
  [[nodiscard]] bool got(std::uint32_t command) const {
    return std::find(commands.begin(), commands.end(), command) != commands.end();
  }

 private:
  class Open : public probes::cm::Kernel {
   public:
    explicit Open(FakeKernel& all) : all_(all) { ++all_.open_now; }
    ~Open() override {
      --all_.open_now;
      all_.ids.clear();
    }
    int write(probes::ByteSpan bytes) override {
      rdma_ucm_cmd_hdr header{};
      if (bytes.size() < sizeof header) return EINVAL;
      std::memcpy(&header, bytes.data(), sizeof header);
      if (bytes.size() < sizeof header + header.in) return EINVAL;
      const std::byte* const body = bytes.data() + sizeof header;
      if (header.cmd != RDMA_USER_CM_CMD_GET_EVENT) all_.commands.push_back(header.cmd);
      if (const auto refused = all_.refuses.find(header.cmd); refused != all_.refuses.end()) return refused->second;
      const int failed = take(header, body);
      if (failed == 0 && all_.then.contains(header.cmd)) all_.then[header.cmd]();
      return failed;
    }
    [[nodiscard]] int fd() const override { return -1; }

   private:
    template <class T>
    static T read(const std::byte* body) {
      T out;
      std::memcpy(&out, body, sizeof out);
      return out;
    }
    template <class T>
    static void answer(std::uint64_t to, const T& value, std::size_t room) {
      std::memcpy(reinterpret_cast<void*>(to), &value, std::min(sizeof value, room));
    }
    int take(const rdma_ucm_cmd_hdr& header, const std::byte* body) {
      switch (header.cmd) {
        case RDMA_USER_CM_CMD_CREATE_ID: {
          const auto command = read<rdma_ucm_create_id>(body);
          if (command.ps != RDMA_PS_TCP || command.uid == 0) return EINVAL;
          all_.ids.insert(all_.next_id);
          answer(command.response, rdma_ucm_create_id_resp{all_.next_id++}, header.out);
          return 0;
        }
        case RDMA_USER_CM_CMD_DESTROY_ID: {
          const auto command = read<rdma_ucm_destroy_id>(body);
          answer(command.response, rdma_ucm_destroy_id_resp{}, header.out);
          return all_.ids.erase(command.id) == 1 ? 0 : ENOENT;
        }
        case RDMA_USER_CM_CMD_GET_EVENT: {
          if (all_.events.empty()) return EAGAIN;
          answer(read<rdma_ucm_get_event>(body).response, all_.events.front(), header.out);
          if (all_.events.front().event == kConnectRequest) all_.ids.insert(all_.events.front().id);
          all_.events.pop_front();
          return 0;
        }
        case RDMA_USER_CM_CMD_QUERY:
          answer(read<rdma_ucm_query>(body).response, all_.bound, header.out);
          return 0;
        case RDMA_USER_CM_CMD_CONNECT:
          all_.parameters.push_back(read<rdma_ucm_connect>(body).conn_param);
          return all_.parameters.back().valid != 0 ? 0 : EINVAL;
        case RDMA_USER_CM_CMD_ACCEPT:
          all_.parameters.push_back(read<rdma_ucm_accept>(body).conn_param);
          return 0;
        case RDMA_USER_CM_CMD_LISTEN:
          all_.backlog = read<rdma_ucm_listen>(body).backlog;
          return 0;
        case RDMA_USER_CM_CMD_REJECT:
          all_.rejections.push_back(read<rdma_ucm_reject>(body));
          return 0;
        default:
          return 0;
      }
    }
    static constexpr std::uint32_t kConnectRequest = static_cast<std::uint32_t>(probes::cm::EventKind::ConnectRequest);
    FakeKernel& all_;
  };
};

}  // namespace roceready::doubles
