// SPDX-License-Identifier: Apache-2.0
// perftest (ib_write_bw, ib_read_lat…): a frame of "name : value" settings, a table of results headed "#bytes
// #iterations BW peak[Gb/sec] …" or "#bytes #iterations t_min[usec] …", the errors that ended a run ("Failed status 12:
// wr_id 0 syndrom 0x81"), and short lists "ib_write_bw_gbps: 180".
#include <array>
#include <cmath>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/log_words.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool is_tool(std::string_view word) {
  return (word.starts_with("ib_") || word.starts_with("raw_ethernet_")) &&
         (word.ends_with("_bw") || word.ends_with("_lat"));
}

bool made_by(std::span<const std::string> words, About& about) {
  if (!is_tool(words[0])) return false;
  auto device = word_after(words, "-d");
  if (!device) device = word_after(words, "--ib-dev");
  if (!device || !is_device_name(*device)) return true;
  about.device = *device;
  auto port = word_after(words, "-i");
  if (!port) port = word_after(words, "--ib-port");
  const auto number = port ? parse_u64(*port) : std::nullopt;
  constexpr std::uint64_t kMostPorts = 255;
  if (number && *number <= kMostPorts) about.port = static_cast<std::uint32_t>(*number);
  return true;
}

constexpr double kMebi = 1048576, kGiga = 1e9, kMicro = 1e-6;

/// "10", of "--rate_limit=10" or "--rate_limit 10"; what the number counts depends on other options.
std::optional<std::string> rate_limit(std::span<const std::string> words) {
  constexpr std::string_view kOption = "--rate_limit";
  for (const std::string& word : words)
    if (word.starts_with(kOption) && word.size() > kOption.size() + 1 && word[kOption.size()] == '=')
      return word.substr(kOption.size() + 1);
  return word_after(words, kOption);
}

/// The unit of a bandwidth table in bits per second; nothing for another line. perftest's MB is 2^20 bytes in "MB/sec"
/// and 10^6 with --report... alike in all tables that name MiB.
std::optional<double> bandwidth_unit(std::string_view line) {
  if (line.find("BW average[Gb/sec]") != std::string_view::npos) return kGiga;
  if (line.find("BW average[MB/sec]") != std::string_view::npos ||
      line.find("BW average[MiB/sec]") != std::string_view::npos)
    return kMebi * 8;
  return std::nullopt;
}

bool is_bytes_head(std::string_view line) {
  return trim(line).starts_with("#bytes") && line.find("#iterations") != std::string_view::npos;
}

/// "ib_write_bw_8qp_gbps: 13.23", "tcp_gbps: 12.86": measured gigabits by name.
std::optional<std::pair<std::string, double>> short_result(std::string_view line) {
  const auto pair = key_value(line);
  if (!pair || pair->key.find(' ') != std::string_view::npos || !pair->key.starts_with("ib_") ||
      !pair->key.ends_with("_gbps"))
    return std::nullopt;
  const auto value = parse_double(pair->value);
  if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
  return std::pair(std::string(pair->key.substr(0, pair->key.size() - 5)), *value * kGiga);
}

/// Lines of the frame that are no "name : value".
bool is_frame(std::string_view text) {
  return text.starts_with("PCIe relax order:") || text.starts_with("Completion with error at ") ||
         (text.starts_with("scnt=") && text.find("ccnt=") != std::string_view::npos);
}

bool is_failure(std::string_view text) {
  return text.starts_with("Failed status ") && text.find("wr_id") != std::string_view::npos;
}

/// "GID: 00:00:00:00:00:00:00:00:00:00:255:255:192:00:02:05": sixteen bytes in decimal.
std::optional<std::string> decimal_gid(std::string_view text) {
  constexpr std::size_t kBytes = 16;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  std::size_t count = 0;
  for (const std::string_view word : split(text, ':')) {
    const auto byte = parse_u64(trim(word));
    if (!byte || *byte > 255 || count == kBytes) return std::nullopt;
    if (count > 0 && count % 2 == 0) out += ':';
    out += kDigits[*byte >> 4U];
    out += kDigits[*byte & 15U];
    ++count;
  }
  return count == kBytes ? gid_text(out) : std::nullopt;
}

bool is_title(std::string_view text) {
  return text.ends_with(" Test") && text.starts_with("RDMA_");
}

Fit fit(std::string_view line, About&) {
  constexpr std::size_t kLongest = 200;
  if (line.size() > kLongest) return Fit::No;
  const std::string_view text = trim(line);
  if (text.empty()) return Fit::No;
  if (text[0] == '#' && is_bytes_head(text)) return Fit::Certain;
  if (text[0] == 'i' && short_result(text)) return Fit::Certain;
  if (is_title(text) || (text.ends_with(" Test") && text.find("BW") != std::string_view::npos)) return Fit::Begins;
  if ((text[0] == 'F' && is_failure(text)) || is_frame(text)) return Fit::Certain;
  if ((text.starts_with("Dual-port ") && text.find("Device ") != std::string_view::npos) ||
      (text.starts_with("local address:") && text.find("QPN") != std::string_view::npos) ||
      (text.starts_with("remote address:") && text.find("QPN") != std::string_view::npos))
    return Fit::Certain;
  const bool row = text[0] >= '0' && text[0] <= '9';
  const bool rule = text.find_first_not_of('-') == std::string_view::npos;
  const bool setting = text.find(" : ") != std::string_view::npos || text.find("\t: ") != std::string_view::npos;
  return row || rule || setting || text.starts_with("GID:") ? Fit::Possible : Fit::No;
}

/// Reads the lines of one run.
class Reader {
 public:
  Reader(const Section& section, Draft& draft) : section_(section), draft_(draft), device_(section.about.device) {
    if (!section.words.empty() && is_tool(section.words[0])) tool_ = section.words[0];
    if (const auto tos = word_after(section.words, "--tclass")) say("traffic_class", *tos);
    if (const auto limit = rate_limit(section.words)) limit_ = *limit;
    name_port();
  }

  void take(const Line& line) {
    const std::string_view text = trim(line.text);
    if (text.empty() || text.find_first_not_of('-') == std::string_view::npos) return;
    if (is_title(text) || text.ends_with(" Test")) return title(text);
    if (is_bytes_head(text)) return head(text);
    if (const auto result = short_result(text)) return keep_bandwidth(line, 0, result->second, result->first);
    if (is_failure(text)) return failure(line, text);
    if (text[0] >= '0' && text[0] <= '9' && table_ != Table::None) return row(line, text);
    if (end(text)) return;
    setting(text);
  }

 private:
  /// The device is this side's: a run over it shows that it is there.
  void name_port() {
    if (is_usual_device_name(device_))
      static_cast<void>(named_port(draft_, device_, device_ == section_.about.device ? section_.about.port : 0));
  }

  enum class Table { None, Bandwidth, Latency };

  void say(const char* name, std::string_view value) {
    if (parse_u64(value)) settings_[name] = std::string(value);
  }

  void title(std::string_view text) {
    if (tool_.empty()) tool_ = std::string(text.substr(0, text.size() - 5));
    device_ = section_.about.device;
    settings_.clear();
    gids_.clear();
  }

  /// "local address: LID 0000 QPN …", "remote address: …", and the GID in the line below.
  bool end(std::string_view text) {
    if (text.starts_with("local address:") || text.starts_with("remote address:")) {
      end_ = text[0] == 'l' ? "gid" : "peer_gid";
      return true;
    }
    if (!text.starts_with("GID:")) return false;
    const auto gid = decimal_gid(text.substr(4));
    if (gid && !end_.empty()) gids_[end_] = *gid;
    return true;
  }

  /// "Device         : mlx5_0", "Mtu             : 4096[B]", "GID index       : 3". Two may stand on a line.
  void setting(std::string_view text) {
    const std::string device = word_behind(text, "Device         :");
    if (text.find("Device") != std::string_view::npos) {
      const std::string named = device.empty() ? word_behind(text.substr(text.find("Device")), "Device") : device;
      if (is_device_name(named)) device_ = named, name_port();
    }
    if (text.starts_with("Mtu")) {
      if (const auto bytes = number_behind(text, "Mtu")) skip_blanks("mtu_bytes", text, *bytes);
    }
    for (const auto& [name, key] : {std::pair{"GID index", "gid_index"}, std::pair{"Traffic class", "traffic_class"}}) {
      const auto at = text.find(name);
      if (at == std::string_view::npos) continue;
      const auto colon = text.find(':', at);
      if (colon == std::string_view::npos) continue;
      const std::string_view value = trim(text.substr(colon + 1));
      say(key, value.substr(0, value.find_first_not_of("0123456789")));
    }
  }
  void skip_blanks(const char* name, std::string_view, std::uint64_t value) { settings_[name] = std::to_string(value); }

  void head(std::string_view text) {
    table_ = Table::None;
    if (const auto unit = bandwidth_unit(text)) {
      unit_ = *unit;
      table_ = Table::Bandwidth;
    } else if (text.find("t_typical[usec]") != std::string_view::npos) {
      table_ = Table::Latency;
    }
  }

  /// Bandwidth: bytes, iterations, peak, average, message rate. Latency: bytes, iterations, min, max, typical, average…
  void row(const Line& line, std::string_view text) {
    constexpr std::size_t kAverage = 3, kTypical = 4;
    const auto words = words_of(text);
    const std::size_t column = table_ == Table::Bandwidth ? kAverage : kTypical;
    const auto bytes = parse_u64(words[0]);
    const auto value = words.size() > column ? parse_double(words[column]) : std::nullopt;
    if (!bytes || !value || !std::isfinite(*value) || *value < 0)
      return draft_.unread(section_, line, "a cut row of results");
    if (table_ == Table::Bandwidth) return keep_bandwidth(line, *bytes, *value * unit_, tool_);
    LogFact fact = begin(line, "measured_latency", tool_);
    fact.says["message_bytes"] = std::to_string(*bytes);
    fact.says["seconds"] = number_text(*value * kMicro);
    draft_.log(std::move(fact));
  }

  /// "Failed status 12: wr_id 0 syndrom 0x81": the completion that ended the run.
  void failure(const Line& line, std::string_view text) {
    const auto status = number_behind(text, "Failed status ");
    const char* kind = status ? kind_of_status(*status) : "";
    if (*kind == '\0') return draft_.unread(section_, line);
    LogFact fact = begin(line, kind, tool_);
    fact.says.insert(gids_.begin(), gids_.end());
    fact.says["status"] = std::to_string(*status);
    if (const auto vendor = number_behind(text, "syndrom")) fact.says["vendor_error"] = std::to_string(*vendor);
    draft_.log(std::move(fact));
  }

  LogFact begin(const Line& line, const char* kind, const std::string& tool) {
    LogFact fact;
    fact.kind = kind;
    fact.subject = device_;
    fact.text = std::string(trim(line.text).substr(0, 300));
    fact.place = place_text(section_, line.number);
    fact.says = settings_;
    if (!tool.empty()) fact.says["tool"] = tool;
    return fact;
  }

  void keep_bandwidth(const Line& line, std::uint64_t bytes, double bits_per_second, const std::string& tool) {
    constexpr double kMost = 1e15;
    if (bits_per_second > kMost) return draft_.unread(section_, line, "faster than any link");
    LogFact fact = begin(line, "measured_bandwidth", tool);
    if (bytes > 0) fact.says["message_bytes"] = std::to_string(bytes);
    if (!limit_.empty()) fact.says["rate_limit"] = limit_;
    fact.says["bits_per_second"] = std::to_string(std::llround(bits_per_second));
    draft_.log(std::move(fact));
  }

  const Section& section_;
  Draft& draft_;
  std::string device_, tool_;
  std::string limit_;  ///< --rate_limit of the command
  std::map<std::string, std::string> settings_, gids_;
  std::string end_;  ///< whose GID comes next
  Table table_ = Table::None;
  double unit_ = 1;
};

void parse(const Section& section, Draft& draft) {
  Reader reader(section, draft);
  for (const Line& line : section.lines) reader.take(line);
}

}  // namespace

extern const Format kPerftest;
constinit const Format kPerftest{"perftest", "ib_write_bw -d DEVICE --report_gbits PEER", false, made_by, fit, parse};

}  // namespace roceready::evidence
