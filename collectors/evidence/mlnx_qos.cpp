// SPDX-License-Identifier: Apache-2.0
// mlnx_qos -i NETDEV, and the short "key: value" layout of the same facts: "dcbx: os", "pfc: 0,0,0,1,0,0,0,0".
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectors/evidence/eight.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::size_t kCodePoints = 64;
constexpr std::uint32_t kHost = 1, kFirmware = 2;  ///< DCB_CAP_DCBX_HOST, DCB_CAP_DCBX_LLD_MANAGED
constexpr std::string_view kShortKeys[] = {"dcbx", "trust", "buffer_size", "cable_len", "pfc", "prio_to_buffer"};
constexpr std::string_view kUnsupported[] = {"Priority trust state is not supported on your system",
                                             "Priority trust mode is not supported on your system",
                                             "Buffers commands are not supported on your system"};

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "mlnx_qos" && words[0] != "mlnx_qos.py") return false;
  auto netdev = word_after(words, "-i");
  if (!netdev) netdev = word_after(words, "--interface");
  if (netdev && is_netdev_name(*netdev)) about.netdev = *netdev;
  return true;
}

bool is_table_row(std::string_view text) {
  return (text.starts_with("priority ") || text.starts_with("enabled ") || text.starts_with("buffer ")) &&
         listed_eight(text.substr(text.find(' ')));
}
bool is_class_member(std::string_view text) {
  return text.starts_with("priority:") || text.starts_with("up:") || text.starts_with("skprio:");
}

Fit fit(std::string_view line, About&) {
  const std::string_view text = trim(line);
  if (text.starts_with("DCBX mode:")) return Fit::Begins;
  if (text.starts_with("Priority trust state:") || text == "dscp2prio mapping:" || text == "PFC configuration:" ||
      text.starts_with("Receive buffer size (bytes)") || text.starts_with("Cable len:") || holds(kUnsupported, text))
    return Fit::Certain;
  if (text.starts_with("prio:") && text.find(" dscp:") != std::string_view::npos) return Fit::Certain;
  if (text.starts_with("tc: ") && text.find(" ratelimit: ") != std::string_view::npos) return Fit::Certain;
  if (is_table_row(text)) return Fit::Certain;
  if (is_class_member(text) || text == "default priority:" || text.starts_with("bw: ")) return Fit::Possible;
  if (text.starts_with("****** WARNING: lldpad")) return Fit::Possible;
  const auto pair = key_value(text);
  if (!pair || !holds(kShortKeys, pair->key)) return refusal_of(text) ? Fit::Possible : Fit::No;
  if (pair->key == "dcbx") return pair->value == "os" || pair->value == "fw" ? Fit::Certain : Fit::Possible;
  if (pair->key == "trust") return pair->value == "pcp" || pair->value == "dscp" ? Fit::Certain : Fit::Possible;
  return pair->key == "cable_len" || listed_eight(pair->value) ? Fit::Certain : Fit::Possible;
}

class Reader {
 public:
  Reader(const Section& section, Draft& draft) : section_(section), draft_(draft) {}

  bool take(const Line& line) {
    const std::string_view text = trim(line.text);
    field_.clear();
    const bool understood = mode(text, line) || map(text, line) || buffers(text, line) || pfc(text, line) ||
                            traffic_class(text) || quiet(text);
    const std::string source = "DCB netlink " + section_.about.netdev;
    if (understood) draft_.cite(source, section_, line.number);
    if (!understood || field_.empty() || !cited_.insert(field_).second) return understood;
    if (field_ != "class") {
      draft_.cite(source, field_, section_, line.number);
    } else {  // a class's line tells all of it
      for (const char* name : {"class", "algorithm", "share", "max_rate"})
        draft_.cite(source, name, section_, line.number);
    }
    return true;
  }

  /// Only what is told in full: an array of which a part lacks would have zeroes that nobody said.
  void finish(DcbFacts& dcb, const std::optional<Absent>& refused) const {
    if (dcbx_) dcb.dcbx = *dcbx_;
    if (!(trust_ == Reading<std::string>())) dcb.trust = trust_;
    if (!(enabled_ == Reading<std::uint32_t>())) dcb.pfc = pfc_facts(dcb.pfc);
    if (sizes_ && prio_to_buffer_)
      dcb.buffers = BufferFacts{*prio_to_buffer_, *sizes_, total_};
    else if (no_buffers_)
      dcb.buffers = Absent{Why::NotSupported, "mlnx_qos: buffers are not supported on this system"};
    finish_map(dcb);
    finish_classes(dcb);
    const bool silent = !dcbx_ && trust_ == Reading<std::string>() && enabled_ == Reading<std::uint32_t>();
    if (!refused || !silent) return;
    dcb.pfc = *refused;
    dcb.ets = *refused;
  }

 private:
  bool mode(std::string_view text, const Line& line) {
    const auto pair = key_value(text);
    if (!pair) return trust_unsupported(text);
    if (pair->key == "DCBX mode" || pair->key == "dcbx") {
      const std::string word = lower(words_of(pair->value).empty() ? "" : words_of(pair->value)[0]);
      if (word == "os") dcbx_ = kHost;
      if (word == "fw" || word == "firmware") dcbx_ = kFirmware;
      return dcbx_.has_value();
    }
    if (pair->key != "Priority trust state" && pair->key != "trust") return false;
    field_ = "trust";
    if (pair->value == "dscp" || pair->value == "pcp")
      trust_ = std::string(pair->value);
    else if (pair->value != "none")  // mlnx_qos says so when it could not read it
      trust_ = malformed(line);
    return true;
  }

  bool trust_unsupported(std::string_view text) {
    if (!holds(kUnsupported, text)) return false;
    if (text.starts_with("Buffers"))
      no_buffers_ = true;
    else
      trust_ = Absent{Why::Malformed, "mlnx_qos could not read the trust state"};
    return true;
  }

  /// "prio:3 dscp:31,30,29,28,27,26,25,24,"
  bool map(std::string_view text, const Line& line) {
    if (text == "dscp2prio mapping:") return true;
    if (!text.starts_with("prio:")) return false;
    const auto words = words_of(text);
    if (words.size() < 2 || !words[1].starts_with("dscp:")) return false;
    field_ = "map";
    const auto priority = parse_u32(words[0].substr(5));
    if (!priority || *priority >= kPriorities) return false;
    for (const std::string_view one : split(words[1].substr(5), ',')) {
      const auto dscp = parse_u32(trim(one));
      if (!dscp && !trim(one).empty()) return false;
      if (!dscp || *dscp >= kCodePoints || entries_.size() >= kCodePoints * kPriorities) continue;
      entries_.push_back({kSelectorDscp, *dscp, *priority});
      draft_.cite("DCB netlink " + section_.about.netdev, "DSCP " + std::to_string(*dscp), section_, line.number);
    }
    return true;
  }

  /// "Receive buffer size (bytes): 130944,130944,0,0,0,0,0,0,max_buffer_size=262016"; newer ones say total_size.
  bool buffers(std::string_view text, const Line&) {
    const auto pair = key_value(text);
    if (pair && (pair->key == "Receive buffer size (bytes)" || pair->key == "buffer_size")) {
      field_ = "buffers";
      const auto equal = pair->value.find('=');
      const auto end = equal == std::string_view::npos ? equal : pair->value.rfind(',', equal);
      sizes_ = numbers_of(listed_eight(pair->value.substr(0, end)), UINT32_MAX);
      if (equal != std::string_view::npos)
        if (const auto total = parse_u32(pair->value.substr(equal + 1))) total_ = *total;
      return sizes_.has_value();
    }
    const bool row = text.starts_with("buffer ");
    if (!row && (!pair || pair->key != "prio_to_buffer")) return false;
    prio_to_buffer_ = numbers_of(listed_eight(row ? text.substr(7) : pair->value), kPriorities - 1);
    return prio_to_buffer_.has_value();
  }

  bool pfc(std::string_view text, const Line& line) {
    if (text == "PFC configuration:" || (text.starts_with("priority ") && is_table_row(text))) return true;
    const auto pair = key_value(text);
    if (pair && (pair->key == "Cable len" || pair->key == "cable_len")) {
      field_ = "cable";
      metres_ = parse_u32(pair->value);
      return metres_.has_value();
    }
    const bool row = text.starts_with("enabled ");
    if (!row && (!pair || pair->key != "pfc")) return false;
    field_ = "pfc";
    const auto mask = mask_of(listed_eight(row ? text.substr(8) : pair->value));
    enabled_ = mask ? Reading<std::uint32_t>(*mask) : Reading<std::uint32_t>(malformed(line));
    return true;
  }

  /// "tc: 0 ratelimit: 25.0 Gbps, tsa: ets, bw: 50%", then its priorities on lines of their own.
  bool traffic_class(std::string_view text) {
    const std::uint32_t wrapped = std::exchange(wrapped_, kPriorities);
    if (text.starts_with("priority:") || text.starts_with("up:")) {
      const auto priority = parse_u32(trim(text.substr(text.find(':') + 1)));
      if (!priority || *priority >= kPriorities || class_ >= kPriorities) return false;
      priority_to_class_[*priority] = class_;
      mapped_ |= 1U << *priority;
      return true;
    }
    if (text.starts_with("bw:")) return share_of_wrapped(wrapped, text);
    if (!text.starts_with("tc: ")) return false;
    const auto words = words_of(text);
    const auto after = [&](std::string_view key) {
      for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (words[i] == key) return words[i + 1].substr(0, words[i + 1].find(','));
      return std::string_view();
    };
    const auto number = parse_u32(after("tc:"));
    const auto algorithm = algorithm_of(after("tsa:"));
    class_ = kPriorities;  // priorities of a class that is not understood are nobody's
    if (!number || *number >= kPriorities || !algorithm) return false;
    field_ = "class";
    rate_limit(*number, after("ratelimit:"));
    algorithm_[*number] = *algorithm;
    if (*algorithm != kAlgorithmEts) return keep_class(*number, 0);
    if (const auto share = percent_of(after("bw:"))) return keep_class(*number, *share);
    wrapped_ = *number;
    return text.ends_with("ets,");
  }

  /// "20%"; a number without its sign may have been cut.
  static std::optional<std::uint32_t> percent_of(std::string_view text) {
    constexpr std::uint32_t kWhole = 100;
    if (!text.ends_with("%")) return std::nullopt;
    const auto share = parse_u32(text.substr(0, text.size() - 1));
    return share && *share <= kWhole ? share : std::nullopt;
  }

  bool keep_class(std::uint32_t number, std::uint32_t share) {
    class_ = number;
    shown_ |= 1U << class_;
    share_[class_] = share;
    return true;
  }

  /// "bw: 20%" on a line of its own, as a mail breaks "tc: 0 ratelimit: unlimited, tsa: ets, bw: 20%".
  bool share_of_wrapped(std::uint32_t number, std::string_view text) {
    const auto share = percent_of(trim(text.substr(text.find(':') + 1)));
    class_ = kPriorities;
    return number < kPriorities && share && keep_class(number, *share);
  }

  void rate_limit(std::uint32_t number, std::string_view text) {
    constexpr double kGiga = 1e9, kFastest = 1e6;
    const auto gigabits = parse_double(text);
    rates_known_ = rates_known_ && (text == "unlimited" || (gigabits && *gigabits >= 0 && *gigabits < kFastest));
    rate_[number] = gigabits && rates_known_ ? static_cast<std::uint64_t>(*gigabits * kGiga) : 0;
  }

  static bool quiet(std::string_view text) {
    return text == "default priority:" || text.starts_with("skprio:") || text.starts_with("****** WARNING: lldpad") ||
           text == "priority:" || text == "none";
  }

  [[nodiscard]] Reading<PfcFacts> pfc_facts(const Reading<PfcFacts>& before) const {
    if (!enabled_) return enabled_.absent();
    PfcFacts out = before ? *before : PfcFacts{};
    out.enabled = *enabled_;
    if (metres_) out.delay = *metres_;
    return out;
  }

  /// The driver shows the map in force where it has a file for it, and the APP table otherwise.
  void finish_map(DcbFacts& dcb) const {
    if (trust_ && *trust_ == "pcp")
      dcb.dscp_to_priority = Absent{Why::NotPresent, "trust is pcp: DSCP is not looked at"};
    if (entries_.empty()) return;
    std::vector<std::uint32_t> all(kCodePoints, UINT32_MAX);
    for (const AppEntry& entry : entries_) {
      std::uint32_t& priority = all[entry.protocol];
      priority = priority == UINT32_MAX ? entry.priority : std::max(priority, entry.priority);
    }
    if (std::find(all.begin(), all.end(), UINT32_MAX) == all.end()) dcb.dscp_to_priority = all;
  }

  /// Classes without priorities are not shown. Where the shares that are shown do not make 100 %, one of those may have
  /// the rest: nothing is told of shares then.
  void finish_classes(DcbFacts& dcb) const {
    constexpr std::uint32_t kAll = 0xff, kWhole = 100;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kPriorities; ++i) sum += algorithm_[i] == kAlgorithmEts ? share_[i] : 0;
    if (mapped_ != kAll || (shown_ != kAll && sum != kWhole && sum != 0)) return;
    EtsFacts ets = dcb.ets ? *dcb.ets : EtsFacts{};
    ets.priority_to_class = priority_to_class_;
    ets.algorithm = algorithm_;
    ets.bandwidth_percent = share_;
    dcb.ets = ets;
    if (rates_known_) dcb.max_rate = rate_;
  }

  [[nodiscard]] Absent malformed(const Line& line) const {
    return {Why::Malformed, place_text(section_, line.number) + ": \"" + std::string(trim(line.text)) + "\""};
  }

  const Section& section_;
  Draft& draft_;
  std::string field_;            ///< that the line just read tells
  std::set<std::string> cited_;  ///< fields that have their place: the first line of each
  std::optional<std::uint32_t> dcbx_, metres_;
  Reading<std::string> trust_;
  Reading<std::uint32_t> enabled_;
  std::optional<Eight<std::uint32_t>> sizes_, prio_to_buffer_;
  Reading<std::uint32_t> total_;
  std::uint32_t class_ = kPriorities, mapped_ = 0, shown_ = 0;
  std::uint32_t wrapped_ = kPriorities;  ///< an ETS class whose share is expected on the next line
  bool no_buffers_ = false, rates_known_ = true;
  std::vector<AppEntry> entries_;
  Eight<std::uint32_t> priority_to_class_{}, algorithm_{}, share_{};
  Eight<std::uint64_t> rate_{};
};

void parse(const Section& section, Draft& draft) {
  Netdev& netdev = draft.netdev(section.about.netdev);
  // The tool speaks with this driver alone.
  if (!netdev.ethtool.driver) netdev.ethtool.driver = DriverInfo{"mlx5_core", "", "", ""};
  Reader reader(section, draft);
  const auto refused = take_lines(section, draft, [&](const Line& line) { return reader.take(line); });
  reader.finish(netdev.dcb, refused);
}

}  // namespace

extern const Format kMlnxQos;
constinit const Format kMlnxQos{"mlnx_qos", "mlnx_qos -i NETDEV", false, made_by, fit, parse};

}  // namespace roceready::evidence
