// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/section.h"

namespace roceready::evidence {

/// A command line in front of its output: a prompt ("[root@node1 ~]# ethtool -S eth0", "$ rdma link", "node1:~#"), a
/// trace ("+ ethtool -S eth0") or a heading ("==== ethtool -S eth0 ====", "### ethtool -S eth0:").
struct CommandLine {
  std::vector<std::string> words;  ///< sudo, environment and path of the program left out; what follows a pipe too
  std::string host;                ///< by the prompt
  const Format* format = nullptr;  ///< whose output follows; nullptr: no format's
  About about;
};
[[nodiscard]] bool read_command_line(std::string_view line, CommandLine& out);
/// The format that a command's output has, nullptr for none; `about` by its words.
[[nodiscard]] const Format* format_made_by(const std::vector<std::string>& words, About& about);

/// What is known of a file before it is read.
struct FileFacts {
  std::string name;  ///< path within what was given
  std::string host;
  About about;
  std::int64_t wall_ns = 0;
  std::uint32_t moment = 0;
  std::vector<std::string> words;  ///< of the command, by a name like sosreport's "ethtool_-S_eth0"
};

/// A file taken apart.
struct Split {
  std::vector<Section> sections;
  std::vector<UnreadLine> unread;  ///< at most Draft::kMostUnread
  std::uint64_t unread_count = 0, read_count = 0;
};
/// Takes one text apart into outputs of tools, piece by piece, so that a text need not be in memory as a whole. Never
/// fails: what no format knows is unread.
class Splitter {
 public:
  explicit Splitter(const FileFacts& file);
  ~Splitter();
  Splitter(const Splitter&) = delete;
  Splitter& operator=(const Splitter&) = delete;
  /// The next piece of the text; may end within a line.
  void feed(std::string_view piece);
  [[nodiscard]] Split finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
[[nodiscard]] Split split(std::string_view text, const FileFacts& file);

}  // namespace roceready::evidence
