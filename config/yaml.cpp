// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include "core/base/text.h"

namespace roceready::config {
namespace {

/// What stops the parser from inside an event.
struct TooDeep : std::exception {
  explicit TooDeep(std::size_t at) : line(at) {}
  std::size_t line;
};

std::string at_line(std::size_t line) {
  return ", at line " + std::to_string(line);
}

/// A mark counts from 0, and is -1 where the parser has none.
std::size_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 1 : static_cast<std::size_t>(mark.line) + 1;
}

/// Builds the tree from parser events: unlike YAML::Load it follows no alias and bounds the depth as it goes.
class TreeBuilder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { add(YamlNode::Kind::Null, mark, "?"); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { add(YamlNode::Kind::Alias, mark, "?"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    add(YamlNode::Kind::Scalar, mark, tag).text = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::Kind::List, mark, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::Kind::Map, mark, tag);
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] YamlNode take() { return std::move(root_); }

 private:
  YamlNode& add(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    YamlNode node;
    node.kind = kind;
    node.line = line_of(mark);
    node.tagged = !(tag.empty() || tag == "?" || tag == "!");  // what the parser says of plain and quoted ones
    if (open_.empty()) return root_ = std::move(node);
    open_.back().children.push_back(std::move(node));
    return open_.back().children.back();
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    if (open_.size() == kDeepestNesting) throw TooDeep(line_of(mark));
    YamlNode node;
    node.kind = kind;
    node.line = line_of(mark);
    node.tagged = !(tag.empty() || tag == "?" || tag == "!");
    open_.push_back(std::move(node));
  }
  void close() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    if (open_.empty())
      root_ = std::move(node);
    else
      open_.back().children.push_back(std::move(node));
  }

  YamlNode root_;
  std::vector<YamlNode> open_;
};

Error malformed(std::string what, std::size_t line) {
  return Error{ErrorCode::Malformed, std::move(what) + at_line(line), "", 0};
}

/// What is most often wrong with a line that the parser refused.
std::string hint(std::string_view bytes, std::size_t line) {
  const auto rows = split(bytes, '\n');
  if (line == 0 || line > rows.size()) return "";
  const std::string_view row = rows[line - 1];
  if (row.find("[::") != std::string_view::npos) return "; an address in brackets needs quotes: \"[::]:9885\"";
  if (row.substr(0, row.find_first_not_of(" \t")).find('\t') != std::string_view::npos)
    return "; indent with spaces, not tabs";
  return "";
}

/// Line of the first byte that is not text, 0 when all is. Tabs and line ends are text.
std::size_t first_binary_line(std::string_view bytes) {
  std::size_t line = 0;
  for (const std::string_view row : split(bytes, '\n')) {
    ++line;
    std::string text(row.ends_with('\r') ? row.substr(0, row.size() - 1) : row);
    std::replace(text.begin(), text.end(), '\t', ' ');
    if (clean_text(text) != text) return line;
  }
  return 0;
}

}  // namespace

Result<YamlNode> parse_yaml(std::string_view bytes) {
  if (bytes.size() > kLargestFile) return Error{ErrorCode::Malformed, "is larger than 1 MiB", "", 0};
  if (const std::size_t line = first_binary_line(bytes); line != 0)
    return malformed("is not UTF-8 text: a control character or a stray byte", line);
  try {
    // The parser takes the end of the file for the end of an open quote, which then has swallowed the keys behind it.
    // An end-of-document mark within quotes is an error to it, and means nothing elsewhere.
    std::istringstream in(std::string(bytes) + "\n...\n");
    YAML::Parser parser(in);
    TreeBuilder builder;
    if (!parser.HandleNextDocument(builder)) return YamlNode{};
    YamlNode root = builder.take();
    TreeBuilder second;
    if (parser.HandleNextDocument(second)) return malformed("has a second document", second.take().line);
    return root;
  } catch (const TooDeep& stop) {
    return malformed("is nested deeper than " + std::to_string(kDeepestNesting) + " levels", stop.line);
  } catch (const YAML::Exception& failure) {
    // The mark may lie behind the last line of the user's, in what was added above.
    const auto rows = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
    const std::size_t line = std::min(line_of(failure.mark), rows);
    if (failure.msg == YAML::ErrorMsg::DOC_IN_SCALAR)
      return malformed("has a quote that is opened and not closed", line);
    return malformed("is not YAML: " + clean_text(failure.msg) + hint(bytes, line), line);
  } catch (const std::exception& failure) {
    return Error{ErrorCode::Malformed, std::string("is not YAML: ") + clean_text(failure.what()), "", 0};
  }
}

}  // namespace roceready::config
