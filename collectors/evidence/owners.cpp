// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/owners.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "collectors/evidence/format.h"
#include "collectors/evidence/host_names.h"

namespace roceready::evidence {
namespace {

/// Whether an output of this format tells of one port or function, and seldom says of which.
bool is_of_one(const Format& format) {
  const std::string_view settles = format.settles;
  return settles.find("NETDEV") != std::string_view::npos || settles.find("DEVICE") != std::string_view::npos ||
         settles.find("PCI") != std::string_view::npos;
}

std::string uncertain(const Format& format, const char* of) {
  return std::string("outputs of ") + format.name + " of several " + of + ": it is not certain which is whose";
}

/// More than the one line of a command.
bool is_overfull(const Piece& piece) {
  return std::count_if(piece.section.lines.begin(), piece.section.lines.end(),
                       [](const Line& line) { return !line.text.empty(); }) > 1;
}

/// The outputs of one format, and the commands of the line that make such.
class Owners {
 public:
  using LeaveOut = std::function<void(Piece&, const std::string&)>;
  Owners(const Format& format, const CommandLine& line, bool strayed, const LeaveOut& leave_out)
      : format_(format), line_(line), strayed_(strayed), leave_out_(leave_out) {
    for (const Command& one : line.commands) {
      if (one.format == &format) commands_.push_back(&one);
    }
    single_lines_ = commands_.size() > 1 && std::all_of(commands_.begin(), commands_.end(),
                                                        [](const Command* one) { return prints_one_line(*one); });
    other_host_ = any_other([](const Command& a, const Command& b) { return is_one_place(a, b); });
  }

  /// An output whose own lines name somebody.
  void own_named(Piece& piece) const {
    if (other_host_) return leave_out_(piece, uncertain(format_, "hosts or network namespaces"));
    give(piece, *commands_[0], commands_.size() == 1 || !is_of_one(format_));
  }

  void own_nameless(const std::vector<Piece*>& pieces) const {
    if (!is_certain(pieces)) {
      for (Piece* piece : pieces) leave_out_(*piece, uncertain(format_, "ports"));
      return;
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Command& command = *commands_[std::min(i, commands_.size() - 1)];
      const bool more = i >= commands_.size() && comes_once(format_);
      const bool unknown = command.variable() && pieces.size() > 1 && comes_once(format_);
      const bool again = line_.repeats || (pieces[i]->after_time && !pieces[i]->after_stray);
      if (unknown || (more && !again))
        leave_out_(*pieces[i],
                   std::string("a further output of ") + format_.name + ": no line says which port it is of");
      else
        give(*pieces[i], command, true);
    }
  }

 private:
  template <class Same>
  [[nodiscard]] bool any_other(Same same) const {
    return std::any_of(commands_.begin(), commands_.end(),
                       [&](const Command* one) { return !same(*one, *commands_[0]); });
  }
  /// One owner, or one output for each.
  [[nodiscard]] bool is_certain(const std::vector<Piece*>& pieces) const {
    const bool other_owner =
        other_host_ || any_other([&](const Command& a, const Command& b) {
          return (!is_of_one(format_) || a.about == b.about) && (!single_lines_ || a.words == b.words);
        });
    if (!other_owner) return true;
    const bool overfull = single_lines_ && std::any_of(pieces.begin(), pieces.end(),
                                                       [](const Piece* piece) { return is_overfull(*piece); });
    return pieces.size() == commands_.size() && !line_.repeats && !overfull;
  }
  void give(Piece& piece, const Command& command, bool names) const {
    if (!command.elsewhere.empty()) return leave_out_(piece, command.elsewhere);
    Section& section = piece.section;
    // Where something was said that nobody knows, a line may be that of the next command.
    if (!strayed_ || !prints_one_line(command) || commands_.size() == 1) section.words = command.words;
    if (names) fill(section.about, command.about);
    if (!command.host.empty()) section.host = command.host;
    if (!command.within.empty()) section.host = host_within(command.within, section.host);
  }

  const Format& format_;
  const CommandLine& line_;
  const bool strayed_;
  const LeaveOut& leave_out_;
  std::vector<const Command*> commands_;
  bool single_lines_ = false, other_host_ = false;
};

}  // namespace

bool is_one_place(const Command& a, const Command& b) {
  return a.host == b.host && a.within == b.within && a.elsewhere == b.elsewhere;
}

bool is_shell(const Command& command) {
  constexpr std::string_view kShells[] = {"bash", "sh", "zsh", "dash", "ksh", "ash"};
  const auto& words = command.words;
  return !words.empty() && std::find(std::begin(kShells), std::end(kShells), words[0]) != std::end(kShells) &&
         std::all_of(words.begin() + 1, words.end(), [](const std::string& word) { return word.starts_with("-"); });
}

bool shows_anything(const std::vector<Command>& commands) {
  constexpr std::string_view kShowing[] = {"cat",  "zcat",  "grep", "egrep",   "zgrep",  "head",    "tail",   "less",
                                           "more", "awk",   "sed",  "sort",    "tee",    "bash",    "sh",     "su",
                                           "ssh",  "exit",  "cd",   "clear",   "source", "kubectl", "docker", "podman",
                                           "pdsh", "clush", "for",  "ansible", "oc",     "crictl",  "srun",   "script",
                                           "diff", "paste", "cut",  "column",  "vi",     "vim",     "nano",   "echo"};
  return std::all_of(commands.begin(), commands.end(), [&](const Command& command) {
    if (command.words.empty()) return true;
    const std::string& program = command.words[0];
    return program.find('.') != std::string::npos || program.find('$') != std::string::npos ||
           std::find(std::begin(kShowing), std::end(kShowing), program) != std::end(kShowing);
  });
}

bool comes_once(const Format& format) {
  const std::string_view settles = format.settles;
  return settles.find("NETDEV") != std::string_view::npos || settles.starts_with("mlxlink");
}

bool prints_one_line(const Command& command) {
  const auto& words = command.words;
  if (words.empty()) return false;
  const bool one = words[0] == "uname" || words[0] == "uptime" || (words[0] == "hostname" && words.size() == 1);
  return one || (words[0] == "cat" && words.size() == 2 && words[1].find_first_of("*?[") == std::string::npos &&
                 (words[1].starts_with("/sys/") || words[1] == "/proc/cmdline" || words[1] == "/etc/hostname"));
}

void fill(About& about, const About& other) {
  if (about.netdev.empty()) about.netdev = other.netdev;
  if (about.device.empty()) about.device = other.device, about.port = other.port;
  if (about.pci.empty()) about.pci = other.pci;
}

void give_owners(std::vector<Piece>& pieces, const Format* format, const CommandLine& line, bool strayed,
                 const std::function<void(Piece&, const std::string&)>& leave_out) {
  const Owners owners(*format, line, strayed, leave_out);
  std::vector<Piece*> nameless;
  for (Piece& piece : pieces) {
    if (piece.section.format != format) continue;
    if (piece.named)
      owners.own_named(piece);
    else
      nameless.push_back(&piece);
  }
  owners.own_nameless(nameless);
}

}  // namespace roceready::evidence
