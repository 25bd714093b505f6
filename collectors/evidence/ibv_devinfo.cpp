// SPDX-License-Identifier: Apache-2.0
// ibv_devinfo [-v]: "hca_id: mlx5_0", facts of the device, "port: 1", facts of the port, with -v its GIDs
// ("GID[  3]: ::ffff:192.0.2.6, RoCE v2"; without the type in versions before rdma-core 30).
#include <array>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "ibv_devinfo") return false;
  const auto device = word_after(words, "-d");
  if (device && is_device_name(*device)) about.device = *device;
  return true;
}

constexpr std::array<std::string_view, 11> kNames = {"state",        "phys_state", "max_mtu",   "active_mtu",
                                                     "link_layer",   "fw_ver",     "transport", "gid_tbl_len",
                                                     "active_speed", "vendor_id",  "board_id"};
constexpr std::array<std::string_view, 16> kFillers = {
    "node_guid",       "sys_image_guid", "vendor_part_id", "hw_ver",      "phys_port_cnt", "sm_lid",
    "port_lid",        "port_lmc",       "active_width",   "max_msg_sz",  "max_vl_num",    "port_cap_flags",
    "port_cap_flags2", "sm_sl",          "bad_pkey_cntr",  "pkey_tbl_len"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  for (const std::string_view one : names) {
    if (one == name) return true;
  }
  return false;
}

/// "GID[  3]" or "GID[3]": the index.
std::optional<std::uint32_t> gid_index(std::string_view key) {
  constexpr std::uint64_t kMost = 65535;
  if (!key.starts_with("GID[") || !key.ends_with("]")) return std::nullopt;
  const auto index = parse_u64(trim(key.substr(4, key.size() - 5)));
  return index && *index <= kMost ? std::optional(static_cast<std::uint32_t>(*index)) : std::nullopt;
}

/// "name: value" where the name may stand behind the device's ("mlx5_1 state: PORT_DOWN (1)").
std::optional<KeyValue> fact_of_line(std::string_view line, std::string& device) {
  auto pair = key_value(line);
  if (!pair) {  // "GID[ 0]:fe80::1" and "state:PORT_ACTIVE"
    const std::string_view text = trim(line);
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    pair = KeyValue{trim(text.substr(0, colon)), trim(text.substr(colon + 1))};
  }
  const auto blank = pair->key.find(' ');
  if (blank != std::string_view::npos && is_usual_device_name(pair->key.substr(0, blank))) {
    device = std::string(pair->key.substr(0, blank));
    pair->key = trim(pair->key.substr(blank));
  }
  return pair;
}

bool says_nobody(std::string_view line) {
  return line.find("No IB devices found") != std::string_view::npos ||
         line.find("Failed to get IB devices list") != std::string_view::npos;
}

Fit fit(std::string_view line, About& about) {
  constexpr std::size_t kLongest = 200;
  if (line.size() > kLongest) return Fit::No;
  if (says_nobody(line)) return Fit::Certain;
  std::string device;
  const auto pair = fact_of_line(line, device);
  if (!pair) return Fit::No;
  if (pair->key == "hca_id" && is_device_name(pair->value)) {
    about.device = std::string(pair->value);
    return Fit::Begins;
  }
  if (gid_index(pair->key)) return Fit::Certain;
  if (pair->key == "state" || pair->key == "transport") {  // words of others, too
    const bool own = pair->value.starts_with("PORT_") || pair->value.starts_with("InfiniBand (") ||
                     pair->value.starts_with("iWARP (");
    return own ? Fit::Certain : Fit::No;
  }
  if (pair->key == "phys_state" || pair->key == "active_mtu" || pair->key == "max_mtu" || pair->key == "fw_ver" ||
      pair->key == "gid_tbl_len" || pair->key == "phys_port_cnt" || pair->key == "vendor_part_id")
    return Fit::Certain;
  if (is_in(kNames, pair->key) || is_in(kFillers, pair->key) || pair->key == "port") return Fit::Possible;
  const bool limit =
      pair->key.starts_with("max_") || pair->key.ends_with("_cap") || pair->key.find("cap") != std::string_view::npos;
  return limit || indent_of(line) >= 8 ? Fit::Possible : Fit::No;
}

/// Reads the lines of one section: one device, or all of a cut list.
class Reader {
 public:
  Reader(const Section& section, Draft& draft) : section_(section), draft_(draft), about_(section.about) {}

  void take(const Line& line) {
    if (trim(line.text).empty()) {
      blank_ = true;
      return;
    }
    if (says_nobody(line.text)) {
      if (line.text.find("Function not implemented") != std::string::npos) draft_.host().user_verbs = false;
      if (line.text.find("No IB devices found") != std::string::npos) draft_.has_no_rdma_devices();
      return;
    }
    std::string device;
    const auto pair = fact_of_line(line.text, device);
    if (!pair) return draft_.unread(section_, line);
    if (!gid_index(pair->key)) end_table();
    blank_ = false;
    if (!device.empty()) begin_device(device);
    if (pair->key == "hca_id") {
      draft_.host().user_verbs = true;  // the tool itself is a program that uses verbs
      return begin_device(std::string(pair->value));
    }
    if (pair->key == "port") return begin_port(pair->value);
    line_ = line.number;
    if (const auto index = gid_index(pair->key)) return gid(*index, pair->value);
    fact(pair->key, pair->value);
  }
  /// The tool ends a port with an empty line. The next device, or any other output behind it, shows that nothing was
  /// cut.
  void finish() {
    const bool cut = section_.next != section_.format && !(blank_ && section_.next != nullptr);
    if (!cut) end_table();
  }

 private:
  void end_table() {
    if (!listed_.empty()) draft_.gid_table_ends(listed_);
    listed_.clear();
  }
  void begin_device(std::string device) {
    about_.device = std::move(device);
    about_.port = 0;
    firmware_.clear();
    transport_.clear();
    port();
  }
  void begin_port(std::string_view number) {
    const auto value = parse_u64(number);
    if (value && *value > 0 && *value < 256) about_.port = static_cast<std::uint32_t>(*value);
    if (!firmware_.empty()) port().firmware = firmware_;
  }
  RdmaPort& port() { return named_port(draft_, about_.device, about_.port); }
  std::string owner() const { return about_.device + "/" + std::to_string(about_.port == 0 ? 1 : about_.port); }

  /// The index is a slot's; v2 GIDs of IPv4 addresses read "::ffff:192.0.2.6".
  void gid(std::uint32_t index, std::string_view text) {
    GidPart part;
    part.index = index;
    const auto comma = text.find(',');
    const auto address = gid_text(text.substr(0, comma));
    if (!address) return;  // an empty slot
    listed_ = owner();
    part.gid = *address;
    if (comma != std::string_view::npos) part.type = gid_type_word(text.substr(comma + 1));
    draft_.cite("GID table of " + owner(), section_, line_);
    merge_gid(port(), std::move(part));
  }

  void fact(std::string_view name, std::string_view value) {
    RdmaPort& at = port();
    draft_.cite("RDMA port " + owner(), section_, line_);
    if (name == "fw_ver") {
      firmware_ = std::string(value);
      at.firmware = firmware_;
    } else if (name == "transport") {
      transport_ = std::string(value.substr(0, value.find(' ')));
      if (transport_ == "iWARP") at.protocol = std::string("iw");
    } else if (name == "state") {
      const auto word = port_state_word(value);
      at.state = word ? Reading<std::string>(*word) : Absent{Why::Malformed, std::string(value)};
    } else if (name == "phys_state") {
      const auto word = physical_state_word(value);
      at.physical_state = word ? Reading<std::string>(*word) : Absent{Why::Malformed, std::string(value)};
    } else if (name == "max_mtu") {
      at.max_mtu = verbs_mtu(value);
    } else if (name == "active_mtu") {
      at.active_mtu = verbs_mtu(value);
      draft_.cite("RDMA port " + owner(), "RDMA MTU", section_, line_);
    } else if (name == "link_layer") {
      link_layer(at, value);
    }
  }

  void link_layer(RdmaPort& at, std::string_view value) {
    draft_.cite("link_layer of " + owner(), section_, line_);
    if (value != "Ethernet" && value != "InfiniBand") {
      at.link_layer = Absent{Why::Malformed, std::string(value)};
      return;
    }
    at.link_layer = std::string(value);
    if (transport_ == "iWARP")
      at.protocol = std::string("iw");
    else if (!at.protocol)
      at.protocol = std::string(value == "Ethernet" ? "roce" : "ib");
  }

  const Section& section_;
  Draft& draft_;
  About about_;
  std::string firmware_, transport_;
  std::string listed_;  ///< whose GIDs stand in the lines just read
  bool blank_ = false;  ///< the last line was empty
  std::uint32_t line_ = 0;
};

void parse(const Section& section, Draft& draft) {
  Reader reader(section, draft);
  for (const Line& line : section.lines) reader.take(line);
  reader.finish();
}

}  // namespace

extern const Format kIbvDevinfo;
constinit const Format kIbvDevinfo{"ibv_devinfo", "ibv_devinfo -v", false, made_by, fit, parse};

}  // namespace roceready::evidence
