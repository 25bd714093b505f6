// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/status.h"

#include <array>

namespace roceready::probes::verbs {
namespace {

struct Words {
  const char* name;
  const char* meaning;
};

constexpr std::array<Words, kStatuses> kWords{{
    {"IBV_WC_SUCCESS", "success"},
    {"IBV_WC_LOC_LEN_ERR",
     "local length error: a message was longer than the receive buffer or the port's MTU; do both ends have the same "
     "MTU?"},
    {"IBV_WC_LOC_QP_OP_ERR",
     "local queue pair operation error: this host could not send; the port went down, its queue is full, or its GID or "
     "neighbour entry is gone"},
    {"IBV_WC_LOC_EEC_OP_ERR", "local end-to-end context error"},
    {"IBV_WC_LOC_PROT_ERR", "local protection error: this program's buffer is not registered; a fault of this program"},
    {"IBV_WC_WR_FLUSH_ERR", "flushed: the queue pair had failed before; the first error says why"},
    {"IBV_WC_MW_BIND_ERR", "memory window bind error"},
    {"IBV_WC_BAD_RESP_ERR", "bad response: the peer answered with an opcode that does not fit"},
    {"IBV_WC_LOC_ACCESS_ERR", "local access error: the receive buffer may not be written; a fault of this program"},
    {"IBV_WC_REM_INV_REQ_ERR",
     "remote invalid request: the peer refused the message, mostly because its receive buffer is shorter"},
    {"IBV_WC_REM_ACCESS_ERR",
     "remote access error: the peer does not let us read or write there; its session is gone, or it restarted"},
    {"IBV_WC_REM_OP_ERR", "remote operation error: the peer's NIC could not complete the request"},
    {"IBV_WC_RETRY_EXC_ERR",
     "transport retry exceeded: the peer did not acknowledge; the path is dead or loses packets, a firewall drops UDP "
     "4791, the peer's queue pair is gone, or the path's MTU is smaller than ours"},
    {"IBV_WC_RNR_RETRY_EXC_ERR",
     "receiver not ready: the peer posted no receive in time; its responder is starved of CPU or stopped"},
    {"IBV_WC_LOC_RDD_VIOL_ERR", "local reliable datagram domain violation"},
    {"IBV_WC_REM_INV_RD_REQ_ERR", "remote invalid read request"},
    {"IBV_WC_REM_ABORT_ERR", "remote aborted: the peer closed its queue pair"},
    {"IBV_WC_INV_EECN_ERR", "invalid end-to-end context number"},
    {"IBV_WC_INV_EEC_STATE_ERR", "invalid end-to-end context state"},
    {"IBV_WC_FATAL_ERR", "fatal: the device failed or was removed"},
    {"IBV_WC_RESP_TIMEOUT_ERR", "response timeout"},
    {"IBV_WC_GENERAL_ERR", "general error of the driver; its log may say more"},
    {"IBV_WC_TM_ERR", "tag matching error"},
    {"IBV_WC_TM_RNDV_INCOMPLETE", "tag matching rendezvous incomplete"},
}};

}  // namespace

std::string name_of(Status status) {
  const int number = static_cast<int>(status);
  if (number < 0 || number >= kStatuses) return "completion status " + std::to_string(number);
  return kWords[static_cast<std::size_t>(number)].name;
}

bool says_nothing_of_the_path(Status status) {
  switch (status) {
    case Status::LocalLength:
    case Status::LocalQpOperation:
    case Status::LocalEecOperation:
    case Status::LocalProtection:
    case Status::LocalAccess:
    case Status::MemoryWindowBind:
    case Status::Flushed:
    case Status::Fatal:
      return true;
    default:
      return false;
  }
}

std::string explain(Status status) {
  const int number = static_cast<int>(status);
  if (number < 0 || number >= kStatuses) return name_of(status);
  return kWords[static_cast<std::size_t>(number)].meaning;
}

}  // namespace roceready::probes::verbs
