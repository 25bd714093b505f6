// SPDX-License-Identifier: Apache-2.0
#include "probes/file_sd.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <sstream>
#include <utility>

#include "core/base/text.h"
#include "probes/bounded_json.h"

#include <nlohmann/json.hpp>

namespace roceready::probes {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

Error malformed(std::string what, std::string where = "") {
  return Error{ErrorCode::Malformed, std::move(what), std::move(where)};
}

/// What stops the parser from inside an event.
struct NotFileSd : std::exception {
  NotFileSd(std::string said, const YAML::Mark& mark)
      : what_is_wrong(std::move(said) + ", at line " + std::to_string(mark.line < 0 ? 1 : mark.line + 1)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_is_wrong.c_str(); }
  std::string what_is_wrong;
};

/// Takes the groups from parser events. No alias is followed and nothing but the form itself is kept, so that a small
/// file stays small.
class GroupBuilder : public YAML::EventHandler {
 public:
  explicit GroupBuilder(std::size_t most) : left_(most) {}
  std::vector<FileSdGroup> groups;

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (place_ == Place::Targets || place_ == Place::Labels || place_ == Place::LabelValue || !key_.empty())
      throw NotFileSd("has an empty entry", mark);
    if (place_ != Place::Top) throw NotFileSd("has an empty group", mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw NotFileSd("has an alias, which is not followed", mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    if (place_ == Place::Top)
      place_ = Place::List;
    else if (place_ == Place::Group && key_ == "targets")
      place_ = Place::Targets;
    else
      throw NotFileSd("has a list where none belongs", mark);
  }
  void OnSequenceEnd() override {
    place_ = place_ == Place::Targets ? Place::Group : Place::End;
    key_.clear();
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    if (place_ == Place::List) {
      place_ = Place::Group;
      count(mark);
      groups.emplace_back();
    } else if (place_ == Place::Group && key_ == "labels") {
      place_ = Place::Labels;
    } else {
      throw NotFileSd("has a map where none belongs", mark);
    }
  }
  void OnMapEnd() override {
    place_ = place_ == Place::Labels ? Place::Group : Place::List;
    key_.clear();
  }

 private:
  enum class Place { Top, List, Group, Targets, Labels, LabelValue, End };
  void count(const YAML::Mark& mark) {
    if (left_ == 0) throw NotFileSd("has too many entries", mark);
    --left_;
  }

  Place place_ = Place::Top;
  std::string key_;    ///< of the group's member that is being read
  std::string label_;  ///< name of the label whose value comes next
  std::size_t left_;
};

void GroupBuilder::OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                            const std::string& value) {
  switch (place_) {
    case Place::Group:
      if (!key_.empty()) throw NotFileSd("has a text where " + key_ + " belong", mark);
      if (value != "targets" && value != "labels")
        throw NotFileSd("has an unknown member \"" + clean_text(value.substr(0, 64)) + "\"", mark);
      key_ = value;
      return;
    case Place::Targets:
      count(mark);
      groups.back().targets.push_back(value);
      return;
    case Place::Labels:
      label_ = value;
      place_ = Place::LabelValue;
      return;
    case Place::LabelValue:
      count(mark);
      groups.back().labels[std::exchange(label_, {})] = value;
      place_ = Place::Labels;
      return;
    default:
      throw NotFileSd("is not a list of {targets, labels}", mark);
  }
}

Result<std::vector<FileSdGroup>> from_yaml(std::string_view text, std::size_t most) {
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    GroupBuilder builder(most);
    parser.HandleNextDocument(builder);
    GroupBuilder second(0);
    if (parser.HandleNextDocument(second)) return malformed("has a second document");
    return std::move(builder.groups);
  } catch (const NotFileSd& stop) {
    return malformed(stop.what_is_wrong);
  } catch (const YAML::Exception& failure) {
    return malformed("is neither JSON nor YAML: " + clean_text(failure.msg) + ", at line " +
                     std::to_string(failure.mark.line < 0 ? 1 : failure.mark.line + 1));
  } catch (const std::exception& failure) {
    return malformed("is neither JSON nor YAML: " + clean_text(failure.what()));
  }
}

/// One group, or what is wrong with it.
Result<FileSdGroup> group_from_json(const json& from, std::size_t& left) {
  if (!from.is_object()) return malformed("is not {targets, labels}");
  FileSdGroup out;
  for (const auto& [key, value] : from.items()) {
    if (key == "targets" && value.is_array()) {
      for (const json& target : value) {
        if (!target.is_string()) return malformed("has a target that is not a text");
        if (left-- == 0) return malformed("has too many entries");
        out.targets.push_back(target.get<std::string>());
      }
    } else if (key == "labels" && value.is_object()) {
      for (const auto& [name, label] : value.items()) {
        if (!label.is_string()) return malformed("has a label that is not a text");
        if (left-- == 0) return malformed("has too many entries");
        out.labels[name] = label.get<std::string>();
      }
    } else {
      return malformed("has a member \"" + clean_text(std::string_view(key).substr(0, 64)) +
                       "\" that is neither a list targets nor a map labels");
    }
  }
  return out;
}

Result<std::vector<FileSdGroup>> from_json(const json& from, std::size_t most) {
  if (!from.is_array()) return malformed("is not a list of {targets, labels}");
  std::vector<FileSdGroup> out;
  std::size_t left = most;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (left-- == 0) return malformed("has too many entries");
    Result<FileSdGroup> group = group_from_json(from[i], left);
    if (!group) return malformed(group.error().what, "[" + std::to_string(i) + "]");
    out.push_back(std::move(*group));
  }
  return out;
}

}  // namespace

Result<std::vector<FileSdGroup>> parse_file_sd(std::string_view text, std::size_t most) {
  if (text.size() > kLargestFile) return malformed("is larger than 16 MiB");
  // JSON first: it is YAML too, but for tabs and for characters written as two escapes.
  if (const Result<json> parsed = parse_bounded(text, kLargestFile)) return from_json(*parsed, most);
  return from_yaml(text, most);
}

}  // namespace roceready::probes
