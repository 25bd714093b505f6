// SPDX-License-Identifier: Apache-2.0
// Inner header of the live connection manager: the library's types are its own.
#pragma once

#include <rdma/rdma_cma.h>

namespace roceready::probes::cm {

/// librdmacm, loaded when it is first needed: a host without it probes all but connections.
struct Library {
  decltype(&rdma_create_event_channel) create_event_channel;
  decltype(&rdma_destroy_event_channel) destroy_event_channel;
  decltype(&rdma_create_id) create_id;
  decltype(&rdma_destroy_id) destroy_id;
  decltype(&rdma_set_option) set_option;
  decltype(&rdma_bind_addr) bind_addr;
  decltype(&rdma_listen) listen;
  decltype(&rdma_get_src_port) get_src_port;
  decltype(&rdma_resolve_addr) resolve_addr;
  decltype(&rdma_resolve_route) resolve_route;
  decltype(&rdma_create_qp) create_qp;
  decltype(&rdma_destroy_qp) destroy_qp;
  decltype(&rdma_connect) connect;
  decltype(&rdma_accept) accept;
  decltype(&rdma_reject) reject;
  decltype(&rdma_disconnect) disconnect;
  decltype(&rdma_get_cm_event) get_cm_event;
  decltype(&rdma_ack_cm_event) ack_cm_event;
};

}  // namespace roceready::probes::cm
