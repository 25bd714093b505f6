// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/split.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "collectors/evidence/format.h"
#include "collectors/evidence/wall_time.h"
#include "core/base/text.h"

namespace roceready::evidence {

extern const Format kLogLines;

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A line with a log's time stamp in front: "Nov 30 14:36:55 …", "2026-11-30T14:36:55…", "[ 1234.567890] …". No tool's
/// output looks so, and most lines of a sosreport do: they are asked about as log lines alone.
bool has_log_stamp(std::string_view line) {
  constexpr std::size_t kShortest = 24;
  if (line.size() < kShortest) return false;
  if (line[0] == '[') {
    const auto digits = line.find_first_not_of(' ', 1);
    const auto dot = line.find_first_not_of("0123456789", digits);
    return digits != std::string_view::npos && dot != std::string_view::npos && dot > digits && line[dot] == '.' &&
           is_digit(line[dot + 1]) && is_digit(line[dot + 2]);
  }
  if (is_digit(line[0]))
    return line[4] == '-' && line[7] == '-' && (line[10] == 'T' || line[10] == ' ') && line[13] == ':' &&
           line[16] == ':';
  return line[3] == ' ' && line[6] == ' ' && line[9] == ':' && line[12] == ':' && is_digit(line[11]);
}

/// Takes lines one by one and gathers them into sections.
class Gatherer {
 public:
  explicit Gatherer(const FileFacts& file) : file_(file), host_(file.host), wall_ns_(file.wall_ns) {
    if (file.words.empty()) return;
    About about;
    if (const Format* format = format_made_by(file.words, about)) expect(format, about, file.words);
  }

  void take(Line line) {
    if (line.text.empty()) {
      if (open_) open_->lines.push_back(std::move(line));
      return;
    }
    const bool log = has_log_stamp(line.text) || is_dull(line.text);
    if (!log && (command(line.text) || time(line.text))) {
      ++out_.read_count;
      return;
    }
    About about;
    const Format* format = log ? whose_log(line.text, about) : whose(line.text, about);
    if (!format) {
      if (!log) reject(line.text);
      return stray(std::move(line));
    }
    rejected_.erase(beginning_of(line.text));
    if (!open_ || open_->format != format || (begins_anew_ && !open_->lines.empty())) start(format, about);
    ++out_.read_count;
    strays_ = 0;
    open_->lines.push_back(std::move(line));
  }

  /// A line that no format knows.
  void pass_over(std::string_view raw, std::uint32_t number) {
    ++strays_;
    ++out_.unread_count;
    if (out_.unread.size() < Draft::kMostUnread)
      out_.unread.push_back({file_.name, number, clean_text(raw.substr(0, kTextBytes)), {}});
  }

  Split finish() {
    close();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kTextBytes = 120;

  bool command(std::string_view line) {
    CommandLine found;
    if (!read_command_line(line, found)) return false;
    if (!found.host.empty()) host_ = found.host;
    close();
    expect(found.format, found.about, std::move(found.words));
    return true;
  }

  bool time(std::string_view line) {
    const auto wall = wall_time_line(line);
    if (!wall) return false;
    close();
    wall_ns_ = *wall;
    return true;
  }

  /// The next lines are the output of this command.
  void expect(const Format* format, const About& about, std::vector<std::string> words) {
    expected_ = format;
    expected_about_ = about;
    words_ = std::move(words);
    announced_used_ = false;
    strays_ = 0;
  }

  /// The format that a line belongs to, nullptr for none.
  const Format* whose(std::string_view line, About& about) {
    begins_anew_ = false;
    const Format* current = open_ ? open_->format : expected_;
    Fit best = Fit::No;
    if (current) {
      best = current->fit(line, about);
      if (best == Fit::Begins) return begins_anew_ = true, current;
      if (best == Fit::Certain) return current;
    }
    // An output that a command line announced keeps what may be its own; any other yields to a format that is certain.
    const bool announced = current && current == expected_;
    const Format* certain = nullptr;
    for (const Format* format : formats()) {
      About named;
      const Fit fit = format == current ? Fit::No : format->fit(line, named);
      if (fit == Fit::Begins) return about = named, begins_anew_ = true, format;
      if (fit == Fit::Certain && !certain) certain = format, about = named;
    }
    if (best == Fit::Possible && (announced || !certain)) return about = {}, current;
    return certain;
  }

  /// The first characters of a line behind its indentation, as a number.
  [[nodiscard]] static std::uint64_t beginning_of(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    std::uint64_t out = 0;
    std::memcpy(&out, line.data(), std::min(line.size(), sizeof out));
    return out;
  }
  /// Lists of a thousand files, processes or packages: lines that begin like hundreds of this file before, none of
  /// which any format knew, are asked about as log lines alone.
  [[nodiscard]] bool is_dull(std::string_view line) const {
    constexpr std::uint32_t kEnough = 500;
    const auto at = rejected_.find(beginning_of(line));
    return at != rejected_.end() && at->second >= kEnough;
  }
  void reject(std::string_view line) {
    constexpr std::size_t kMostBeginnings = 4096;
    if (rejected_.size() < kMostBeginnings) ++rejected_[beginning_of(line)];
  }

  const Format* whose_log(std::string_view line, About& about) {
    begins_anew_ = false;
    return kLogLines.fit(line, about) == Fit::No ? nullptr : &kLogLines;
  }

  void start(const Format* format, const About& about) {
    const bool announced = format == expected_;
    close();
    Section section;
    section.format = format;
    section.file = file_.name;
    section.host = host_;
    section.wall_ns = wall_ns_;
    section.moment = file_.moment;
    if (announced) section.words = words_;
    section.about = about;
    const auto fill = [&](const About& other) {
      if (section.about.netdev.empty()) section.about.netdev = other.netdev;
      if (section.about.device.empty()) section.about.device = other.device, section.about.port = other.port;
      if (section.about.pci.empty()) section.about.pci = other.pci;
    };
    if (announced) fill(expected_about_);
    fill(file_.about);
    section.headed = begins_anew_ || (announced && !announced_used_);
    announced_used_ |= announced;
    if (!section.headed && resume(section)) return;
    open_ = std::move(section);
  }

  /// An output that foreign lines had interrupted goes on.
  bool resume(const Section& section) {
    auto& sections = out_.sections;
    const auto same = [&](const Section& other) {
      return other.format == section.format && other.about == section.about && other.host == section.host &&
             other.wall_ns == section.wall_ns;
    };
    const auto at = std::find_if(sections.rbegin(), sections.rend(), same);
    if (at == sections.rend()) return false;
    open_ = std::move(*at);
    sections.erase(std::next(at).base());
    return true;
  }

  void close() {
    if (open_ && !open_->lines.empty()) out_.sections.push_back(std::move(*open_));
    open_.reset();
  }

  void stray(Line line) {
    constexpr int kMostStrays = 8;
    ++out_.unread_count;
    if (out_.unread.size() < Draft::kMostUnread)
      out_.unread.push_back({file_.name, line.number, line.text.substr(0, kTextBytes), {}});
    // A line or two that are not understood leave an output open; a longer foreign text ends it.
    if (++strays_ > kMostStrays && (!open_ || open_->format != expected_)) close();
  }

  const FileFacts file_;
  Split out_;
  std::optional<Section> open_;
  const Format* expected_ = nullptr;
  About expected_about_;
  std::vector<std::string> words_;
  std::string host_;
  std::int64_t wall_ns_ = 0;
  int strays_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> rejected_;  ///< lines that no format knew, by how they begin
  bool begins_anew_ = false;                                   ///< the line heads an output
  bool announced_used_ = false;                                ///< the command's output has begun
};

}  // namespace

/// What is fed is cut into lines; the begin of a line that is not complete yet waits.
struct Splitter::Impl {
  explicit Impl(const FileFacts& file) : gatherer(file) {}

  void line(std::string_view raw) { gatherer.take({++number, clean_line(raw.substr(0, kLongestLine), dress)}); }
  void piece(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      if (end == std::string_view::npos) break;
      if (waiting.empty()) {
        line(text.substr(0, end));
      } else {
        wait(text.substr(0, end));
        line(std::exchange(waiting, {}));
      }
      text.remove_prefix(end + 1);
    }
    wait(text);
  }
  void wait(std::string_view text) {
    if (waiting.size() < kLongestLine) waiting += text.substr(0, kLongestLine - waiting.size());
  }
  /// The rest: a line without an end, or a text whose lines end with carriage returns alone.
  void end() {
    for_each_line(waiting, dress, [&](Line last) { gatherer.take({++number, std::move(last.text)}); });
    waiting.clear();
  }

  Gatherer gatherer;
  Dress dress;
  bool dressed = false;
  std::string waiting;
  std::uint32_t number = 0;
};

Splitter::Splitter(const FileFacts& file) : impl_(std::make_unique<Impl>(file)) {}
Splitter::~Splitter() = default;

void Splitter::feed(std::string_view piece) {
  if (!std::exchange(impl_->dressed, true)) impl_->dress = dress_of(piece);
  impl_->piece(piece);
}

Split Splitter::finish() {
  impl_->end();
  return impl_->gatherer.finish();
}

Split split(std::string_view text, const FileFacts& file) {
  Splitter splitter(file);
  splitter.feed(text);
  return splitter.finish();
}

}  // namespace roceready::evidence
