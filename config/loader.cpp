// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

#include "config/settings.h"
#include "config/value.h"
#include "config/yaml.h"
#include "core/base/text.h"

namespace roceready::config {
namespace {

/// A file may be wrong in more places than anybody reads, and each unknown key costs a search for a near one.
constexpr std::size_t kMostProblems = 100;

using Kind = YamlNode::Kind;

Result<std::string> read_file(const std::filesystem::path& path) {
  const std::string where = clean_text(path.string());
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return os_error(errno, "cannot open the configuration", where);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fdopen(fd, "r"), &std::fclose);
  if (!file) {
    const int failed = errno;
    ::close(fd);
    return os_error(failed, "cannot open the configuration", where);
  }
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) return os_error(errno, "cannot look at the configuration", where);
  if (!S_ISREG(facts.st_mode)) return Error{ErrorCode::Io, "the configuration is not a regular file", where, 0};
  std::string bytes;
  std::array<char, 65536> block{};
  while (bytes.size() <= kLargestFile) {
    const std::size_t count = std::fread(block.data(), 1, block.size(), file.get());
    if (count == 0) break;
    bytes.append(block.data(), count);
  }
  if (std::ferror(file.get()) != 0) return os_error(errno, "cannot read the configuration", where);
  return bytes;
}

std::string first_words(const std::vector<std::string>& keys, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(keys.size(), most); ++i) out += (i == 0 ? "" : ", ") + keys[i];
  return keys.size() > most ? out + ", …" : out;
}

/// Gathers values from the file and the command line and every fault on the way.
class Loading {
 public:
  explicit Loading(const std::vector<Option>& options) {
    for (const Option& option : options) {
      options_.emplace(option.key, &option);
      known_.push_back(option.key);
      for (auto dot = option.key.find('.'); dot != std::string::npos; dot = option.key.find('.', dot + 1))
        if (sections_.insert(option.key.substr(0, dot)).second) known_.push_back(option.key.substr(0, dot));
    }
  }

  void defaults() {
    for (const auto& [key, option] : options_) {
      if (option->optional) {
        outcome_.values[key] = "";
        outcome_.origin[key] = "default";
        continue;
      }
      const auto value = parse_text(*option, option->default_value);
      if (!value) {
        problem(key, "the default " + value.error().what, "");
        continue;
      }
      // A limit at its default is the rule's own business: Settings holds only what the user set.
      if (!key.starts_with("rules.")) store(outcome_.settings, key, *value);
      outcome_.values[key] = value->text;
      outcome_.origin[key] = "default";
    }
  }

  void file(const std::filesystem::path& path) {
    const auto bytes = read_file(path);
    if (!bytes) return whole_file(bytes.error().text());
    file_ = clean_text(path.string());
    const auto root = parse_yaml(*bytes);
    if (!root) return whole_file(file_ + " " + root.error().what);
    if (root->kind == Kind::Null) return;
    if (root->kind != Kind::Map) return whole_file(file_ + " is not a list of keys and values (profile: …), at line 1");
    section("", *root);
  }

  void override_with(const std::string& key, const std::string& text) {
    const auto option = options_.find(key);
    if (option == options_.end()) return unknown(key, ", on the command line");
    const auto value = parse_text(*option->second, text);
    if (!value) return problem(key, value.error().what, ", on the command line");
    take(key, *value, "command line");
  }

  /// Faults that only the whole shows.
  void whole(const WholeCheck& check) {
    const Settings& s = outcome_.settings;
    if (check)
      for (const Problem& found : check(s)) problem(found.key, found.message, place(found.key));
    for (const std::string& port : s.ports_expected) {
      const std::string device = port.substr(0, port.find('/'));
      for (const std::string& pattern : s.ports_exclude)
        if (matches_pattern(pattern, port) || matches_pattern(pattern, device))
          problem("ports.exclude",
                  "\"" + shown(pattern) + "\" excludes " + shown(port) + ", which ports.expected names",
                  place("ports.exclude"));
    }
  }

  LoadOutcome outcome() && {
    if (count_ > kMostProblems)
      problems_.push_back({"", "… and " + std::to_string(count_ - kMostProblems) + " more problems"});
    if (!problems_.empty()) return {std::nullopt, std::move(problems_)};
    return {std::move(outcome_), {}};
  }

 private:
  void whole_file(std::string message) {
    ++count_;
    problems_.push_back({"", std::move(message)});
  }
  void problem(const std::string& key, const std::string& message, const std::string& where) {
    if (++count_ > kMostProblems) return;
    problems_.push_back({shown(key), shown(key) + ": " + message + where});
  }
  void unknown(const std::string& key, const std::string& where) {
    if (++count_ > kMostProblems) return;
    const std::string near = key.size() > 100 ? "" : nearest_of(key, known_);
    problems_.push_back(
        {shown(key), shown(key) + ": unknown key" + where + (near.empty() ? "" : "; did you mean " + near + "?")});
  }
  static std::string at(const YamlNode& node) { return ", at line " + std::to_string(node.line); }
  /// Where a value came from, for a fault that is found later.
  [[nodiscard]] std::string place(const std::string& key) const {
    const std::string& origin = outcome_.origin.at(key);
    if (origin == "command line") return ", on the command line";
    const auto colon = origin.rfind(':');
    return colon == std::string::npos ? "" : ", at line " + origin.substr(colon + 1);
  }
  void take(const std::string& key, const Value& value, std::string origin) {
    store(outcome_.settings, key, value);
    outcome_.values[key] = value.text;
    outcome_.origin[key] = std::move(origin);
  }

  void section(const std::string& path, const YamlNode& map) {
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const YamlNode& key = map.children[i];
      if (key.kind != Kind::Scalar || key.text.empty() || key.tagged) {
        problem(path.empty() ? "(top)" : path, "has a key that is not a plain word", at(key));
        continue;
      }
      entry(path.empty() ? key.text : path + "." + key.text, key, map.children[i + 1]);
    }
  }

  void entry(const std::string& key, const YamlNode& name, const YamlNode& node) {
    const auto option = options_.find(key);
    const bool is_section = sections_.contains(key);
    if (option == options_.end() && !is_section) return unknown(key, at(name));
    const auto [seen, first] = lines_.emplace(key, name.line);
    if (!first)
      return problem(key, "is set twice, first at line " + std::to_string(seen->second) + " and again", at(name));
    if (node.tagged) return problem(key, "has a !tag; write the value alone", at(name));
    if (node.kind == Kind::Alias) return problem(key, "is an alias (*name); write the value itself", at(name));
    if (option != options_.end()) return value(*option->second, name, node);
    if (node.kind == Kind::Map) return section(key, node);
    // A section whose keys are all commented out.
    if (node.kind == Kind::Null) return;
    std::vector<std::string> inside;
    for (const auto& [known, unused] : options_)
      if (known.starts_with(key + ".")) inside.push_back(known.substr(key.size() + 1));
    problem(key, "is a section (" + first_words(inside, 4) + "), not a value", at(name));
  }

  /// One entry of a list of entries; every fault of it is told.
  Record record(const Option& option, const std::string& path, const YamlNode& node) {
    std::vector<std::string> names;
    for (const Option& field : option.fields) names.push_back(field.key);
    Record out;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const YamlNode &key = node.children[i], &text = node.children[i + 1];
      const auto field = std::find_if(option.fields.begin(), option.fields.end(), [&](const Option& one) {
        return key.kind == Kind::Scalar && one.key == key.text;
      });
      if (field == option.fields.end()) {
        const std::string near = key.text.size() > 100 ? "" : nearest_of(key.text, names);
        problem(path,
                "has an unknown key \"" + shown(key.text) + "\"" + (near.empty() ? "" : "; did you mean " + near + "?"),
                at(key));
        continue;
      }
      const std::string where = path + "." + field->key;
      if (!field_of(out, field->key).text.empty()) {
        problem(where, "is set twice in one entry", at(key));
      } else if (text.kind != Kind::Scalar || text.tagged || trim(text.text).empty()) {
        problem(where, "takes one value (" + type_text(*field) + ")", at(key));
        out.push_back({field->key, Value{"?", {}, 0, 0}});
      } else if (auto value = parse_value(*field, text.text)) {
        out.push_back({field->key, std::move(*value)});
      } else {
        problem(where, value.error().what, at(key));
        out.push_back({field->key, Value{"?", {}, 0, 0}});
      }
    }
    for (const Option& field : option.fields)
      if (!field.optional && field_of(out, field.key).text.empty())
        problem(path, "lacks " + field.key + ": " + field.help, at(node));
    return out;
  }

  void records(const Option& option, const YamlNode& name, const YamlNode& node) {
    constexpr std::size_t kMostEntries = 1024;
    if (node.kind != Kind::List) return problem(option.key, "takes a " + type_text(option), at(name));
    if (node.children.size() > kMostEntries)
      return problem(option.key, "has more than " + std::to_string(kMostEntries) + " entries", at(name));
    Value value;
    for (const YamlNode& item : node.children) {
      const std::string path = option.key + "[" + std::to_string(value.records.size()) + "]";
      if (item.kind == Kind::Map && !item.tagged) {
        value.records.push_back(record(option, path, item));
      } else {
        problem(path, "is not an entry of keys and values; " + option.key + " takes a " + type_text(option), at(item));
        value.records.emplace_back();
      }
    }
    value.text = records_text(value.records);
    take(option.key, value, file_ + ":" + std::to_string(name.line));
  }

  void value(const Option& option, const YamlNode& name, const YamlNode& node) {
    if (option.type == OptionType::Records) return records(option, name, node);
    const auto refuse = [&](const std::string& message) { problem(option.key, message, at(name)); };
    const std::string wanted =
        option.type == OptionType::TextList ? "a " + type_text(option) : "one value (" + type_text(option) + ")";
    if (node.kind == Kind::Null) return refuse("has no value; write one or remove the line");
    if (node.kind == Kind::Map) return refuse("is a section here; it takes " + wanted);
    Result<Value> value = Value{};
    if (node.kind == Kind::Scalar) {
      value = parse_value(option, node.text);
    } else if (option.type != OptionType::TextList) {
      return refuse(option.type == OptionType::Endpoint ? "is a list here; quote the address: \"[::]:9885\""
                                                        : "is a list here; it takes " + wanted);
    } else {
      std::vector<std::string> items;
      for (const YamlNode& item : node.children) {
        if (item.kind != Kind::Scalar || item.tagged)
          return problem(option.key, "has an entry that is not plain text", at(item));
        items.push_back(item.text);
      }
      value = parse_list(option, items);
    }
    if (!value) return refuse(value.error().what);
    take(option.key, *value, file_ + ":" + std::to_string(name.line));
  }

  std::map<std::string, const Option*> options_;
  std::vector<std::string> known_;            ///< keys and sections, for nearest_of
  std::set<std::string> sections_;            ///< every proper prefix of a key
  std::map<std::string, std::size_t> lines_;  ///< where a key or section was first seen in the file
  std::string file_;
  Loaded outcome_;
  std::vector<Problem> problems_;
  std::size_t count_ = 0;
};

}  // namespace

LoadOutcome load(const std::optional<std::filesystem::path>& file, const std::vector<Option>& options,
                 const std::map<std::string, std::string>& overrides, const WholeCheck& check) {
  Loading loading(options);
  loading.defaults();
  if (file) loading.file(*file);
  for (const auto& [key, text] : overrides) loading.override_with(key, text);
  loading.whole(check);
  return std::move(loading).outcome();
}

}  // namespace roceready::config
