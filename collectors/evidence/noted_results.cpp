// SPDX-License-Identifier: Apache-2.0
// What people note down of their own tests, "key: value" a line: sizes that passed and failed ("write_size 1445: fail",
// "ib_write_bw >65536: fail 0x3b"), the depth of queues ("recv_queue: 256"), how long a counter took to move
// ("local_ack_timeout_err_first_increment_ms: 1050") or a connection to come back ("reconnect_min: >4"), and the
// bandwidth of rails together ("two_hcas_MBps: 23634").
#include <array>
#include <cmath>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

using Says = std::map<std::string, std::string>;
struct Note {
  const char* kind = "";
  Says says;
};

std::optional<std::string> without_end(std::string_view text, std::string_view end) {
  if (!text.ends_with(end) || text.size() == end.size()) return std::nullopt;
  return std::string(text.substr(0, text.size() - end.size()));
}

/// "ok", "fail 0x3b 0x0 0x9d".
std::optional<std::string> outcome_of(std::string_view value) {
  const auto words = words_of(value);
  const std::string word = words.empty() ? std::string() : lower(words[0]);
  if (word == "ok" || word == "pass" || word == "passed") return "passed";
  if (word == "fail" || word == "fails" || word == "failed") return "failed";
  return std::nullopt;
}

bool is_test(std::string_view name) {
  return name == "write_size" || name == "read_size" || name == "send_size" || name == "own probe" ||
         (name.starts_with("ib_") && (name.ends_with("_bw") || name.ends_with("_lat")));
}

struct Size {
  std::uint64_t bytes = 0;
  bool more = false;  ///< all sizes above it
  std::string_view test;
};

/// "write_size 1444", "ib_write_bw >65536", "own probe 8 MiB".
std::optional<Size> size_of(std::string_view key) {
  constexpr std::uint64_t kKibi = 1024, kMost = std::uint64_t{1} << 40U;
  const auto words = words_of(key);
  if (words.size() < 2) return std::nullopt;
  Size out;
  std::uint64_t scale = 1;
  std::string_view number = words.back();
  if (number == "B" || number == "KiB" || number == "MiB" || number == "GiB") {
    scale = number == "B" ? 1 : number == "KiB" ? kKibi : number == "MiB" ? kKibi * kKibi : kKibi * kKibi * kKibi;
    number = words[words.size() - 2];
  }
  out.test = trim(key.substr(0, static_cast<std::size_t>(number.data() - key.data())));
  if (number.starts_with(">")) {
    out.more = true;
    number.remove_prefix(1);
  }
  const auto value = parse_u64(number);
  if (!value || *value > kMost / scale || !is_test(out.test)) return std::nullopt;
  out.bytes = *value * scale;
  return out;
}

std::optional<Note> size_note(const KeyValue& pair) {
  const auto outcome = outcome_of(pair.value);
  const auto size = outcome ? size_of(pair.key) : std::nullopt;
  if (!size) return std::nullopt;
  Note note{"message_size", {{"outcome", *outcome}, {"bytes", std::to_string(size->bytes)}}};
  note.says["test"] = std::string(size->test);
  if (size->more) note.says["above"] = "yes";
  return note;
}

constexpr std::string_view kQueueSettings[] = {"iodepth", "send_queue", "recv_queue", "rnr_retry"};

std::optional<Note> queue_note(const KeyValue& pair) {
  for (const std::string_view name : kQueueSettings) {
    if (pair.key == name && parse_u32(pair.value))
      return Note{"queue_setting", {{"name", std::string(name)}, {"value", std::string(pair.value)}}};
  }
  constexpr std::string_view kTimer = "min_rnr_timer ";
  if (!pair.key.starts_with(kTimer) || !pair.value.starts_with("iops ")) return std::nullopt;
  const std::string_view timer = trim(pair.key.substr(kTimer.size())), iops = trim(pair.value.substr(5));
  if (!parse_u32(timer) || !parse_u64(iops)) return std::nullopt;
  return Note{"rnr_timer_result",
              {{"min_rnr_timer", std::string(timer)}, {"operations_per_second", std::string(iops)}}};
}

/// A number, or the first of "4..18".
std::optional<std::string> milliseconds(std::string_view value) {
  const std::string_view first = value.substr(0, value.find(".."));
  const auto number = parse_double(first);
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  return std::string(first);
}

/// RDMA counters of which people note when they moved.
bool is_counter(std::string_view name) {
  constexpr std::string_view kNames[] = {"roce_adp_retrans", "roce_adp_retrans_to", "local_ack_timeout_err",
                                         "out_of_sequence",  "packet_seq_err",      "out_of_buffer",
                                         "rnr_nak_retry_err"};
  for (const std::string_view known : kNames)
    if (name == known) return true;
  return false;
}

std::optional<Note> time_note(const KeyValue& pair) {
  if (is_counter(pair.key) && pair.value == "unchanged")
    return Note{"counter_still", {{"counter", std::string(pair.key)}}};
  const auto after = milliseconds(pair.value);
  if (!after) return std::nullopt;
  if (pair.key == "cqe_error_ms") return Note{"completion_error", {{"after_ms", *after}}};
  const auto counter = without_end(pair.key, "_first_increment_ms");
  if (!counter || !is_counter(*counter)) return std::nullopt;
  return Note{"counter_moved", {{"counter", *counter}, {"after_ms", *after}}};
}

/// "reconnect_min: >4": how long a connection took to come back.
std::optional<Note> reconnect_note(const KeyValue& pair) {
  constexpr double kMinute = 60, kLongest = 1e6;
  const bool minutes = pair.key == "reconnect_min";
  if (!minutes && pair.key != "reconnect_s") return std::nullopt;
  const bool more = pair.value.starts_with(">");
  const auto number = parse_double(pair.value.substr(more ? 1 : 0));
  if (!number || !std::isfinite(*number) || *number < 0 || *number > kLongest) return std::nullopt;
  Note note{"reconnect_time", {{"seconds", std::to_string(std::llround(*number * (minutes ? kMinute : 1)))}}};
  if (more) note.says["more"] = "yes";
  return note;
}

struct Rails {
  std::string_view key, name;
};
constexpr Rails kRails[] = {{"one_rail_MBps", "one rail"},
                            {"two_ports_same_hca_MBps", "two ports of one card"},
                            {"two_hcas_MBps", "two cards"},
                            {"nccl_busbw_GBps", "NCCL bus bandwidth"}};

std::optional<Note> rails_note(const KeyValue& pair) {
  constexpr double kMost = 1e9, kBits = 8, kMega = 1e6, kGiga = 1e9;
  for (const Rails& rails : kRails) {
    if (pair.key != rails.key) continue;
    const auto value = parse_double(pair.value);
    if (!value || !std::isfinite(*value) || *value < 0 || *value > kMost) return std::nullopt;
    const double bits = *value * kBits * (rails.key.ends_with("_GBps") ? kGiga : kMega);
    return Note{"measured_rails",
                {{"rails", std::string(rails.name)}, {"bits_per_second", std::to_string(std::llround(bits))}}};
  }
  return std::nullopt;
}

std::optional<Note> note_of(std::string_view line) {
  constexpr std::size_t kLongest = 120;
  if (line.size() > kLongest || line.find(':') == std::string_view::npos) return std::nullopt;
  const auto pair = key_value(line);
  if (!pair) return std::nullopt;
  for (const auto read : {size_note, queue_note, time_note, reconnect_note, rails_note})
    if (auto note = read(*pair)) return note;
  return std::nullopt;
}

bool is_gid_index(std::string_view line) {
  const auto pair = key_value(line);
  return pair && pair->key == "gid_index" && parse_u32(pair->value);
}

bool made_by(std::span<const std::string>, About&) {
  return false;
}

Fit fit(std::string_view line, About&) {
  if (note_of(line)) return Fit::Certain;
  return line.size() < 40 && is_gid_index(line) ? Fit::Possible : Fit::No;
}

void parse(const Section& section, Draft& draft) {
  for (const Line& line : section.lines) {
    std::optional<Note> note = note_of(line.text);
    if (!note && is_gid_index(line.text))
      note = Note{"gid_choice", {{"gid_index", std::string(key_value(line.text)->value)}}};
    if (!note) {
      if (!trim(line.text).empty()) draft.unread(section, line);
      continue;
    }
    LogFact fact;
    fact.kind = note->kind;
    fact.text = std::string(trim(line.text));
    fact.place = place_text(section, line.number);
    fact.says = std::move(note->says);
    draft.log(std::move(fact));
  }
}

}  // namespace

extern const Format kNotedResults;
constinit const Format kNotedResults{"notes of tests", "ib_write_bw -d DEVICE -a PEER", false, made_by, fit, parse};

}  // namespace roceready::evidence
