// SPDX-License-Identifier: Apache-2.0
#ifdef ROCEREADY_HAVE_VERBS
#include <infiniband/verbs.h>
#endif
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "collectors/live/parts.h"
#include "collectors/uapi.h"
#include "core/base/text.h"

namespace roceready::live {
namespace {

#ifdef ROCEREADY_HAVE_VERBS

constexpr std::size_t kMaxGids = 65536;
static_assert(sizeof(ibv_gid_entry) == uapi::kGidEntrySize);

/// An open device, closed at once: an open context can hold up the unloading of its driver.
class OpenDevice {
 public:
  explicit OpenDevice(const std::string& name, const std::string& where) {
    int count = 0;
    errno = 0;
    ibv_device** list = ::ibv_get_device_list(&count);
    if (list == nullptr) {  // without RDMA; freeing it would crash
      error_ = os_error(errno != 0 ? errno : ENODEV, "cannot list verbs devices", where);
      return;
    }
    error_ = os_error(ENODEV, "verbs do not know this device, or its user-space driver is not installed", where);
    for (int i = 0; i < count; ++i) {
      if (name != ::ibv_get_device_name(list[i])) continue;
      errno = 0;
      context_ = ::ibv_open_device(list[i]);
      if (context_ == nullptr) error_ = os_error(errno != 0 ? errno : EIO, "cannot open the verbs device", where);
      break;
    }
    ::ibv_free_device_list(list);
  }
  ~OpenDevice() {
    if (context_ != nullptr) ::ibv_close_device(context_);
  }
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;
  [[nodiscard]] ibv_context* context() const { return context_; }
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  ibv_context* context_ = nullptr;
  Error error_;
};

class LiveVerbs : public VerbsFacts {
 public:
  explicit LiveVerbs(std::string root) : root_(std::move(root)) {}

  Result<Bytes> port_attributes(const std::string& device, std::uint32_t port) override {
    const std::string where = "verbs port " + clean_text(device) + "/" + std::to_string(port);
    if (auto loaded = check_loaded(where); !loaded) return loaded.error();
    if (port == 0 || port > 255) return Error{ErrorCode::Usage, "port numbers are 1 to 255", where, 0};
    const OpenDevice opened(device, where);
    if (opened.context() == nullptr) return opened.error();
    ibv_port_attr attributes{};
    if (const int failed = ::ibv_query_port(opened.context(), static_cast<std::uint8_t>(port), &attributes))
      return os_error(failed < 0 ? -failed : failed, "cannot query the port", where);
    const std::uint32_t values[] = {
        attributes.state,        attributes.max_mtu,
        attributes.active_mtu,   attributes.gid_tbl_len < 0 ? 0U : static_cast<std::uint32_t>(attributes.gid_tbl_len),
        attributes.active_speed, attributes.active_width,
        attributes.phys_state,   attributes.link_layer};
    static_assert(sizeof values == uapi::kVerbsPortAttributesSize);
    Bytes out(sizeof values);
    std::memcpy(out.data(), values, sizeof values);
    return out;
  }

  Result<Bytes> gid_table(const std::string& device) override {
    const std::string where = "GID table of " + clean_text(device);
    if (auto loaded = check_loaded(where); !loaded) return loaded.error();
    const OpenDevice opened(device, where);
    if (opened.context() == nullptr) return opened.error();
    const auto slots = count_slots(opened.context(), where);
    if (!slots) return slots.error();
    if (*slots == 0) return Bytes();
    std::vector<ibv_gid_entry> entries(*slots);
    const ssize_t found = ::ibv_query_gid_table(opened.context(), entries.data(), entries.size(), 0);
    if (found < 0) return os_error(static_cast<int>(-found), "cannot query the GID table", where);
    if (static_cast<std::size_t>(found) > entries.size())
      return Error{ErrorCode::Malformed, "more GIDs than slots", where, 0};
    Bytes out(static_cast<std::size_t>(found) * sizeof(ibv_gid_entry));
    if (!out.empty()) std::memcpy(out.data(), entries.data(), out.size());
    return out;
  }

 private:
  Result<void> check_loaded(const std::string& where) const {
    if (::access((root_ + "/sys/module/ib_uverbs").c_str(), F_OK) == 0 ||
        ::access((root_ + "/sys/class/infiniband_verbs").c_str(), F_OK) == 0)
      return {};
    return Error{ErrorCode::NotFound, "the kernel's verbs interface (ib_uverbs) is not loaded", where, 0};
  }

  /// Slots of all ports: the query fails when there is room for fewer than the valid entries.
  static Result<std::size_t> count_slots(ibv_context* context, const std::string& where) {
    ibv_device_attr device{};
    if (const int failed = ::ibv_query_device(context, &device))
      return os_error(failed < 0 ? -failed : failed, "cannot query the device", where);
    std::size_t slots = 0;
    for (unsigned port = 1; port <= device.phys_port_cnt; ++port) {
      ibv_port_attr attributes{};
      if (const int failed = ::ibv_query_port(context, static_cast<std::uint8_t>(port), &attributes))
        return os_error(failed < 0 ? -failed : failed, "cannot query port " + std::to_string(port), where);
      if (attributes.gid_tbl_len > 0) slots += static_cast<std::size_t>(attributes.gid_tbl_len);
    }
    if (slots > kMaxGids) return Error{ErrorCode::Malformed, "more than 65536 GID slots", where, 0};
    return slots;
  }

  std::string root_;
};

#else

class LiveVerbs : public VerbsFacts {
 public:
  explicit LiveVerbs(const std::string&) {}
  Result<Bytes> port_attributes(const std::string& device, std::uint32_t) override { return missing(device); }
  Result<Bytes> gid_table(const std::string& device) override { return missing(device); }

 private:
  static Error missing(const std::string& device) {
    return Error{ErrorCode::NotSupported, "this build has no libibverbs", "verbs of " + clean_text(device), 0};
  }
};

#endif

}  // namespace

std::unique_ptr<VerbsFacts> make_verbs(const std::string& root) {
  return std::make_unique<LiveVerbs>(root);
}

}  // namespace roceready::live
