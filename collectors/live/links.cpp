// SPDX-License-Identifier: Apache-2.0
#include <linux/netlink.h>

#include "collectors/live/netlink_socket.h"
#include "collectors/live/parts.h"
#include "collectors/uapi.h"

namespace roceready::live {
namespace {

class LiveLinks : public Links {
 public:
  Result<std::vector<Bytes>> links() override {
    Payload payload;
    payload.zeros(uapi::kIfInfoMsgSize).attribute_u32(uapi::kIflaExtMask, uapi::kRtextFilterSkipStats);
    return socket_.dump(uapi::kRtmGetLink, uapi::kRtmNewLink, payload, "network links");
  }
  Result<std::vector<Bytes>> addresses() override {
    Payload payload;
    payload.zeros(uapi::kIfAddrMsgSize);
    return socket_.dump(uapi::kRtmGetAddr, uapi::kRtmNewAddr, payload, "network addresses");
  }
  Result<std::vector<Bytes>> rules() override {
    Payload payload;
    payload.u8(uapi::kAfInet).zeros(uapi::kFibRuleHeaderSize - 1);
    return socket_.dump(uapi::kRtmGetRule, uapi::kRtmNewRule, payload, "routing rules");
  }

 private:
  NetlinkSocket socket_{NETLINK_ROUTE};
};

}  // namespace

std::unique_ptr<Links> make_links() {
  return std::make_unique<LiveLinks>();
}

}  // namespace roceready::live
