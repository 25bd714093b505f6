// SPDX-License-Identifier: Apache-2.0
// Programs that run a command in a pod, a container, other namespaces or on other nodes.
#include "collectors/evidence/runners.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "collectors/evidence/host_names.h"
#include "collectors/evidence/split.h"

namespace roceready::evidence {
namespace {

using Words = std::vector<std::string>;
using Names = std::initializer_list<std::string_view>;

template <class List = Names>
bool is_one_of(std::string_view word, const List& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word != "--";
}

/// Options as they stand in front of what they are for: the value of each that has one, and the words between.
class Options {
 public:
  /// `valued`: options that have their value in the next word, where it does not stand behind "=".
  Options(const Words& words, std::size_t at, Names valued) : words_(words), at_(at), valued_(valued) {}

  /// The next word that is no option, nothing at the end and at "--", which is passed over.
  std::optional<std::string> word() {
    while (at_ < words_.size() && is_option(words_[at_])) option();
    if (at_ == words_.size()) return std::nullopt;
    if (words_[at_] == "--") return ++at_, std::nullopt;
    return words_[at_++];
  }
  /// The value that one of these had, "" for none.
  [[nodiscard]] std::string value_of(Names names) const {
    for (const auto& [name, value] : values_)
      if (is_one_of(name, names)) return value;
    return {};
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  void option() {
    const std::string& word = words_[at_++];
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (equals == std::string::npos && is_one_of(name, valued_) && at_ < words_.size()) value = words_[at_++];
    values_.emplace_back(name, std::move(value));
  }

  const Words& words_;
  std::size_t at_;
  std::vector<std::string_view> valued_;
  std::vector<std::pair<std::string, std::string>> values_;
};

void drop_first(Words& words, std::size_t count) {
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size())));
}

std::string host_named(const std::string& name) {
  return is_host_name(name) ? short_host_name(name) : name;  // an address stays whole
}

/// "kubectl -n ml exec -it trainer-0 -- CMD", "oc rsh trainer-0 CMD"; "oc debug node/gpu01 -- CMD" runs in the
/// namespaces of the node.
bool take_off_kubectl(Words& words, Command& out) {
  Options options(words, 1,
                  {"-n", "--namespace", "-c", "--container", "--context", "--kubeconfig", "--cluster", "-s", "--server",
                   "--user", "--image", "--target", "--profile", "--as", "-f", "--filename"});
  const auto action = options.word();
  if (!action || !is_one_of(*action, {"exec", "rsh", "debug"})) return false;
  auto target = options.word();
  if (!target) return false;
  const bool of_node = target->starts_with("node/") || target->starts_with("nodes/");
  if (const auto slash = target->find('/'); of_node || target->starts_with("pod/") || target->starts_with("pods/"))
    target = target->substr(slash + 1);
  // What stands behind the pod's name and is no option is the command, also without "--".
  const bool bare = options.word().has_value();
  const std::string space = options.value_of({"-n", "--namespace"});
  drop_first(words, options.at() - (bare ? 1 : 0));
  if (of_node)
    out.host = host_named(*target);
  else
    out.within = "pod " + (space.empty() ? "" : space + "/") + *target;
  return true;
}

/// "docker exec -it c1 CMD", "lxc exec c1 -- CMD".
bool take_off_container(Words& words, Command& out) {
  Options options(words, 1,
                  {"-u", "--user", "-w", "--workdir", "-e", "--env", "--env-file", "--detach-keys", "-H", "--host",
                   "--context", "--namespace", "--cwd", "--group", "-r", "--runtime-endpoint", "-f", "-p"});
  auto action = options.word();
  if (action && is_one_of(*action, {"compose", "container"})) action = options.word();
  if (!action || *action != "exec") return false;
  const auto name = options.word();
  if (!name) return false;
  std::size_t begin = options.at();
  if (begin < words.size() && words[begin] == "--") ++begin;
  out.within = "container " + *name;
  drop_first(words, begin);
  return true;
}

bool take_off_lxc_attach(Words& words, Command& out) {
  Options options(words, 1, {"-n", "--name", "-s", "--namespaces", "-P", "--lxcpath"});
  const bool more = options.word().has_value();
  const std::string name = options.value_of({"-n", "--name"});
  if (name.empty()) return false;
  out.within = "container " + name;
  drop_first(words, more ? options.at() - 1 : options.at());
  return true;
}

/// Whose namespaces nsenter enters, and whether that of the network is among them. Values of short options stand
/// behind the letter or, of the PID, in the next word.
bool take_off_nsenter(Words& words, Command& out) {
  std::string process, file;
  bool network = false;
  std::size_t at = 1;
  for (; at < words.size() && is_option(words[at]); ++at) {
    const std::string& word = words[at];
    const auto equals = word.find('=');
    const std::string name = word.starts_with("--") ? word.substr(0, equals) : word.substr(0, 2);
    std::string value =
        word.starts_with("--") ? (equals == std::string::npos ? "" : word.substr(equals + 1)) : word.substr(2);
    const bool pairs = is_one_of(name, {"-t", "--target", "-S", "--setuid", "-G", "--setgid"});
    if (pairs && value.empty() && at + 1 < words.size()) value = words[++at];
    if (name == "-t" || name == "--target") process = value;
    if (name == "-n" || name == "--net") network = true, file = value;
    if (name == "-a" || name == "--all") network = true;
  }
  if (at < words.size() && words[at] == "--") ++at;
  drop_first(words, at);
  const bool of_init = file.empty() ? process == "1" : file.ends_with("/1/ns/net");
  if (network && !of_init)
    out.elsewhere = "of the network namespace of " + (file.empty() ? "process " + process : file) + ", not of the host";
  return true;
}

bool take_off_chroot(Words& words) {
  Options options(words, 1, {});
  if (!options.word()) return false;
  drop_first(words, options.at());
  return true;
}

/// "srun -N1 -w gpu01 CMD". Of several nodes nobody knows which one printed what.
bool take_off_srun(Words& words, Command& out) {
  constexpr std::string_view kValued = "ABcCdDeFGiJLmMnNopqrStTwWx";
  std::string nodes;
  std::size_t at = 1;
  for (; at < words.size() && is_option(words[at]); ++at) {
    const std::string& word = words[at];
    const auto equals = word.find('=');
    std::string value;
    if (word.starts_with("--")) {
      const std::string name = word.substr(0, equals);
      const bool alone =
          is_one_of(name, {"--pty", "--label", "--exclusive", "--overlap", "--unbuffered", "--quiet", "--verbose",
                           "--overcommit", "--no-kill", "--exact", "--contiguous", "--immediate", "--disable-status",
                           "--hold", "--propagate", "--oversubscribe", "--no-allocate", "--multi-prog"});
      if (equals != std::string::npos)
        value = word.substr(equals + 1);
      else if (!alone && at + 1 < words.size())
        value = words[++at];
      if (name == "--nodelist") nodes = value;
      if (name == "--label") out.labelled = true;
      continue;
    }
    if (word[1] == 'l') out.labelled = true;
    if (kValued.find(word[1]) == std::string_view::npos) continue;
    value = word.size() > 2 ? word.substr(2) : at + 1 < words.size() ? words[++at] : "";
    if (word[1] == 'w') nodes = value;
  }
  drop_first(words, at);
  if (!nodes.empty() && nodes.find_first_of("[],$") == std::string::npos) out.host = host_named(nodes);
  return true;
}

}  // namespace

void drop_options(Words& words, Names valued) {
  while (!words.empty() && words[0].starts_with("-") && words[0].size() > 1) {
    const bool pair = is_one_of(words[0], valued) && words.size() > 1;
    words.erase(words.begin(), words.begin() + (pair ? 2 : 1));
  }
}

bool take_off_runner(Words& words, Command& out) {
  const auto slash = words[0].rfind('/');
  const std::string program = slash == std::string::npos ? words[0] : words[0].substr(slash + 1);
  if (is_one_of(program, {"kubectl", "oc"})) return take_off_kubectl(words, out);
  if (is_one_of(program, {"docker", "podman", "nerdctl", "crictl", "lxc", "incus"}))
    return take_off_container(words, out);
  if (program == "lxc-attach") return take_off_lxc_attach(words, out);
  if (program == "nsenter") return take_off_nsenter(words, out);
  if (program == "chroot") return take_off_chroot(words);
  return program == "srun" && take_off_srun(words, out);
}

std::string handed_to_shell(const Words& words) {
  const auto slash = words[0].rfind('/');
  const std::string program = slash == std::string::npos ? words[0] : words[0].substr(slash + 1);
  if (program == "su") {
    const auto at = std::find(words.begin() + 1, words.end(), "-c");
    return at == words.end() || at + 1 == words.end() ? std::string() : *(at + 1);
  }
  if (!is_one_of(program, {"bash", "sh", "zsh", "dash", "ksh", "ash"})) return {};
  for (std::size_t at = 1; at + 1 < words.size() && is_option(words[at]); ++at)
    if (words[at][1] != '-' && words[at].back() == 'c') return words[at + 1];
  return {};
}

}  // namespace roceready::evidence
