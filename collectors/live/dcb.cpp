// SPDX-License-Identifier: Apache-2.0
#include <linux/netlink.h>

#include <cerrno>

#include "collectors/live/netlink_socket.h"
#include "collectors/live/parts.h"
#include "collectors/uapi.h"
#include "core/base/text.h"

namespace roceready::live {
namespace {

class LiveDcb : public Dcb {
 public:
  Result<Bytes> ieee(const std::string& netdev) override { return get(netdev, uapi::kDcbCmdIeeeGet, "DCB state of "); }
  Result<Bytes> dcbx(const std::string& netdev) override { return get(netdev, uapi::kDcbCmdGDcbx, "DCBX mode of "); }

 private:
  Result<Bytes> get(const std::string& netdev, std::uint8_t command, const char* what) {
    const std::string where = what + clean_text(netdev);
    if (!can_name_a_device(netdev)) return os_error(ENODEV, "no device can have this name", where);
    Payload payload;  // struct dcbmsg: family AF_UNSPEC, command, padding
    payload.u8(0).u8(command).zeros(2).attribute_text(uapi::kDcbAttrIfName, netdev);
    auto reply = socket_.ask(uapi::kRtmGetDcb, uapi::kRtmGetDcb, payload, where);
    if (!reply) return reply;
    if (reply->size() < uapi::kDcbMsgSize || (*reply)[1] != static_cast<std::byte>(command))
      return Error{ErrorCode::Malformed, "the answer is to another question", where, 0};
    reply->erase(reply->begin(), reply->begin() + static_cast<std::ptrdiff_t>(uapi::kDcbMsgSize));
    return reply;
  }

  NetlinkSocket socket_{NETLINK_ROUTE};
};

}  // namespace

std::unique_ptr<Dcb> make_dcb() {
  return std::make_unique<LiveDcb>();
}

}  // namespace roceready::live
