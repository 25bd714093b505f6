// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/section.h"
#include "collectors/evidence/wall_time.h"

namespace roceready::evidence {

/// One command of a line.
struct Command {
  std::vector<std::string> words;  ///< sudo, environment and path of the program left out; what follows a pipe too
  const Format* format = nullptr;  ///< whose output it makes; nullptr: no format's
  About about;
  std::string host;                     ///< of "ssh node2 …"; "" the prompt's
  std::string within;                   ///< "pod ml/trainer-0", "container c1": its netdevs are not the host's
  std::string elsewhere;                ///< why its output tells nothing of the host's own ports; "" where it does
  bool labelled = false;                ///< by `srun -l`: the number of the task stands in front of each line
  [[nodiscard]] bool variable() const;  ///< holds a "$name" that nothing on the line tells
};

/// A command line in front of its output: a prompt ("[root@node1 ~]# ethtool -S eth0", "bash-5.1# rdma link",
/// "node1:~#"), a trace ("+ ethtool -S eth0") or a heading ("==== ethtool -S eth0 ====", "### ethtool -S eth0:").
struct CommandLine {
  std::vector<Command> commands;     ///< parted by ";", "&&", "||"; a loop over plain words is written out
  std::string host;                  ///< by the prompt
  bool repeats = false;              ///< watch, while, a loop over what the line does not tell: any number of outputs
  bool loops = false;                ///< over plain words
  [[nodiscard]] bool known() const;  ///< some output is of a format
};
[[nodiscard]] bool read_command_line(std::string_view line, CommandLine& out);
/// The heading of a screen of watch: "Every 2.0s: ethtool -S eth0     node1: Mon Nov 30 14:36:55 2026". No command
/// where the screen's width cut it.
[[nodiscard]] bool read_watch_heading(std::string_view line, CommandLine& out, WallTime& when);
/// Commands of a text as a shell parts them.
[[nodiscard]] CommandLine commands_of(std::string_view text);
/// The format that a command's output has, nullptr for none; `about` by its words.
[[nodiscard]] const Format* format_made_by(const std::vector<std::string>& words, About& about);

/// What is known of a file before it is read.
struct FileFacts {
  std::string name;  ///< path within what was given
  std::string host;
  About about;
  std::int64_t wall_ns = 0;
  std::string clock;  ///< as in Section
  std::uint32_t moment = 0;
  std::vector<std::string> words;  ///< of the command, by a name like sosreport's "ethtool_-S_eth0"
  std::string left_out;            ///< why it is not read, "" where it is
};

/// A file taken apart.
struct Split {
  std::vector<Section> sections;
  std::vector<UnreadLine> unread;  ///< at most Draft::kMostUnread
  std::uint64_t unread_count = 0, read_count = 0;
  std::vector<std::string> left_out;  ///< outputs that were known and not believed: which and why, at most 21
};
/// Takes one text apart into outputs of tools, piece by piece, so that a text need not be in memory as a whole. Never
/// fails: what no format knows is unread.
class Splitter {
 public:
  /// `most_bytes`: of lines that are known; what follows is counted as unread.
  explicit Splitter(const FileFacts& file, std::size_t most_bytes = std::size_t{16} << 20);
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
