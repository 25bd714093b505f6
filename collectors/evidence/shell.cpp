// SPDX-License-Identifier: Apache-2.0
// What a shell makes of a line: commands parted by ";", "&&" and "||", loops, programs that run another one.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "collectors/evidence/format.h"
#include "collectors/evidence/host_names.h"
#include "collectors/evidence/runners.h"
#include "collectors/evidence/split.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::size_t kMostWords = 40, kMostCommands = 256;

using Words = std::vector<std::string>;

/// Parts a line into commands, each up to its first pipe or redirection. Quotes and "$( )" hold what is in them
/// together.
class Parter {
 public:
  explicit Parter(std::string_view text) : text_(text) {}

  std::vector<Words> part() {
    for (; at_ < text_.size(); ++at_) step(text_[at_]);
    end_command();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool next_is(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }

  void step(char c) {
    if (quote_ != 0) {
      if (c == quote_)
        quote_ = 0;
      else
        keep(c);
      return;
    }
    if (depth_ > 0 || (c == '$' && next_is('('))) return within(c);
    switch (c) {
      case '\'':
      case '"':
        quote_ = c;
        word_begun_ = true;
        break;
      case ' ':
      case '\t':
        end_word();
        break;
      case ';':
        end_command();
        break;
      case '|':
        if (next_is('|')) return ++at_, end_command();
        end_word();
        passing_ = true;
        break;
      case '&':
        if (next_is('&')) return ++at_, end_command();
        if (next_is('>') || (at_ > 0 && text_[at_ - 1] == '>')) return redirect();
        end_command();
        break;
      case '>':
        redirect();
        break;
      case '(':
        if (word_begun_) keep(c);
        break;
      case ')':
        if (word_.find('(') != std::string::npos) keep(c);
        break;
      default:
        keep(c);
    }
  }

  void within(char c) {
    keep(c);
    if (c == '$' && depth_ == 0)
      keep(text_[++at_]), ++depth_;
    else if (c == '(')
      ++depth_;
    else if (c == ')')
      --depth_;
  }
  /// The rest of the command is a file and what is written to it; "2>" is one word.
  void redirect() {
    if (word_ == "1" || word_ == "2") word_.clear(), word_begun_ = false;
    end_word();
    passing_ = true;
  }
  void keep(char c) {
    if (!passing_) word_ += c, word_begun_ = true;
  }
  void end_word() {
    if (word_begun_ && !word_.empty() && words_.size() < kMostWords) words_.push_back(std::move(word_));
    word_.clear();
    word_begun_ = false;
  }
  void end_command() {
    end_word();
    if (!words_.empty() && out_.size() < kMostCommands) out_.push_back(std::move(words_));
    words_.clear();
    passing_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char quote_ = 0;
  int depth_ = 0;
  bool passing_ = false, word_begun_ = false;
  std::string word_;
  Words words_;
  std::vector<Words> out_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string base_name(const std::string& program) {
  const auto slash = program.rfind('/');
  return slash == std::string::npos ? program : program.substr(slash + 1);
}

/// The commands in a word that another program's shell reads: `ssh node1 "a; b"`. They run where `outer` does.
void add_inner(std::string_view text, const Command& outer, CommandLine& line) {
  CommandLine inner = commands_of(text);
  line.repeats |= inner.repeats;
  line.loops |= inner.loops;
  for (Command& one : inner.commands) {
    if (line.commands.size() == kMostCommands) return;
    if (one.host.empty()) one.host = outer.host;
    if (one.within.empty()) one.within = outer.within;
    if (one.elsewhere.empty()) one.elsewhere = outer.elsewhere;
    one.labelled |= outer.labelled;
    line.commands.push_back(std::move(one));
  }
}

/// Adds a command, or those that it holds in quotes, without what runs it: sudo, watch, ssh, "bash -c", kubectl exec,
/// assignments, "do".
void add_command(Words words, CommandLine& line) {
  Command out;
  while (!words.empty()) {
    const std::string first = base_name(words[0]);
    const bool assigns = words[0].find('=') != std::string::npos && words[0][0] != '-';
    const auto drop_first = [&] { words.erase(words.begin()); };
    if (is_one_of(first, {"do", "then", "else", "time", "nohup", "env", "{", "!"}) || assigns) {
      drop_first();
    } else if (first == "sudo") {
      drop_first();
      drop_options(words, {"-u", "-g", "-h", "-p", "-C", "-D", "-r", "-t", "-U"});
    } else if (first == "stdbuf" || first == "nice") {
      drop_first();
      drop_options(words, {"-n"});
    } else if (first == "timeout") {
      drop_first();
      drop_options(words, {"-s", "-k"});
      if (!words.empty()) drop_first();
    } else if (first == "watch") {
      line.repeats = true;
      drop_first();
      drop_options(words, {"-n", "--interval"});
      // watch 'ethtool -S eth0': one word that a shell reads
      if (words.size() == 1 && words[0].find(' ') != std::string::npos) return add_inner(words[0], out, line);
    } else if (first == "ssh" && words.size() > 2) {
      drop_first();
      drop_options(words, {"-l", "-p", "-i", "-o", "-J", "-F"});
      if (words.empty()) break;
      const std::string target = words[0].substr(words[0].find('@') == std::string::npos ? 0 : words[0].find('@') + 1);
      out.host = is_host_name(target) ? short_host_name(target) : target;  // an address stays whole
      drop_first();
      if (words.size() == 1) return add_inner(words[0], out, line);
    } else if (first == "pdsh" || first == "clush") {  // who printed what stands in the lines
      drop_first();
      drop_options(words, {"-w", "-x", "-g", "-X", "-f", "-t", "-u", "-R", "-l"});
      if (words.size() == 1) return add_inner(words[0], out, line);
    } else if (first == "ip" && words.size() > 4 && is_one_of(words[1], {"netns", "net"}) && words[2] == "exec") {
      out.elsewhere = "of the network namespace " + words[3] + ", not of the host";
      words.erase(words.begin(), words.begin() + 4);
    } else if (const std::string inner = handed_to_shell(words); !inner.empty()) {
      return add_inner(inner, out, line);
    } else if (!take_off_runner(words, out)) {
      words[0] = first;
      break;
    }
  }
  if (words.empty() && !(out.within + out.host).empty()) words = {"sh"};  // "oc rsh trainer-0"
  if (words.empty() || line.commands.size() == kMostCommands) return;
  out.words = std::move(words);
  out.format = format_made_by(out.words, out.about);
  line.commands.push_back(std::move(out));
}

bool is_plain(const std::string& word) {
  return word.find_first_of("$`*?{}[]()") == std::string::npos;
}

/// "for NAME in WORD…"
struct Loop {
  std::string name;
  Words over;
  std::vector<Words> body;
};
std::optional<Loop> loop_head(const Words& words) {
  if (words.size() < 4 || words[0] != "for" || words[2] != "in") return std::nullopt;
  return Loop{words[1], Words(words.begin() + 3, words.end()), {}};
}

std::string with_value(std::string text, const std::string& name, const std::string& value) {
  const std::string forms[] = {"${" + name + "}", "$" + name};
  for (const std::string& form : forms) {
    for (auto at = text.find(form); at != std::string::npos; at = text.find(form, at + value.size())) {
      const char next = at + form.size() < text.size() ? text[at + form.size()] : ' ';
      const bool longer = form.back() != '}' && (next == '_' || (next >= '0' && next <= '9') ||
                                                 (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'));
      if (!longer) text.replace(at, form.size(), value);
    }
  }
  return text;
}

void write_out(const Loop& loop, std::vector<Words>& into) {
  for (const std::string& value : loop.over) {
    for (Words words : loop.body) {
      for (std::string& word : words) word = with_value(std::move(word), loop.name, value);
      if (into.size() < kMostCommands) into.push_back(std::move(words));
    }
  }
}

}  // namespace

bool Command::variable() const {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.find('$') != std::string::npos; }) ||
         (host + within).find('$') != std::string::npos;
}

bool CommandLine::known() const {
  return std::any_of(commands.begin(), commands.end(), [](const Command& one) { return one.format != nullptr; });
}

CommandLine commands_of(std::string_view text) {
  CommandLine out;
  std::vector<Words> plain;
  std::optional<Loop> loop;
  for (Words& words : Parter(text).part()) {
    if (auto head = loop ? std::nullopt : loop_head(words)) {
      if (std::all_of(head->over.begin(), head->over.end(), is_plain)) {
        loop = std::move(head);
        continue;
      }
      out.repeats = true;
    }
    if (is_one_of(words[0], {"while", "until"})) {
      out.repeats = true;
    } else if (loop && words[0] == "done") {
      write_out(*loop, plain);
      loop.reset();
      out.loops = true;
    } else if (words[0] != "done") {
      (loop ? loop->body : plain).push_back(std::move(words));
    }
  }
  if (loop) write_out(*loop, plain), out.loops = true;
  for (Words& words : plain) add_command(std::move(words), out);
  return out;
}

}  // namespace roceready::evidence
