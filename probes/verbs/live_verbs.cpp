// SPDX-License-Identifier: Apache-2.0
#include "probes/verbs/live_verbs.h"

#include <endian.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>

#include "core/base/text.h"
#include "probes/thread_delay.h"
#include "probes/verbs/device_presence.h"
#include "probes/verbs/live_address.h"
#include "probes/verbs/live_errors.h"
#include "probes/verbs/live_rc.h"
#include "probes/verbs/live_ud.h"
#include "probes/verbs/prefixes.h"

namespace roceready::probes::verbs {
namespace live {
namespace {

constexpr std::size_t kMostGids = 65536;
constexpr std::uint32_t kMostPorts = 16;
constexpr int kEventsAtOnce = 64;

/// The driver's name from sysfs; software RoCE has no driver there, but a file that names its netdev.
std::string driver_of(const std::string& device) {
  const std::string base = "/sys/class/infiniband/" + device;
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlink((base + "/device/driver").c_str(), target.data(), target.size() - 1);
  if (::access((base + "/parent").c_str(), F_OK) == 0) return "rdma_rxe";
  if (length <= 0) return {};
  const std::string path(target.data(), static_cast<std::size_t>(length));
  return clean_text(path.substr(path.find_last_of('/') + 1));
}

/// Ports by sysfs: the list opens no device, since some of them may be none of our business.
std::uint32_t count_ports(const std::string& device) {
  std::uint32_t ports = 0;
  const std::string base = "/sys/class/infiniband/" + device + "/ports/";
  while (ports < kMostPorts && ::access((base + std::to_string(ports + 1)).c_str(), F_OK) == 0) ++ports;
  return std::max(ports, 1U);  // opening it will say why there is none
}

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

EventKind kind_of(ibv_event_type type) {
  switch (type) {
    case IBV_EVENT_PORT_ACTIVE:
      return EventKind::PortActive;
    case IBV_EVENT_PORT_ERR:
      return EventKind::PortError;
    case IBV_EVENT_DEVICE_FATAL:
      return EventKind::DeviceFatal;
    case IBV_EVENT_GID_CHANGE:
      return EventKind::GidChange;
    case IBV_EVENT_LID_CHANGE:
      return EventKind::LidChange;
    case IBV_EVENT_CQ_ERR:
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
      return EventKind::QueueError;
    default:
      return EventKind::Other;
  }
}

std::uint32_t mtu_bytes(ibv_mtu mtu) {
  return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128U << static_cast<unsigned>(mtu) : 0;
}

class LivePort : public Port {
 public:
  LivePort(Context context, PortName name, bool iwarp, const ibv_device_attr_ex& device)
      : context_(std::move(context)),
        name_(std::move(name)),
        driver_(driver_of(name_.device)),
        iwarp_(iwarp),
        clock_{device.completion_timestamp_mask, device.hca_core_clock},
        device_(device.orig_attr),
        presence_(std::string("/sys/class/infiniband_verbs/") + context_->device->dev_name) {}

  [[nodiscard]] const PortName& name() const override { return name_; }

  Result<PortFacts> facts() override {
    ibv_port_attr port{};
    if (const int failed = ::ibv_query_port(context_.get(), static_cast<std::uint8_t>(name_.port), &port))
      return refusal(failed, "cannot query the port", name_.text());
    PortFacts out;
    out.active = port.state == IBV_PORT_ACTIVE;
    out.link_layer = port.link_layer == IBV_LINK_LAYER_ETHERNET     ? LinkLayer::Ethernet
                     : port.link_layer == IBV_LINK_LAYER_INFINIBAND ? LinkLayer::InfiniBand
                                                                    : LinkLayer::Unknown;
    out.iwarp = iwarp_;
    out.active_mtu_bytes = mtu_bytes(port.active_mtu);
    out.driver = driver_;
    out.nic_clock = clock_.usable();
    out.max_send_requests = device_.max_qp_wr > 0 ? static_cast<std::uint32_t>(device_.max_qp_wr) : 0;
    out.max_sge = device_.max_sge > 0 ? static_cast<std::uint32_t>(device_.max_sge) : 0;
    out.max_completions = max_completions();
    out.flow_label_sets_path = flow_label_sets_path(driver_);
    out.kernel.node_guid = be64toh(::ibv_get_device_guid(context_->device));
    out.kernel.port = name_.port;
    if (const int index = ::ibv_get_device_index(context_->device); index >= 0)
      out.kernel.device_index = static_cast<std::uint32_t>(index);
    if (auto gids = read_gids(); !gids)
      return gids.error();
    else
      out.gids = std::move(*gids);
    return out;
  }

  Result<std::unique_ptr<Ud>> make_ud(const UdOptions& options) override {
    if (iwarp_) return Error{ErrorCode::NotSupported, "iWARP has no datagrams", name_.text(), 0};
    return LiveUd::create(handle(), options);
  }
  Result<std::unique_ptr<Rc>> make_rc(const RcOptions& options) override {
    if (iwarp_) return Error{ErrorCode::NotSupported, "iWARP is not RoCE", name_.text(), 0};
    return LiveRc::create(handle(), options);
  }
  [[nodiscard]] int event_fd() const override { return context_->async_fd; }

  std::vector<Event> events() override {
    std::vector<Event> out;
    ibv_async_event event{};
    for (int i = 0; i < kEventsAtOnce && ::ibv_get_async_event(context_.get(), &event) == 0; ++i) {
      const EventKind kind = kind_of(event.event_type);
      const bool of_a_port = kind == EventKind::PortActive || kind == EventKind::PortError ||
                             kind == EventKind::GidChange || kind == EventKind::LidChange;
      const char* const name = ::ibv_event_type_str(event.event_type);
      out.push_back({kind,
                     of_a_port && event.element.port_num > 0 ? static_cast<std::uint32_t>(event.element.port_num) : 0,
                     name == nullptr ? "event" : clean_text(name)});
      ::ibv_ack_async_event(&event);  // at once: who destroys its object waits for this
    }
    if (presence_.went(monotonic_ns())) out.push_back({EventKind::DeviceFatal, 0, "it is gone from sysfs"});
    return out;
  }

 private:
  [[nodiscard]] PortHandle handle() const { return {context_, name_, driver_, clock_, max_completions()}; }

  [[nodiscard]] std::uint32_t max_completions() const {
    return device_.max_cqe > 0 ? static_cast<std::uint32_t>(device_.max_cqe) : 0;
  }

  /// The query fails when there is room for fewer than the valid entries of all ports.
  Result<std::vector<GidEntry>> read_gids() {
    std::size_t slots = 0;
    for (unsigned number = 1; number <= device_.phys_port_cnt; ++number) {
      ibv_port_attr port{};
      if (::ibv_query_port(context_.get(), static_cast<std::uint8_t>(number), &port) == 0 && port.gid_tbl_len > 0)
        slots += static_cast<std::size_t>(port.gid_tbl_len);
    }
    if (slots > kMostGids) return Error{ErrorCode::Malformed, "more than 65536 GID slots", name_.text(), 0};
    std::vector<GidEntry> out;
    if (slots == 0) return out;
    const std::map<Gid, std::uint8_t> subnets = subnet_bits();
    std::vector<ibv_gid_entry> entries(slots);
    const ssize_t count = ::ibv_query_gid_table(context_.get(), entries.data(), entries.size(), 0);
    if (count < 0) return refusal(static_cast<int>(-count), "cannot query the GID table", name_.text());
    for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(count), slots); ++i) {
      if (entries[i].port_num != name_.port) continue;
      GidEntry entry;
      entry.index = entries[i].gid_index;
      std::memcpy(entry.gid.data(), entries[i].gid.raw, entry.gid.size());
      entry.type = entries[i].gid_type == IBV_GID_TYPE_ROCE_V2   ? GidType::RoceV2
                   : entries[i].gid_type == IBV_GID_TYPE_ROCE_V1 ? GidType::RoceV1
                                                                 : GidType::InfiniBand;
      if (const auto known = subnets.find(entry.gid); known != subnets.end()) entry.subnet_bits = known->second;
      out.push_back(entry);
    }
    return out;
  }

  Context context_;
  PortName name_;
  std::string driver_;
  bool iwarp_ = false;
  NicClock clock_;
  ibv_device_attr device_;   // nothing here changes after opening: several threads make queue pairs
  DevicePresence presence_;  // but this, which belongs to events()
};

/// The devices of libibverbs; the list may be null where RDMA is not there, and freeing that crashes.
class DeviceList {
 public:
  DeviceList() {
    errno = 0;
    list_ = ::ibv_get_device_list(&count_);
    error_ = list_ == nullptr ? (errno != 0 ? errno : ENODEV) : 0;
  }
  ~DeviceList() {
    if (list_ != nullptr) ::ibv_free_device_list(list_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::span<ibv_device*> devices() const {
    return {list_, list_ == nullptr || count_ < 0 ? 0 : static_cast<std::size_t>(count_)};
  }

 private:
  ibv_device** list_ = nullptr;
  int count_ = 0, error_ = 0;
};

Result<void> check_loaded() {
  if (::access("/sys/module/ib_uverbs", F_OK) == 0 || ::access("/sys/class/infiniband_verbs", F_OK) == 0) return {};
  return Error{ErrorCode::NotFound, "the kernel's verbs interface (ib_uverbs) is not loaded", "RDMA", 0};
}

Result<Context> open_context(ibv_device* device, const std::string& name) {
  errno = 0;
  ibv_context* const opened = ::ibv_open_device(device);
  if (opened == nullptr) return refusal(errno, "cannot open the RDMA device", name);
  Context context(opened, Close());
  const int flags = ::fcntl(context->async_fd, F_GETFL);
  if (flags < 0 || ::fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK) < 0)
    return os_error(errno, "cannot prepare the event channel", name);
  return context;
}

class LiveVerbs : public Verbs {
 public:
  LiveVerbs() { (void)::setenv("RDMAV_ALLOW_DISASSOC_DESTROY", "1", 0); }

  Result<std::vector<PortName>> list() override {
    if (auto loaded = check_loaded(); !loaded) return loaded.error();
    const DeviceList list;
    if (list.error() != 0) return refusal(list.error(), "cannot list RDMA devices", "libibverbs");
    std::vector<PortName> out;
    for (ibv_device* device : list.devices()) {
      const std::string name = clean_text(::ibv_get_device_name(device));
      const std::uint32_t ports = count_ports(name);
      for (std::uint32_t port = 1; port <= ports; ++port) out.push_back({name, port});
    }
    return out;
  }

  Result<std::unique_ptr<Port>> open(const PortName& name) override {
    if (auto loaded = check_loaded(); !loaded) return loaded.error();
    if (name.port == 0 || name.port > 255) return Error{ErrorCode::Usage, "port numbers are 1 to 255", name.text(), 0};
    const DeviceList list;
    if (list.error() != 0) return refusal(list.error(), "cannot list RDMA devices", "libibverbs");
    for (ibv_device* device : list.devices()) {
      if (name.device != ::ibv_get_device_name(device)) continue;
      auto context = open_context(device, name.text());
      if (!context) return context.error();
      const bool iwarp = device->transport_type == IBV_TRANSPORT_IWARP || device->node_type == IBV_NODE_RNIC;
      ibv_device_attr_ex facts{};
      if (const int failed = ::ibv_query_device_ex(context->get(), nullptr, &facts))
        return refusal(failed, "cannot query the device", name.text());
      return std::unique_ptr<Port>(std::make_unique<LivePort>(std::move(*context), name, iwarp, facts));
    }
    return Error{ErrorCode::NotFound, "verbs do not know this device, or its user-space driver is not installed",
                 name.text(), 0};
  }

  [[nodiscard]] std::int64_t now_ns() const override { return monotonic_ns(); }
  [[nodiscard]] std::int64_t waited_ns() const override {
    thread_local ThreadDelay delay;
    return delay.total_ns();
  }
};

}  // namespace
}  // namespace live

std::unique_ptr<Verbs> make_live_verbs() {
  return std::make_unique<live::LiveVerbs>();
}

}  // namespace roceready::probes::verbs
