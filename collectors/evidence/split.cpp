// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/split.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "collectors/evidence/gatherer.h"
#include "collectors/evidence/host_prefix.h"
#include "collectors/evidence/line_prefix.h"

namespace roceready::evidence {

/// A text as one stream of lines, or as one for each host whose name stands in front of its lines.
struct Splitter::Impl {
  Impl(const FileFacts& facts, std::size_t bytes)
      : file(facts),
        most_bytes(bytes),
        gatherer(facts, bytes),
        cutter([this](std::string_view line) { ++number, take(line, number); },
               [this](std::string_view part) { take(part, number + 1); },
               [this](const std::string& what) { gatherer.pass_over(what, number); }) {}

  void take(std::string_view raw, std::uint32_t at) {
    if (gatherer.full() || bytes_of_hosts > most_bytes) return gatherer.pass_over(raw, at);
    std::string text = clean_line(raw, dress);
    if (prefix != LinePrefix::None) text = std::string(without_prefix(text, prefix));
    if (indented) return take_indented({at, std::move(text)});
    if (prefixed) {
      const auto found = host_prefix(text, tasks);
      Gatherer* of_host = found ? of(found->host) : nullptr;
      const std::string_view prompt = found && found->command ? "$ " : "";
      if (of_host != nullptr) return take_for(*of_host, {at, std::string(prompt) + std::string(found->rest)});
      if (CommandLine line; read_command_line(text, line) && line.known()) return run(std::move(line));
    }
    gatherer.take({at, std::move(text)});
  }

  /// salt writes a host's name above what it printed, which is indented.
  void take_indented(Line line) {
    const std::string host = host_above(line.text);
    if (!host.empty()) {
      above = of(host);
      return;
    }
    line.text.erase(0, std::min(line.text.find_first_not_of(' '), kIndentBelowHost));
    if (above == nullptr) return gatherer.pass_over(line.text, line.number);  // of more hosts than are kept
    take_for(*above, std::move(line));
  }

  void take_for(Gatherer& host, Line line) {
    const std::size_t before = host.bytes();
    host.take(std::move(line));
    bytes_of_hosts += host.bytes() - before;
  }

  /// nullptr where more hosts are named than are kept.
  Gatherer* of(const std::string& host) {
    constexpr std::size_t kMostHosts = 64;
    const auto at = hosts.find(host);
    if (at != hosts.end()) return &at->second;
    if (hosts.size() == kMostHosts) return nullptr;
    FileFacts facts = file;
    facts.host = host;
    Gatherer& made = hosts.try_emplace(host, facts, most_bytes).first->second;
    if (command) made.run(*command);
    return &made;
  }

  /// What pdsh or clush was told to run is run on every host.
  void run(CommandLine line) {
    line.host.clear();
    for (auto& [host, one] : hosts) one.run(line);
    command = std::move(line);
  }

  /// The begin of the text tells how it is dressed.
  void feed(std::string_view piece) {
    constexpr std::size_t kLook = std::size_t{64} << 10;
    if (dressed) return cutter.feed(piece);
    begin += piece;
    if (begin.size() >= kLook) dress_up();
  }
  void dress_up() {
    dressed = true;
    dress = dress_of(begin);
    if (file.words.empty()) prefix = line_prefix_of(begin);
    const bool any_host = file.host.empty() && file.words.empty() && prefix == LinePrefix::None;
    indented = any_host && is_indented_below_hosts(begin);
    tasks = any_host && has_labelled_tasks(begin);
    prefixed = any_host && !indented && has_host_prefixes(begin, tasks);
    cutter.feed(std::exchange(begin, {}));
  }

  Split finish() {
    if (!dressed) dress_up();
    cutter.end();
    Split out = gatherer.finish();
    if (bytes_of_hosts > most_bytes)
      out.left_out.emplace_back("more is known of its hosts than is kept: the rest was not read");
    for (auto& [host, one] : hosts) {
      Split part = one.finish();
      out.read_count += part.read_count;
      out.unread_count += part.unread_count;
      std::move(part.sections.begin(), part.sections.end(), std::back_inserter(out.sections));
      std::move(part.left_out.begin(), part.left_out.end(), std::back_inserter(out.left_out));
      std::move(part.unread.begin(), part.unread.end(), std::back_inserter(out.unread));
    }
    return out;
  }

  const FileFacts file;
  const std::size_t most_bytes;
  Gatherer gatherer;
  std::map<std::string, Gatherer> hosts;  ///< by the names in front of the lines
  std::size_t bytes_of_hosts = 0;
  std::optional<CommandLine> command;  ///< that was run on all of them
  LineCutter cutter;
  std::string begin;
  Dress dress;
  LinePrefix prefix = LinePrefix::None;
  bool dressed = false, prefixed = false, indented = false, tasks = false;
  Gatherer* above = nullptr;  ///< of the host whose name stood above
  std::uint32_t number = 0;
};

Splitter::Splitter(const FileFacts& file, std::size_t most_bytes) : impl_(std::make_unique<Impl>(file, most_bytes)) {}
Splitter::~Splitter() = default;

void Splitter::feed(std::string_view piece) {
  impl_->feed(piece);
}

Split Splitter::finish() {
  return impl_->finish();
}

Split split(std::string_view text, const FileFacts& file) {
  Splitter splitter(file);
  splitter.feed(text);
  return splitter.finish();
}

}  // namespace roceready::evidence
