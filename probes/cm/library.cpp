// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "probes/cm/live_objects.h"

namespace roceready::probes::cm {
namespace {

constexpr char kName[] = "librdmacm.so.1";

/// It stays loaded until the process ends, as its devices do.
std::optional<Library> load() {
  void* const handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  Library out{};
  bool complete = true;
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    complete = complete && function != nullptr;
  };
  take(out.create_event_channel, "rdma_create_event_channel");
  take(out.destroy_event_channel, "rdma_destroy_event_channel");
  take(out.create_id, "rdma_create_id");
  take(out.destroy_id, "rdma_destroy_id");
  take(out.set_option, "rdma_set_option");
  take(out.bind_addr, "rdma_bind_addr");
  take(out.listen, "rdma_listen");
  take(out.get_src_port, "rdma_get_src_port");
  take(out.resolve_addr, "rdma_resolve_addr");
  take(out.resolve_route, "rdma_resolve_route");
  take(out.create_qp, "rdma_create_qp");
  take(out.destroy_qp, "rdma_destroy_qp");
  take(out.connect, "rdma_connect");
  take(out.accept, "rdma_accept");
  take(out.reject, "rdma_reject");
  take(out.disconnect, "rdma_disconnect");
  take(out.get_cm_event, "rdma_get_cm_event");
  take(out.ack_cm_event, "rdma_ack_cm_event");
  return complete ? std::optional(out) : std::nullopt;
}

}  // namespace

Result<const Library*> library() {
  // Opening the device file of a module that is not there would load it.
  if (::access("/sys/class/misc/rdma_cm", F_OK) != 0)
    return Error{ErrorCode::NotSupported, "the kernel's RDMA connection manager for programs is not loaded (rdma_ucm)",
                 "", 0};
  static const std::optional<Library> loaded = load();
  if (!loaded) return Error{ErrorCode::NotSupported, "librdmacm is not installed, or too old", kName, 0};
  return &*loaded;
}

}  // namespace roceready::probes::cm
