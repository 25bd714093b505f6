// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/channel.h"

#include <endian.h>
#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>

namespace roceready::probes::cm {
namespace {

constexpr std::uint32_t kNotTold = 0xffffffff;
// A connection that carries nothing needs no reads; what it would do about loss matters to nobody.
constexpr std::uint8_t kRetries = 7;

template <class T>
std::uint64_t address_of(T& object) {
  return reinterpret_cast<std::uintptr_t>(&object);
}

/// Writes a socket address of the GID; its length.
std::uint16_t put_address(const verbs::Gid& gid, std::uint16_t service, __kernel_sockaddr_storage& out) {
  constexpr std::size_t kMapped = 12;
  if (verbs::is_ipv4(gid)) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(service);
    std::memcpy(&four.sin_addr, gid.data() + kMapped, sizeof four.sin_addr);
    std::memcpy(&out, &four, sizeof four);
    return sizeof four;
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(service);
  std::memcpy(&six.sin6_addr, gid.data(), gid.size());
  std::memcpy(&out, &six, sizeof six);
  return sizeof six;
}

rdma_ucm_conn_param parameters(std::uint32_t queue_pair, ByteSpan told) {
  rdma_ucm_conn_param out{};
  out.qp_num = queue_pair;
  const std::size_t length = std::min<std::size_t>(told.size(), 0xff);
  if (length > 0) std::memcpy(out.private_data, told.data(), length);
  out.private_data_len = static_cast<std::uint8_t>(length);
  out.retry_count = out.rnr_retry_count = kRetries;
  out.valid = 1;
  return out;
}

}  // namespace

std::optional<Happened> decode_event(ByteSpan bytes) {
  rdma_ucm_event_resp raw{};
  // Older kernels end before `reserved` and `ece`.
  if (bytes.size() < offsetof(rdma_ucm_event_resp, reserved)) return std::nullopt;
  std::memcpy(&raw, bytes.data(), std::min(bytes.size(), sizeof raw));
  Happened out;
  out.what = static_cast<EventKind>(raw.event);
  out.status = static_cast<int>(raw.status);
  out.id = raw.id;
  out.uid = raw.uid;
  const rdma_ucm_conn_param& with = raw.param.conn;
  const auto told = std::as_bytes(std::span(with.private_data)).first(with.private_data_len);
  out.told.assign(told.begin(), told.end());
  return out;
}

bool is_port(const Bound& bound, const verbs::KernelPort& wanted) {
  if (bound.node_guid == 0 || bound.port == 0) return false;
  if (bound.node_guid != wanted.node_guid || bound.port != wanted.port) return false;
  return !bound.device_index || !wanted.device_index || *bound.device_index == *wanted.device_index;
}

template <class Command>
int Channel::give(std::uint32_t number, const Command& command, std::size_t answer_bytes) {
  std::array<std::byte, sizeof(rdma_ucm_cmd_hdr) + sizeof(Command)> bytes;
  const rdma_ucm_cmd_hdr header{number, sizeof(Command), static_cast<std::uint16_t>(answer_bytes)};
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &command, sizeof command);
  return kernel_->write(bytes);
}

Result<Channel> Channel::open(const OpenKernel& open) {
  auto kernel = open();
  if (!kernel) return kernel.error();
  return Channel(std::move(*kernel));
}

Result<std::optional<Happened>> Channel::next() {
  rdma_ucm_event_resp raw{};
  rdma_ucm_get_event command{};
  command.response = address_of(raw);
  const int failed = give(RDMA_USER_CM_CMD_GET_EVENT, command, sizeof raw);
  if (failed == EAGAIN || failed == EINTR) return std::optional<Happened>();
  if (failed != 0) return os_error(failed, "cannot read an event of the RDMA connection manager", "");
  return decode_event(std::as_bytes(std::span(&raw, 1)));
}

std::pair<int, std::uint32_t> Channel::create(std::uint64_t uid) {
  rdma_ucm_create_id_resp made{};
  rdma_ucm_create_id command{};
  command.uid = uid;
  command.response = address_of(made);
  command.ps = RDMA_PS_TCP;
  const int failed = give(RDMA_USER_CM_CMD_CREATE_ID, command, sizeof made);
  return {failed, made.id};
}

void Channel::destroy(std::uint32_t id) {
  rdma_ucm_destroy_id_resp reported{};
  rdma_ucm_destroy_id command{};
  command.response = address_of(reported);
  command.id = id;
  (void)give(RDMA_USER_CM_CMD_DESTROY_ID, command, sizeof reported);
}

int Channel::bind(std::uint32_t id, const verbs::Gid& address, std::uint16_t service) {
  rdma_ucm_bind command{};
  command.id = id;
  command.addr_size = put_address(address, service, command.addr);
  return give(RDMA_USER_CM_CMD_BIND, command);
}

int Channel::listen(std::uint32_t id, std::uint32_t backlog) {
  return give(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{id, backlog});
}

int Channel::set_traffic_class(std::uint32_t id, std::uint8_t traffic_class) {
  rdma_ucm_set_option command{};
  command.optval = address_of(traffic_class);
  command.id = id;
  command.level = RDMA_OPTION_ID;
  command.optname = RDMA_OPTION_ID_TOS;
  command.optlen = sizeof traffic_class;
  return give(RDMA_USER_CM_CMD_SET_OPTION, command);
}

int Channel::resolve_address(std::uint32_t id, const verbs::Gid& from, const verbs::Gid& to, std::uint16_t service,
                             std::uint32_t timeout_ms) {
  rdma_ucm_resolve_addr command{};
  command.id = id;
  command.timeout_ms = timeout_ms;
  command.src_size = put_address(from, 0, command.src_addr);
  command.dst_size = put_address(to, service, command.dst_addr);
  return give(RDMA_USER_CM_CMD_RESOLVE_ADDR, command);
}

int Channel::resolve_route(std::uint32_t id, std::uint32_t timeout_ms) {
  return give(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{id, timeout_ms});
}

int Channel::connect(std::uint32_t id, std::uint32_t queue_pair, ByteSpan told) {
  rdma_ucm_connect command{};
  command.conn_param = parameters(queue_pair, told);
  command.id = id;
  return give(RDMA_USER_CM_CMD_CONNECT, command);
}

int Channel::accept(std::uint32_t id, std::uint64_t uid, std::uint32_t queue_pair, ByteSpan told) {
  rdma_ucm_accept command{};
  command.uid = uid;
  command.conn_param = parameters(queue_pair, told);
  command.id = id;
  return give(RDMA_USER_CM_CMD_ACCEPT, command);
}

int Channel::confirm(std::uint32_t id) {
  rdma_ucm_accept command{};  // conn_param.valid is 0
  command.id = id;
  return give(RDMA_USER_CM_CMD_ACCEPT, command);
}

int Channel::reject(std::uint32_t id, ByteSpan told) {
  rdma_ucm_reject command{};  // reason 0: 28, "defined by the consumer", with all kernels
  command.id = id;
  const std::size_t length = std::min<std::size_t>(told.size(), 0xff);
  if (length > 0) std::memcpy(command.private_data, told.data(), length);
  command.private_data_len = static_cast<std::uint8_t>(length);
  return give(RDMA_USER_CM_CMD_REJECT, command);
}

int Channel::disconnect(std::uint32_t id) {
  return give(RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{id});
}

std::pair<int, Bound> Channel::bound(std::uint32_t id) {
  rdma_ucm_query_addr_resp told{};
  told.ibdev_index = kNotTold;
  rdma_ucm_query command{};
  command.response = address_of(told);
  command.id = id;
  command.option = RDMA_USER_CM_QUERY_ADDR;
  const int failed = give(RDMA_USER_CM_CMD_QUERY, command, sizeof told);
  Bound out{be64toh(told.node_guid), told.port_num, std::nullopt};
  if (told.ibdev_index != kNotTold) out.device_index = told.ibdev_index;
  return {failed, out};
}

std::pair<int, std::uint16_t> Channel::service(std::uint32_t id) {
  rdma_ucm_query_addr_resp told{};
  rdma_ucm_query command{};
  command.response = address_of(told);
  command.id = id;
  command.option = RDMA_USER_CM_QUERY_ADDR;
  const int failed = give(RDMA_USER_CM_CMD_QUERY, command, sizeof told);
  sockaddr_in6 address{};  // the port is at one place in both families
  std::memcpy(&address, &told.src_addr, sizeof address);
  return {failed, ntohs(address.sin6_port)};
}

}  // namespace roceready::probes::cm
