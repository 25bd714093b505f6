// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/json_text.h"

#include <algorithm>

namespace roceready::evidence {
namespace {

constexpr std::string_view kOwner = "ifname";
constexpr std::size_t kMostMembers = 2048;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? nullptr : &values[static_cast<std::size_t>(at - names.begin())];
}

std::string_view JsonValue::word(std::string_view name) const {
  const JsonValue* member = find(name);
  const bool plain = member != nullptr && (member->kind == Kind::Text || member->kind == Kind::Word);
  return plain ? std::string_view(member->text) : std::string_view();
}

void JsonReader::take(const Line& line) {
  line_ = line.number;
  const std::string_view text = line.text;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      string(text, at);
      continue;
    }
    if (is_blank(c)) {
    } else if (c == '{' || c == '[') {
      begin(c == '{' ? JsonValue::Kind::Object : JsonValue::Kind::Array);
    } else if (c == '}') {
      close_object();
    } else if (c == ']') {
      close_array();
    } else if (c == ',') {
      commit();
    } else if (c == ':') {
      if (pending_ && pending_->kind == JsonValue::Kind::Text && !name_)
        name_ = std::move(pending_->text);
      else
        damage();
      pending_.reset();
    } else {
      const std::size_t from = at;
      at = std::min(text.find_first_of(",:]}[{\" \t", at), text.size());
      if (pending_) damage();
      pending_ = JsonValue{};
      pending_->text = std::string(text.substr(from, at - from));
      pending_->line = pending_->last_line = line_;
      continue;
    }
    ++at;
  }
}

/// A text that does not end on its line was cut.
void JsonReader::string(std::string_view text, std::size_t& at) {
  std::string out;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    out += text[at];
  }
  if (pending_) damage();
  pending_.reset();
  if (at >= text.size()) {
    name_.reset();
    return damage();
  }
  ++at;
  JsonValue value;
  value.kind = JsonValue::Kind::Text;
  value.text = std::move(out);
  value.line = value.last_line = line_;
  pending_ = std::move(value);
}

void JsonReader::begin(JsonValue::Kind kind) {
  if (pending_) damage(), pending_.reset();
  if (too_deep_ > 0 || stack_.size() >= kDeepest) {
    ++too_deep_;
    name_.reset();
    return;
  }
  // An object has members with names: what stands here is the next one, and the end of the last is lost.
  if (kind == JsonValue::Kind::Object && !name_ && !stack_.empty() &&
      stack_.back().value.kind == JsonValue::Kind::Object)
    pop(false);
  Level level;
  level.value.kind = kind;
  level.value.line = line_;
  level.name = name_ ? *std::exchange(name_, std::nullopt) : std::string();
  stack_.push_back(std::move(level));
}

void JsonReader::damage() {
  if (!stack_.empty()) stack_.back().value.whole = false;
}

/// What waited is followed by what has to follow it.
void JsonReader::commit() {
  std::optional<JsonValue> value = std::exchange(pending_, std::nullopt);
  std::optional<std::string> name = std::exchange(name_, std::nullopt);
  if (!value || too_deep_ > 0) return;
  const bool in_object = !stack_.empty() && stack_.back().value.kind == JsonValue::Kind::Object;
  if (name && !in_object) {  // the line that begins the object is lost
    begin(JsonValue::Kind::Object);
    if (too_deep_ > 0) return;
    damage();
  }
  if (!name && (in_object || stack_.empty())) return damage();
  attach(name.value_or(""), std::move(*value));
}

void JsonReader::attach(std::string name, JsonValue value) {
  if (stack_.empty()) return;
  JsonValue* into = &stack_.back().value;
  if (into->values.size() >= kMostMembers) return damage();
  if (into->kind == JsonValue::Kind::Object) {
    if (into->find(name) != nullptr) {
      Level next;
      next.name = stack_.back().name;
      next.value.kind = JsonValue::Kind::Object;
      next.value.line = value.line;
      next.value.whole = false;
      pop(false);
      stack_.push_back(std::move(next));
      into = &stack_.back().value;
    }
    into->names.push_back(std::move(name));
  }
  into->values.push_back(std::move(value));
}

/// Ends the innermost object or array.
void JsonReader::pop(bool whole) {
  Level level = std::move(stack_.back());
  stack_.pop_back();
  level.value.whole = level.value.whole && whole;
  level.value.last_line = line_;
  if (level.value.kind == JsonValue::Kind::Object && !level.value.word(kOwner).empty())
    done_.push_back(std::move(level.value));
  else if (!level.name.empty() || (!stack_.empty() && stack_.back().value.kind == JsonValue::Kind::Array))
    attach(std::move(level.name), std::move(level.value));
}

void JsonReader::close_object() {
  if (too_deep_ > 0) return static_cast<void>(--too_deep_);
  commit();
  const auto is_object = [](const Level& level) { return level.value.kind == JsonValue::Kind::Object; };
  if (std::none_of(stack_.begin(), stack_.end(), is_object)) return;
  while (!is_object(stack_.back())) pop(false);
  pop(true);
}

void JsonReader::close_array() {
  if (too_deep_ > 0) return static_cast<void>(--too_deep_);
  commit();
  const auto is_array = [](const Level& level) { return level.value.kind == JsonValue::Kind::Array; };
  if (std::none_of(stack_.begin(), stack_.end(), is_array)) {
    while (!stack_.empty()) pop(false);
    return;
  }
  while (!is_array(stack_.back())) pop(false);
  pop(true);
}

void JsonReader::end() {
  name_.reset();
  pending_.reset();
  too_deep_ = 0;
  while (!stack_.empty()) pop(false);
}

}  // namespace roceready::evidence
