// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/host_names.h"
#include "collectors/evidence/json_lines.h"
#include "collectors/evidence/lost_newlines.h"
#include "collectors/evidence/owners.h"
#include "collectors/evidence/split.h"
#include "collectors/evidence/wall_time.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {

extern const Format kLogLines;
extern const Format kHostOutputs;
extern const Format kLimits;

/// Takes lines one by one and gathers them into sections.
class Gatherer {
 public:
  Gatherer(const FileFacts& file, std::size_t most_bytes)
      : file_(file), most_bytes_(most_bytes), host_(file.host), wall_ns_(file.wall_ns), clock_(file.clock) {
    if (file.words.empty()) return;
    Command command;
    command.words = file.words;
    command.format = format_made_by(file.words, command.about);
    if (!command.format) return;
    line_.commands.push_back(std::move(command));
    line_.repeats = true;  // a file may be appended to
    typed_ = line_;
  }

  void take(Line line) {
    const bool json = json_.goes_on(line.text);
    if (!json && json_.waits()) take_all(json_.end());
    if (line.text.empty()) {
      if (open_ && !json) open_->section.lines.push_back(std::move(line));
      return;
    }
    if (host_heading(line)) return;
    if (json) return take_all(json_.take(std::move(line)));
    take_text(std::move(line));
  }

  /// A command was run of which what follows is the output.
  void run(CommandLine line) { begin_command(std::move(line), false); }

  /// What is known has grown too much: the rest of the text is counted, not read.
  [[nodiscard]] bool full() const { return bytes_ > most_bytes_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// A line that is not read.
  void pass_over(std::string_view raw, std::uint32_t number) {
    ++out_.unread_count;
    if (out_.unread.size() < Draft::kMostUnread)
      out_.unread.push_back({file_.name, number, clean_text(raw.substr(0, kTextBytes)), {}});
  }

  Split finish() {
    take_all(json_.end());
    if (held_) take_text(std::move(*std::exchange(held_, std::nullopt)));
    if (spoken_) take_text(std::move(*std::exchange(spoken_, std::nullopt)));
    end_group({}, false);
    name_roles();
    if (full())
      out_.left_out.push_back("more is known of it than fits into " + std::to_string(most_bytes_ >> 20) +
                              " MiB: the rest was not read");
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kTextBytes = 120;

  /// A host that a title calls by its role.
  struct Role {
    std::string host_before;       ///< that what stands above the title is of
    std::set<std::string> called;  ///< by prompts, logs and outputs below the title
  };
  /// A role parts hosts where there is another one; by itself it heads what the host before it printed. Where all that
  /// stands below it names one host, and below no other role, it is that host.
  void name_roles() {
    for (const auto& [role, known] : roles_) {
      std::string host = roles_.size() == 1 ? known.host_before : role;
      const bool one = known.called.size() == 1 && roles_that_met(*known.called.begin()) == 1;
      if (one && (roles_.size() > 1 || host.empty())) host = *known.called.begin();
      for (Section& section : out_.sections) {
        if (section.host == role) section.host = host;
        const std::string on_role = " on " + role;
        if (is_pod_or_container(section.host) && section.host.ends_with(on_role))
          section.host = host_within(section.host.substr(0, section.host.size() - on_role.size()), host);
      }
    }
  }
  [[nodiscard]] std::ptrdiff_t roles_that_met(const std::string& host) const {
    return std::count_if(roles_.begin(), roles_.end(),
                         [&](const auto& one) { return one.second.called.contains(host); });
  }
  void met(const std::string& host) {
    if (!role_.empty() && !host.empty()) roles_[role_].called.insert(host);
  }

  /// "Channel parameters for eth0:": heads an output that no format knows.
  [[nodiscard]] static bool is_foreign_heading(std::string_view line) {
    if (line.size() < 8 || !line.ends_with(":") || line[0] < 'A' || line[0] > 'Z') return false;
    const auto at = line.rfind(" for ");
    return at != std::string_view::npos && is_netdev_name(line.substr(at + 5, line.size() - at - 6));
  }

  /// What a line says before its value: "rx_prio3_pause" of "rx_prio3_pause: 5".
  [[nodiscard]] static std::string_view key_of(std::string_view line) {
    line = trim(line);
    for (auto colon = line.rfind(':'); colon != std::string_view::npos && colon > 0; colon = line.rfind(':', colon - 1))
      if (colon + 1 < line.size() && (line[colon + 1] == ' ' || line[colon + 1] == '\t')) return line.substr(0, colon);
    return line;
  }

  void take_all(std::vector<Line> lines) {
    for (Line& line : lines) take_text(std::move(line));
  }

  void take_text(Line line) {
    const bool log = has_log_stamp(line.text) || is_dull(line.text);
    if (!log) {
      const auto lines = with_newlines(line.text);
      for (const std::string& one : lines) take_text({line.number, one});
      if (!lines.empty()) return;
    }
    if (!log && (watch_screen(line.text) || command(line.text) || time(line.text))) {
      ++out_.read_count;
      return;
    }
    About about;
    const Format* format = log ? whose_log(line.text, about) : whose(line.text, about);
    if (!format) {
      if (!log) reject(line.text);
      if (!log && is_foreign_heading(line.text)) close(), shut_ = true;
      return stray(std::move(line));
    }
    rejected_.erase(beginning_of(line.text));
    const std::string host = host_of(format, line.text);
    const bool begins = begins_output(format, line.text, about, host);
    ++out_.read_count;
    if (begins && is_ruler(line.text)) return;  // a launcher frames what it ran: no output begins so
    if (begins) start(format, about, line.text, host);
    strays_ = 0;
    keep(std::move(line));
  }

  /// What was seen of a format since the command line.
  struct Told {
    std::uint32_t outputs = 0;
    std::string first_key;
    bool stray = false, time = false;
  };

  /// clush and dshbak write a host's name between two rules, ansible in front of what it did, people as a title.
  bool host_heading(Line& line) {
    if (spoken_) take_spoken(line);
    const bool rule = is_ruler(line.text);
    if (held_ && rule) {
      begin_host(host_of_heading(held_->text));
      out_.read_count += 2;
      held_.reset();
      after_rule_ = false;
      return true;
    }
    if (held_) take_text(std::move(*std::exchange(held_, std::nullopt)));
    const bool may_name = std::exchange(after_rule_, rule);
    if (may_name && !host_of_heading(line.text).empty()) return held_ = std::move(line), true;
    const std::string host = line.text.ends_with(">>")    ? host_of_ansible(line.text)
                             : line.text.starts_with("[") ? host_of_pssh(line.text)
                                                          : titled_host(line.text);
    if (host.empty()) return false;
    if (is_spoken_title(line.text) && !runs_on(host)) return spoken_ = std::move(line), true;
    begin_host(host, line.text);
    ++out_.read_count;
    return true;
  }
  /// "On gpu02:" may be a sentence of a program that runs here. It is a title where an output begins behind it.
  void take_spoken(const Line& next) {
    Line line = std::move(*std::exchange(spoken_, std::nullopt));
    if (!begins_something(next.text)) return take_text(std::move(line));
    begin_host(host_of_title(line.text), line.text);
    ++out_.read_count;
  }
  /// A command, the first line of an output, or a line that is certainly of one. Jobs write what they like of other
  /// hosts between the lines of their own log.
  [[nodiscard]] static bool begins_something(std::string_view line) {
    CommandLine command;
    if (line.starts_with("[") && has_log_stamp(line)) return true;
    if (has_log_stamp(line)) return false;
    if (wall_time_line(line) || read_command_line(line, command)) return true;
    return std::any_of(formats().begin(), formats().end(), [&](const Format* format) {
      About about;
      const Fit fit = format->fit(line, about);
      return format != &kLogLines && (fit == Fit::Certain || fit == Fit::Begins);
    });
  }
  /// Whether the line that was typed goes to this host by its name.
  [[nodiscard]] bool runs_on(const std::string& host) const {
    return std::any_of(typed_.commands.begin(), typed_.commands.end(),
                       [&](const Command& one) { return one.host == host || is_variable(one.host); });
  }
  /// `title`: that names it, where it may be a role.
  void begin_host(std::string host, std::string_view title = {}) {
    inside_.reset();
    const bool role = is_role(host) && host_of_title(title) == host;
    role_ = role ? host : std::string();
    if (role) roles_.try_emplace(role_, Role{roles_.empty() ? host_ : std::string(), {}});
    end_group(typed_on(host), false);  // the command was run on every host
    host_ = std::move(host);
    host_told_ = true;
  }

  /// The host that a title names. Beside a loop that goes to hosts by ssh it names one of them; what any other loop
  /// prints may name a peer.
  [[nodiscard]] std::string titled_host(std::string_view line) const {
    std::string host = file_.host.empty() ? host_of_title(line) : std::string();
    if (host.empty()) return host;
    bool any = false, unknown = false;
    for (const Command& one : typed_.commands) {
      if (one.host == host) return host;
      any |= !one.host.empty();
      unknown |= is_variable(one.host);
    }
    const bool may_be = any ? unknown : !typed_.loops && !typed_.repeats;
    return may_be && (is_called_like_a_host(host) || is_role(host)) ? host : std::string();
  }
  [[nodiscard]] static bool is_variable(const std::string& host) { return host.find('$') != std::string::npos; }

  /// What of the line that was typed is run on a host whose name heads what follows.
  [[nodiscard]] CommandLine typed_on(const std::string& host) const {
    CommandLine out = typed_;
    const bool named =
        std::any_of(out.commands.begin(), out.commands.end(), [&](const Command& one) { return one.host == host; });
    if (named)
      std::erase_if(out.commands, [&](const Command& one) {
        return !one.host.empty() && one.host != host && !is_variable(one.host);
      });
    for (Command& one : out.commands)
      if (is_variable(one.host)) one.host.clear();
    return out;
  }

  /// The host that a line is of; one that an output names holds for what follows it, too.
  std::string host_of(const Format* format, std::string_view line) {
    if (!file_.host.empty()) return host_;
    std::string host;
    if (format == &kLogLines) host = host_of_log(line);
    if (!role_.empty() && !runs_within()) met(format == &kHostOutputs ? host_of_output(line) : host);
    if (!host.empty() || format != &kHostOutputs || host_told_) return host.empty() ? host_ : host;
    host = host_of_output(line);
    const bool asked = !line_full_ && at_ < line_.commands.size() && !line_.commands[at_].words.empty() &&
                       line_.commands[at_].words[0] == "hostname";
    if (host.empty() && asked && is_host_name(line)) host = short_host_name(line);
    if (!host.empty() && !runs_within()) host_ = std::move(host);
    return host_;
  }

  /// Whether what is read comes from a pod or a container, whose name is not the host's.
  [[nodiscard]] bool runs_within() const {
    return std::any_of(line_.commands.begin(), line_.commands.end(),
                       [](const Command& one) { return !one.within.empty(); });
  }

  bool command(std::string_view text) {
    CommandLine found;
    if (!read_command_line(text, found)) return false;
    take_command(std::move(found));
    return true;
  }
  void take_command(CommandLine found) {
    if (stays_within(found.host)) found.host.clear();  // the name of the pod, as its shell shows it
    if (!found.host.empty() && file_.host.empty()) host_ = found.host;
    host_told_ |= !found.host.empty();
    met(found.host);
    go_inside(found);
    const bool closes = !found.known() && !shows_anything(found.commands);
    begin_command(std::move(found), closes);
  }
  /// Whether a prompt is that of the shell in a pod or a container that others are typed into: it names what the first
  /// one there named. Any other ends that shell.
  [[nodiscard]] bool stays_within(const std::string& named) {
    if (!inside_ || inside_->within.empty()) return false;
    const bool outside = named_within_ ? *named_within_ != named : !named.empty() && named == host_;
    if (outside) return inside_.reset(), false;
    named_within_ = named;
    return !named.empty();
  }
  /// A shell in a pod, a container or on another node runs what follows, until it ends or a prompt names a host.
  void go_inside(CommandLine& found) {
    if (!found.host.empty()) inside_.reset();
    for (Command& one : found.commands) {
      if (one.words[0] == "exit") inside_.reset();
      if (inside_ && is_one_place(one, {})) one.host = inside_->host, one.within = inside_->within;
      if (is_shell(one) && one.elsewhere.empty() && !is_one_place(one, {})) inside_ = one, named_within_.reset();
    }
  }
  void begin_command(CommandLine line, bool closes) {
    typed_ = line;
    end_group(std::move(line), closes);
  }

  /// watch heads each screen by its command, the host and the time.
  bool watch_screen(std::string_view text) {
    CommandLine found;
    WallTime when;
    if (!read_watch_heading(text, found, when)) return false;
    take_command(std::move(found));
    wall_ns_ = when.ns;
    clock_ = when.clock;
    return true;
  }

  bool time(std::string_view line) {
    const auto wall = wall_time_line(line);
    if (!wall) return false;
    close();
    wall_ns_ = wall->ns;
    clock_ = wall->clock;
    for (auto& [format, told] : told_) told.time = true;
    return true;
  }

  /// The format of the command whose output is being read.
  [[nodiscard]] const Format* expected() const {
    for (std::size_t i = at_; i < line_.commands.size(); ++i) {
      const Command& one = line_.commands[i];
      if (one.format != nullptr && !(i == at_ && line_full_)) return one.format;
    }
    return nullptr;
  }
  [[nodiscard]] bool announced(const Format* format) const {
    return std::any_of(line_.commands.begin(), line_.commands.end(),
                       [&](const Command& one) { return one.format == format; });
  }

  /// The format that a line belongs to, nullptr for none.
  const Format* whose(std::string_view line, About& about) {
    heading_ = begins_anew_ = false;
    const Format* current = open_ && !line_full_ ? open_->section.format : expected();
    Fit best = Fit::No;
    if (current) {
      best = current->fit(line, about);
      if (best == Fit::Begins) return shut_ = false, heading_ = begins_anew_ = true, current;
      if (best == Fit::Certain && !shut(current, about)) return current;
    }
    // An output that a command line announced keeps what may be its own; any other yields to a format that is certain.
    const Format* certain = nullptr;
    for (const Format* format : formats()) {
      About named;
      const Fit fit = format == current ? Fit::No : format->fit(line, named);
      if (fit == Fit::Begins) return about = named, shut_ = false, heading_ = begins_anew_ = true, format;
      if (fit == Fit::Certain && !certain && !shut(format, named)) certain = format, about = named;
    }
    if (best == Fit::Possible && !shut_ && (announced(current) || !certain)) return about = {}, current;
    if (certain) return certain;
    return about = {}, shut_ ? nullptr : later_command(line, current);
  }
  /// Behind a command or a heading of no format, an output has to begin or to name somebody, or to be of nobody but the
  /// host.
  [[nodiscard]] bool shut(const Format* format, const About& about) const {
    return shut_ && about.nobody() && format != &kLogLines && format != &kHostOutputs && format != &kLimits;
  }
  /// The next commands of the line may have printed what the present one cannot.
  const Format* later_command(std::string_view line, const Format* current) {
    for (std::size_t i = at_; i < line_.commands.size(); ++i) {
      const Format* format = line_.commands[i].format;
      About named;
      if (format != nullptr && format != current && format->fit(line, named) != Fit::No) return format;
    }
    return nullptr;
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
    heading_ = begins_anew_ = false;
    return kLogLines.fit(line, about) == Fit::No ? nullptr : &kLogLines;
  }

  /// Whether a line of a format begins an output rather than going on with one.
  bool begins_output(const Format* format, std::string_view line, const About& about, const std::string& host) {
    const bool same = open_ && open_->section.format == format && open_->section.host == host;
    if (begins_anew_) return !same || !open_->section.lines.empty();
    const auto told = told_.find(format);
    if (told == told_.end() || line_full_) return begins_anew_ = true;
    const bool repeated = about.nobody() && key_of(line) == told->second.first_key && comes_once(*format) &&
                          (told->second.stray || commands_with(format) > 1);
    if (repeated) return begins_anew_ = true;
    return !same;
  }
  [[nodiscard]] std::size_t commands_with(const Format* format) const {
    return static_cast<std::size_t>(std::count_if(line_.commands.begin(), line_.commands.end(),
                                                  [&](const Command& one) { return one.format == format; }));
  }

  void start(const Format* format, const About& about, std::string_view line, const std::string& host) {
    close();
    Told& told = told_[format];
    if (told.outputs == 0 || told.time || begins_anew_) {
      if (about.nobody()) go_to_command(format, told.outputs > 0);
      line_full_ = false;
      ++told.outputs;
    } else if (resume(format, about, host)) {
      return;
    }
    Piece piece;
    piece.named = !about.nobody() || line.starts_with("/");
    piece.after_time = std::exchange(told.time, false);
    piece.after_stray = std::exchange(told.stray, false);
    told.first_key = key_of(line);
    Section& section = piece.section;
    section.format = format;
    section.file = file_.name;
    section.host = host;
    section.wall_ns = wall_ns_;
    section.clock = clock_;
    section.moment = file_.moment;
    section.about = about;
    section.headed = heading_ || (announced(format) && told.outputs == 1);
    open_ = std::move(piece);
  }
  /// The next command of a format; behind the last one, that is kept.
  void go_to_command(const Format* format, bool next) {
    for (std::size_t i = at_ + (next ? 1 : 0); i < line_.commands.size(); ++i) {
      if (line_.commands[i].format == format) return static_cast<void>(at_ = i);
    }
  }

  /// An output that foreign lines had interrupted goes on.
  bool resume(const Format* format, const About& about, const std::string& host) {
    constexpr std::size_t kLookBack = 256;
    const std::size_t least = pieces_.size() > kLookBack ? pieces_.size() - kLookBack : 0;
    for (std::size_t i = pieces_.size(); i > least; --i) {
      const Section& other = pieces_[i - 1].section;
      if (other.format != format || other.host != host || other.wall_ns != wall_ns_ || other.clock != clock_) continue;
      if (!about.nobody() && !(other.about == about)) continue;
      open_ = std::move(pieces_[i - 1]);
      pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i - 1));
      return true;
    }
    return false;
  }

  void keep(Line line) {
    bytes_ += sizeof(Line) + line.text.capacity();
    open_->named |= line.text.starts_with("/");
    open_->section.lines.push_back(std::move(line));
    if (at_ + 1 < line_.commands.size() && line_.commands[at_].format == open_->section.format)
      line_full_ = prints_one_line(line_.commands[at_]);
  }

  void close() {
    if (open_ && !open_->section.lines.empty()) pieces_.push_back(std::move(*open_));
    open_.reset();
  }

  /// All that one command line, or none, made is read: whose each output is can be told now.
  void end_group(CommandLine next, bool shut) {
    close();
    std::vector<const Format*> seen;
    for (const Piece& piece : pieces_) {
      const Format* format = piece.section.format;
      if (std::find(seen.begin(), seen.end(), format) != seen.end()) continue;
      seen.push_back(format);
      if (announced(format))
        give_owners(pieces_, format, line_, strayed_, [&](Piece& one, const std::string& why) { leave_out(one, why); });
    }
    for (Piece& piece : pieces_) {
      if (!announced(piece.section.format)) place_unannounced(piece);
      if (piece.section.lines.empty()) continue;
      fill(piece.section.about, file_.about);
      out_.sections.push_back(std::move(piece.section));
    }
    pieces_.clear();
    told_.clear();
    line_ = std::move(next);
    at_ = 0;
    line_full_ = false;
    shut_ = shut;
    strays_ = 0;
    strayed_ = false;
  }

  /// What stands in front of a command to prepare it.
  [[nodiscard]] static bool prints_nothing(const Command& command) {
    constexpr std::string_view kSilent[] = {"cd", "export", "set",   "unset", "source",
                                            ".",  "sleep",  "mkdir", "true",  ":"};
    return !command.words.empty() &&
           std::find(std::begin(kSilent), std::end(kSilent), command.words[0]) != std::end(kSilent);
  }

  /// What a script printed in a pod, a container or another namespace is not of the host either. Logs of the kernel
  /// know no namespaces, and a job's name their host.
  void place_unannounced(Piece& piece) {
    const std::vector<Command>& list = line_.commands;
    const auto is_inside = [](const Command& one) { return !one.within.empty() || !one.elsewhere.empty(); };
    const auto inside = std::find_if(list.begin(), list.end(), is_inside);
    Section& section = piece.section;
    if (inside == list.end() || section.lines.empty()) return;
    const bool log = section.format == &kLogLines;
    if (log && (!inside->elsewhere.empty() || !host_of_log(section.lines[0].text).empty())) return;
    const auto is_there = [&](const Command& one) { return prints_nothing(one) || is_one_place(one, *inside); };
    if (!std::all_of(list.begin(), list.end(), is_there))
      return leave_out(piece, std::string("an output of ") + section.format->name +
                                  " that no command of its line announces: it is not certain where it was made");
    if (!inside->elsewhere.empty()) return leave_out(piece, inside->elsewhere);
    section.host = host_within(inside->within, inside->host.empty() ? section.host : inside->host);
  }

  void leave_out(Piece& piece, const std::string& why) {
    std::uint32_t first = 0;
    for (const Line& line : piece.section.lines) {
      if (line.text.empty()) continue;
      if (first == 0) first = line.number;
      --out_.read_count;
      ++out_.unread_count;
      if (out_.unread.size() < Draft::kMostUnread)
        out_.unread.push_back({file_.name, line.number, line.text.substr(0, kTextBytes), why});
    }
    constexpr std::size_t kMostReasons = 20;
    if (out_.left_out.size() < kMostReasons) out_.left_out.push_back("line " + std::to_string(first) + ": " + why);
    piece.section.lines.clear();
  }

  void stray(Line line) {
    constexpr int kMostStrays = 8;
    strayed_ = true;
    ++out_.unread_count;
    if (out_.unread.size() < Draft::kMostUnread)
      out_.unread.push_back({file_.name, line.number, line.text.substr(0, kTextBytes), {}});
    for (auto& [format, told] : told_) told.stray = true;
    // A line or two that are not understood leave an output open; a longer foreign text ends it.
    if (++strays_ > kMostStrays && (!open_ || !announced(open_->section.format))) close();
  }

  const FileFacts file_;
  const std::size_t most_bytes_;
  Split out_;
  JsonLines json_;
  std::optional<Piece> open_;
  std::vector<Piece> pieces_;           ///< since the command line
  std::map<const Format*, Told> told_;  ///< since the command line
  CommandLine line_;
  CommandLine typed_;                        ///< for all hosts that headings name; line_ is what of it is run on one
  std::size_t at_ = 0;                       ///< the command whose output is being read
  bool line_full_ = false;                   ///< it prints one line, and did
  std::optional<Command> inside_;            ///< a shell that others are typed into
  std::optional<std::string> named_within_;  ///< by the first prompt in a pod or container
  bool shut_ = false;
  std::string host_;
  std::string role_;                   ///< by the title above, "" where that names another host or there is none
  std::map<std::string, Role> roles_;  ///< by their names
  std::int64_t wall_ns_ = 0;
  std::string clock_;
  std::size_t bytes_ = 0;
  int strays_ = 0;
  bool strayed_ = false;        ///< since the command line
  bool host_told_ = false;      ///< by a prompt or a heading
  std::optional<Line> held_;    ///< behind a rule: a host's name, where another rule follows
  std::optional<Line> spoken_;  ///< "On gpu02:", which what follows makes a title or not
  bool after_rule_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> rejected_;  ///< lines that no format knew, by how they begin
  bool begins_anew_ = false;                                   ///< the line begins an output
  bool heading_ = false;                                       ///< by heading it
};

}  // namespace roceready::evidence
