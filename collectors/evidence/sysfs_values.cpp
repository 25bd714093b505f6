// SPDX-License-Identifier: Apache-2.0
// Files below /sys as people print them: `grep . /sys/…/hw_counters/*` ("PATH:VALUE"), `head` and `tail -n +1` with a
// heading a file, `cat` of one, loops that print "name: value", and scripts that list the counters of a port so.
#include "collectors/evidence/counter_names.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/sysfs_facts.h"
#include "collectors/evidence/words.h"
#include "collectors/pci_parse.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool is_heading(std::string_view line) {
  return line.starts_with("==>") && line.ends_with("<==");
}

bool made_by(std::span<const std::string> words, About& about) {
  const std::string& tool = words[0];
  if (tool == "show_counters") {
    if (words.size() > 1 && is_device_name(words[1])) about.device = words[1];
    return true;
  }
  if (tool == "ls" && words.back() == "/sys/class/infiniband") return true;  // of other directories ls tells no value
  if (tool != "cat" && tool != "grep" && tool != "egrep" && tool != "head" && tool != "tail" && tool != "more" &&
      tool != "for")
    return false;
  for (const std::string& word : words) {
    const auto path = path_alone(word);
    if (!path) continue;
    about = about_of_path(*path);
    return true;
  }
  return false;
}

/// "lrwxrwxrwx 1 root root 0 Dec  1 09:00 /sys/class/net/eth0/device -> ../../../0000:3b:00.0" and "… mlx5_0 ->
/// ../../devices/pci0000:3a/0000:3b:00.0/infiniband/mlx5_0" of `ls -l`: a netdev or device and its PCI function.
std::optional<About> function_link(std::string_view line) {
  if (!line.starts_with("lrwx")) return std::nullopt;
  const auto words = words_of(line);
  if (words.size() < 4 || words[words.size() - 2] != "->") return std::nullopt;
  const auto path = roceready::split(words[words.size() - 3], '/'), target = roceready::split(words.back(), '/');
  About out;
  const auto name = [&](std::string_view folder, std::string_view text) {
    if (folder == "infiniband" && is_device_name(text)) out.device = text;
    if (folder == "net" && is_netdev_name(text)) out.netdev = text;
  };
  const std::size_t end = target.size();
  if (end > 0 && is_pci_address(target[end - 1]) && path.size() > 3 && path.back() == "device") {
    out.pci = lower(target[end - 1]);
    name(path[path.size() - 3], path[path.size() - 2]);
  } else if (end > 3 && is_pci_address(target[end - 3])) {
    out.pci = lower(target[end - 3]);
    name(target[end - 2], target[end - 1]);
  }
  return out.device.empty() && out.netdev.empty() ? std::nullopt : std::optional(out);
}

void keep_function(Draft& draft, const About& about) {
  if (!about.netdev.empty()) draft.netdev(about.netdev).link.parent_device = about.pci;
  if (!about.device.empty()) draft.device_is_at(about.device, about.pci);
}

struct NamedValue {
  std::string_view name, value;
};

/// "name: value", "name = value", "name value", "name:value".
std::optional<NamedValue> named_value(std::string_view line) {
  line = trim(line);
  auto end = line.find_first_of(":= \t");
  if (const auto pair = key_value(line)) {
    end = pair->key.size();
    if (pair->key.find(' ') != std::string_view::npos && counter_set_of(pair->key) == CounterSet::Unknown)
      return std::nullopt;
  }
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  std::string_view value = trim(line.substr(end));
  while (value.starts_with(":") || value.starts_with("=")) value = trim(value.substr(1));
  return NamedValue{line.substr(0, end), value};
}

/// A value as a file of its own holds it: one word, "4: ACTIVE", "Global tclass=106", "16.0 GT/s PCIe".
bool is_bare_value(std::string_view line) {
  constexpr std::size_t kLongest = 64, kMostWords = 3;
  return line.size() <= kLongest && words_of(line).size() <= kMostWords;
}

Fit fit(std::string_view line, About& about) {
  if (is_heading(line)) {
    const auto path = path_alone(line);
    if (!path) return Fit::No;
    about = about_of_path(*path);
    return Fit::Certain;
  }
  if (const auto link = function_link(line)) return about = *link, Fit::Certain;
  if (path_line(line)) return Fit::Certain;
  const auto named = named_value(line);
  if (named && (parse_count(named->value) || named->value.starts_with("N/A"))) {
    if (counter_set_of(named->name) != CounterSet::Unknown) return Fit::Certain;
    if (is_counter_name(named->name)) return Fit::Possible;
  }
  return is_bare_value(line) ? Fit::Possible : Fit::No;
}

/// Reads the lines of one section.
class Reader {
 public:
  Reader(const Section& section, Draft& draft) : section_(section), draft_(draft), about_(section.about) {
    for (const std::string& word : section.words) {
      if (const auto path = path_alone(word)) arguments_.push_back(*path);
    }
    single_ = arguments_.size() == 1 && !is_pattern(arguments_[0]);
    if (arguments_.size() == 1) set_of(arguments_[0]);
  }

  void take(const Line& line) {
    const std::string_view text = trim(line.text);
    if (text.empty()) return;
    if (const auto link = function_link(text)) return keep_function(draft_, *link);
    if (const auto heading = is_heading(text) ? path_alone(text) : std::nullopt) {
      heading_ = *heading;
      has_heading_ = true;
      return;
    }
    if (const auto file = path_line(text)) return keep(*file, line);
    if (has_heading_) return keep_value(heading_, text, line);
    const auto named = named_value(text);
    const bool known = named && counter_set_of(named->name) != CounterSet::Unknown;
    if (!known && single_) return keep_value(arguments_[0], text, line);
    if (!named || !(known || is_counter_name(named->name))) return draft_.unread(section_, line);
    const CounterSet set = known ? counter_set_of(named->name) : set_;
    if (!keep_counter(draft_, about_, set, named->name, named->value, section_, line.number))
      draft_.unread(section_, line, "no \"name: number\"");
  }

 private:
  void set_of(const PathLine& path) {
    if (path.has("counters") && !path.has("hw_counters")) set_ = CounterSet::Port;
  }
  void keep_value(PathLine path, std::string_view value, const Line& line) {
    path.value = value;
    keep(path, line);
  }
  void keep(const PathLine& file, const Line& line) {
    const Kept kept = keep_file(draft_, file, about_, section_, line.number);
    if (kept == Kept::NoFact) draft_.unread(section_, line, "a file that no rule looks at");
    if (kept == Kept::Senseless) draft_.unread(section_, line, "its value makes no sense");
  }
  const Section& section_;
  Draft& draft_;
  About about_;
  std::vector<PathLine> arguments_;  ///< views into the section's words
  PathLine heading_;                 ///< views into its lines
  bool has_heading_ = false, single_ = false;
  CounterSet set_ = CounterSet::Hardware;
};

void parse(const Section& section, Draft& draft) {
  Reader reader(section, draft);
  for (const Line& line : section.lines) reader.take(line);
}

}  // namespace

extern const Format kSysfsValues;
constinit const Format kSysfsValues{
    "files below /sys", "grep . /sys/class/infiniband/DEVICE/ports/PORT/hw_counters/*", true, made_by, fit, parse};

}  // namespace roceready::evidence
