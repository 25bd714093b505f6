// SPDX-License-Identifier: Apache-2.0
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "collectors/live/netlink_socket.h"
#include "collectors/live/parts.h"
#include "collectors/uapi.h"
#include "core/base/text.h"

namespace roceready::live {
namespace {

constexpr std::size_t kMaxStatistics = 65536;
constexpr std::size_t kBytesPerStatistic = 8;

/// Kernels without the fix write as many entries as the driver has *now*, whatever our buffer holds. The count changes
/// with channels, DCB and virtual functions, so the buffer is much larger than the count that was asked for.
constexpr std::size_t with_slack(std::size_t count) {
  return count + std::max<std::size_t>(count / 2, 4096);
}

struct Question {
  std::uint8_t request;
  std::uint8_t reply;
  bool statistics;
  Payload more{};  ///< attributes behind the header
};

Question question_of(EthtoolMessage message) {
  switch (message) {
    case EthtoolMessage::LinkInfo:
      return {uapi::kEthtoolMsgLinkInfoGet, uapi::kEthtoolMsgLinkInfoReply, false};
    case EthtoolMessage::LinkModes:
      return {uapi::kEthtoolMsgLinkModesGet, uapi::kEthtoolMsgLinkModesReply, false};
    case EthtoolMessage::LinkState:
      return {uapi::kEthtoolMsgLinkStateGet, uapi::kEthtoolMsgLinkStateReply, false};
    case EthtoolMessage::Rings:
      return {uapi::kEthtoolMsgRingsGet, uapi::kEthtoolMsgRingsReply, false};
    case EthtoolMessage::Pause:
      return {uapi::kEthtoolMsgPauseGet, uapi::kEthtoolMsgPauseReply, true};
    case EthtoolMessage::Fec:
      return {uapi::kEthtoolMsgFecGet, uapi::kEthtoolMsgFecReply, true};
  }
  return {uapi::kEthtoolMsgLinkStateGet, uapi::kEthtoolMsgLinkStateReply, false};
}

/// SIOCETHTOOL: any datagram socket will do.
class EthtoolIoctl {
 public:
  EthtoolIoctl() = default;
  ~EthtoolIoctl() {
    if (fd_ >= 0) ::close(fd_);
  }
  EthtoolIoctl(const EthtoolIoctl&) = delete;
  EthtoolIoctl& operator=(const EthtoolIoctl&) = delete;

  /// `data`: a struct that begins with its command, and room behind it for what the driver writes.
  Result<void> call(const std::string& netdev, void* data, const std::string& where) {
    ifreq request{};
    if (!can_name_a_device(netdev) || netdev.size() >= sizeof request.ifr_name)
      return os_error(ENODEV, "no device can have this name", where);
    std::memcpy(request.ifr_name, netdev.data(), netdev.size());
    request.ifr_data = static_cast<char*>(data);
    if (fd_ < 0) fd_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd_ < 0) fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return os_error(errno, "cannot open a socket", where);
    if (::ioctl(fd_, SIOCETHTOOL, &request) != 0) {
      const int refused = errno;
      return os_error(refused, "the driver refused: " + errno_name(refused), where);
    }
    return {};
  }

 private:
  int fd_ = -1;
};

/// Storage for one of the kernel's structs with an array behind it. u64 for alignment.
class IoctlBuffer {
 public:
  explicit IoctlBuffer(std::size_t bytes) : words_(bytes / sizeof(std::uint64_t) + 1) {}
  void* data() { return words_.data(); }
  template <class T>
  T& as() {
    return *static_cast<T*>(data());
  }
  /// `count` bytes from `offset`.
  Bytes copy(std::size_t offset, std::size_t count) {
    const auto* begin = static_cast<const std::byte*>(data()) + offset;
    return Bytes(begin, begin + count);
  }

 private:
  std::vector<std::uint64_t> words_;
};

class LiveEthtool : public Ethtool {
 public:
  Result<Bytes> driver_info(const std::string& netdev) override {
    IoctlBuffer buffer(sizeof(ethtool_drvinfo));
    buffer.as<ethtool_drvinfo>().cmd = ETHTOOL_GDRVINFO;
    if (auto done = ioctl_.call(netdev, buffer.data(), "driver of " + clean_text(netdev)); !done) return done.error();
    return buffer.copy(0, uapi::kDrvInfoSize);
  }

  Result<Bytes> statistics_names(const std::string& netdev) override {
    const std::string where = "ethtool statistic names of " + clean_text(netdev);
    const auto count = count_statistics(netdev, where);
    if (!count) return count.error();
    IoctlBuffer buffer(sizeof(ethtool_gstrings) + with_slack(*count) * uapi::kStatisticNameSize);
    auto& strings = buffer.as<ethtool_gstrings>();
    strings.cmd = ETHTOOL_GSTRINGS;
    strings.string_set = ETH_SS_STATS;
    strings.len = static_cast<std::uint32_t>(*count);
    if (auto done = ioctl_.call(netdev, buffer.data(), where); !done) return done.error();
    if (strings.len != *count) return changed(where);
    return buffer.copy(sizeof(ethtool_gstrings), *count * uapi::kStatisticNameSize);
  }

  Result<Bytes> statistics_values(const std::string& netdev, std::size_t count) override {
    const std::string where = "ethtool statistics of " + clean_text(netdev);
    // A request for 0 would be answered with everything.
    if (count == 0 || count > kMaxStatistics)
      return Error{ErrorCode::Usage, "the number of statistics must be 1 to 65536", where, 0};
    IoctlBuffer buffer(sizeof(ethtool_stats) + with_slack(count) * kBytesPerStatistic);
    auto& statistics = buffer.as<ethtool_stats>();
    statistics.cmd = ETHTOOL_GSTATS;
    statistics.n_stats = static_cast<std::uint32_t>(count);
    if (auto done = ioctl_.call(netdev, buffer.data(), where); !done) return done.error();
    if (statistics.n_stats != count) return changed(where);
    return buffer.copy(sizeof(ethtool_stats), count * kBytesPerStatistic);
  }

  Result<Bytes> pfc_prevention_timeout(const std::string& netdev) override {
    IoctlBuffer buffer(sizeof(ethtool_tunable) + sizeof(std::uint64_t));
    auto& tunable = buffer.as<ethtool_tunable>();
    tunable.cmd = ETHTOOL_GTUNABLE;
    tunable.id = ETHTOOL_PFC_PREVENTION_TOUT;
    tunable.type_id = ETHTOOL_TUNABLE_U16;
    tunable.len = sizeof(std::uint16_t);
    const std::string where = "PFC stall limit of " + clean_text(netdev);
    if (auto done = ioctl_.call(netdev, buffer.data(), where); !done) return done.error();
    return buffer.copy(sizeof(ethtool_tunable), sizeof(std::uint16_t));
  }

  Result<Bytes> get(const std::string& netdev, EthtoolMessage message) override {
    return ask_family(netdev, question_of(message),
                      std::string("ethtool ") + name_of(message) + " of " + clean_text(netdev));
  }

  Result<Bytes> module_eeprom(const std::string& netdev, const ModulePart& part) override {
    Question question{uapi::kEthtoolMsgModuleEepromGet, uapi::kEthtoolMsgModuleEepromReply, false};
    question.more.attribute_u32(uapi::kEthtoolAModuleEepromOffset, part.offset)
        .attribute_u32(uapi::kEthtoolAModuleEepromLength, part.length)
        .attribute_u8(uapi::kEthtoolAModuleEepromPage, part.page)
        .attribute_u8(uapi::kEthtoolAModuleEepromI2cAddress, part.i2c_address);
    return ask_family(netdev, question, "module EEPROM of " + clean_text(netdev));
  }

 private:
  Result<Bytes> ask_family(const std::string& netdev, const Question& question, const std::string& where) {
    if (!can_name_a_device(netdev)) return os_error(ENODEV, "no device can have this name", where);
    const auto family = family_id(where);
    if (!family) return family.error();
    auto reply = ask(*family, netdev, question, where);
    if (reply || reply.error().os_error != ENOENT) return reply;
    // ENOENT is also what the kernel says of a family that is gone: is it ours still?
    family_.reset();
    const auto fresh = family_id(where);
    if (!fresh) return fresh.error();
    if (*fresh == *family) return reply;
    return ask(*fresh, netdev, question, where);
  }

  static Error changed(const std::string& where) {
    return Error{ErrorCode::Changed, "the number of statistics changed", where, 0};
  }

  Result<std::size_t> count_statistics(const std::string& netdev, const std::string& where) {
    IoctlBuffer buffer(sizeof(ethtool_sset_info) + sizeof(std::uint32_t));
    auto& info = buffer.as<ethtool_sset_info>();
    info.cmd = ETHTOOL_GSSET_INFO;
    info.sset_mask = std::uint64_t{1} << ETH_SS_STATS;
    if (auto done = ioctl_.call(netdev, buffer.data(), where); !done) return done.error();
    const auto counted = u32_of(buffer.copy(sizeof(ethtool_sset_info), sizeof(std::uint32_t)));
    if (info.sset_mask == 0 || !counted || *counted == 0)
      return Error{ErrorCode::NotSupported, "the driver has no statistics", where, 0};
    if (*counted > kMaxStatistics)
      return Error{ErrorCode::Malformed, "the driver claims more than 65536 statistics", where, 0};
    return std::size_t{*counted};
  }

  /// Number of the family, which the kernel gives out at boot.
  Result<std::uint16_t> family_id(const std::string& where) {
    if (family_) return *family_;
    Payload payload;  // struct genlmsghdr: command, version, reserved
    payload.u8(CTRL_CMD_GETFAMILY).u8(1).zeros(2).attribute_text(CTRL_ATTR_FAMILY_NAME, uapi::kEthtoolFamily);
    const auto reply = socket_.ask(GENL_ID_CTRL, GENL_ID_CTRL, payload, where);
    if (!reply && reply.error().os_error == ENOENT)
      return Error{ErrorCode::NotSupported, "the kernel has no ethtool netlink", where, ENOENT};
    if (!reply) return reply.error();
    const auto attributes = std::span<const std::byte>(*reply).subspan(std::min(reply->size(), sizeof(genlmsghdr)));
    const auto id = find_attribute(attributes, CTRL_ATTR_FAMILY_ID);
    if (!id || id->size() < sizeof(std::uint16_t))
      return Error{ErrorCode::Malformed, "the kernel did not name the ethtool family", where, 0};
    std::uint16_t value = 0;
    std::memcpy(&value, id->data(), sizeof value);
    family_ = value;
    return value;
  }

  Result<Bytes> ask(std::uint16_t family, const std::string& netdev, const Question& question,
                    const std::string& where) {
    Payload header;
    header.attribute_text(uapi::kEthtoolAHeaderDevName, netdev)
        .attribute_u32(uapi::kEthtoolAHeaderFlags,
                       uapi::kEthtoolFlagCompactBitsets | (question.statistics ? uapi::kEthtoolFlagStats : 0U));
    Payload payload;
    payload.u8(question.request)
        .u8(uapi::kEthtoolVersion)
        .zeros(2)
        .nest(uapi::kEthtoolAHeader, header)
        .raw(question.more.bytes());
    auto reply = socket_.ask(family, family, payload, where);
    if (!reply) return reply;
    if (reply->size() < sizeof(genlmsghdr) || (*reply)[0] != static_cast<std::byte>(question.reply))
      return Error{ErrorCode::Malformed, "the answer is to another question", where, 0};
    reply->erase(reply->begin(), reply->begin() + static_cast<std::ptrdiff_t>(sizeof(genlmsghdr)));
    return reply;
  }

  EthtoolIoctl ioctl_;
  NetlinkSocket socket_{NETLINK_GENERIC};
  std::optional<std::uint16_t> family_;
};

}  // namespace

std::unique_ptr<Ethtool> make_ethtool() {
  return std::make_unique<LiveEthtool>();
}

}  // namespace roceready::live
