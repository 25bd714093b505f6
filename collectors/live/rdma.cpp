// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <map>
#include <utility>

#include "collectors/live/netlink_socket.h"
#include "collectors/live/parts.h"
#include "collectors/uapi.h"
#include "core/base/text.h"

namespace roceready::live {
namespace {

constexpr std::uint16_t message_type(std::uint16_t command) {
  return static_cast<std::uint16_t>(uapi::kRdmaNlNldev << 10U | command);
}

class LiveRdma : public RdmaNetlink {
 public:
  explicit LiveRdma(std::string root) : root_(std::move(root)) {}

  Result<std::vector<Bytes>> devices() override {
    static const std::string kWhere = "RDMA devices";
    if (auto loaded = check_loaded(kWhere); !loaded) return loaded.error();
    const std::uint16_t type = message_type(uapi::kNldevCmdGet);
    auto devices = socket_.dump(type, type, Payload(), kWhere);
    if (!devices) return devices;
    indexes_.clear();
    for (const Bytes& device : *devices) {
      const auto name = find_attribute(device, uapi::kNldevAttrDevName);
      const auto index = find_attribute(device, uapi::kNldevAttrDevIndex);
      const auto value = index ? u32_of(*index) : std::nullopt;
      if (name && value) indexes_[text_of(*name)] = *value;
    }
    return devices;
  }

  Result<Bytes> port(const std::string& device, std::uint32_t port) override {
    return get(uapi::kNldevCmdPortGet, device, port, "RDMA port ");
  }
  Result<Bytes> statistics(const std::string& device, std::uint32_t port) override {
    return get(uapi::kNldevCmdStatGet, device, port, "RDMA statistics of ");
  }

 private:
  /// Opening the socket would load ib_core where it is a module. Built into the kernel it may have no directory under
  /// /sys/module, so its class counts too.
  Result<void> check_loaded(const std::string& where) const {
    if (::access((root_ + "/sys/module/ib_core").c_str(), F_OK) == 0 ||
        ::access((root_ + "/sys/class/infiniband").c_str(), F_OK) == 0)
      return {};
    return Error{ErrorCode::NotFound, "the kernel's RDMA core (ib_core) is not loaded", where, 0};
  }

  /// Index of a device, from the cache or a dump.
  Result<std::uint32_t> index_of(const std::string& device, const std::string& where) {
    if (!indexes_.contains(device))
      if (auto listed = devices(); !listed) return listed.error();
    const auto found = indexes_.find(device);
    if (found == indexes_.end()) return os_error(ENODEV, "no such RDMA device", where);
    return found->second;
  }

  Result<Bytes> ask_by_index(std::uint16_t command, std::uint32_t index, std::uint32_t port, const std::string& device,
                             const std::string& where) {
    Payload payload;
    payload.attribute_u32(uapi::kNldevAttrDevIndex, index).attribute_u32(uapi::kNldevAttrPortIndex, port);
    // The kernel answers about a port with the type of an answer about a device (nldev_port_get_doit).
    const std::uint16_t answer = command == uapi::kNldevCmdPortGet ? uapi::kNldevCmdGet : command;
    auto reply = socket_.ask(message_type(command), message_type(answer), payload, where);
    if (!reply) return reply;
    // An index may have gone to another device since it was cached.
    const auto name = find_attribute(*reply, uapi::kNldevAttrDevName);
    if (name && text_of(*name) != device)
      return Error{ErrorCode::Changed, "the index belongs to another device now", where, 0};
    return reply;
  }

  Result<Bytes> get(std::uint16_t command, const std::string& device, std::uint32_t port, const char* what) {
    const std::string where = what + clean_text(device) + "/" + std::to_string(port);
    if (auto loaded = check_loaded(where); !loaded) return loaded.error();
    const auto index = index_of(device, where);
    if (!index) return index.error();
    auto reply = ask_by_index(command, *index, port, device, where);
    if (reply || (reply.error().code != ErrorCode::Changed && reply.error().code != ErrorCode::NotFound &&
                  reply.error().code != ErrorCode::Malformed))
      return reply;
    // Gone and come back under another index? Resolve anew; the same index gave its answer already.
    indexes_.clear();
    const auto fresh = index_of(device, where);
    if (!fresh) return fresh.error();
    if (*fresh == *index) return reply;
    return ask_by_index(command, *fresh, port, device, where);
  }

  std::string root_;
  NetlinkSocket socket_{uapi::kNetlinkRdma};
  std::map<std::string, std::uint32_t> indexes_;
};

}  // namespace

std::unique_ptr<RdmaNetlink> make_rdma(const std::string& root) {
  return std::make_unique<LiveRdma>(root);
}

}  // namespace roceready::live
