// SPDX-License-Identifier: Apache-2.0
#include "daemon/record_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/host/recording_format.h"

namespace roceready {
namespace {

namespace fs = std::filesystem;
using namespace recording_format;
using Json = nlohmann::ordered_json;

std::string shown(const fs::path& path) {
  return clean_text(path.native());
}

Error usage(std::string what, std::string where) {
  return Error{ErrorCode::Usage, std::move(what), std::move(where), 0};
}

Result<void> write_file(const fs::path& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0) return os_error(errno, "cannot create", shown(path));
  int failed = 0;
  while (!content.empty() && failed == 0) {
    const ssize_t wrote = ::write(fd, content.data(), content.size());
    if (wrote >= 0)
      content.remove_prefix(static_cast<std::size_t>(wrote));
    else if (errno != EINTR)
      failed = errno;
  }
  // Some file systems report a full disk only here.
  if (::close(fd) != 0 && failed == 0) failed = errno;
  if (failed != 0) return os_error(failed, "cannot write", shown(path));
  return {};
}

Result<void> make_directories(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return os_error(failed.value(), "cannot create", shown(path));
  return {};
}

/// A string where it is text, {"hex": …} where it is not.
Json json_of(const std::string& bytes) {
  if (is_text(bytes)) return bytes;
  std::string hex = to_hex(bytes);
  std::erase(hex, '\n');
  return Json{{"hex", hex}};
}

Json json_of(const Error& error) {
  Json json = Json::object();
  json["code"] = name_of(error.code);
  if (error.os_error != 0) json["errno"] = errno_name(error.os_error);
  json["what"] = json_of(error.what);
  json["where"] = json_of(error.where);
  return json;
}

/// All strings in it are valid UTF-8, or come from a person: those are cleaned, not refused.
std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json json_of(const RecordedHostInfo& info) {
  Json json = Json::object();
  json["format"] = kFormat;
  json["layout"] = info.layout;
  json["origin"] = info.origin;
  json["description"] = info.description;
  json["profile"] = info.profile;
  json["kernel"] = info.kernel;
  json["driver"] = info.driver;
  json["recorded_by"] = info.recorded_by;
  json["redacted"] = info.redacted;
  json["include"] = info.include;
  json["exclude"] = info.exclude;
  json["expected"] = info.expected;
  return json;
}

std::string clock_line(const RecordedSample& sample, bool unchanged) {
  Json json = Json::object();
  Json& clock = json["clock"] = Json::array();
  for (const Instant& reading : sample.clock)
    clock.push_back({{"monotonic_ns", reading.monotonic_ns}, {"wall_ns", reading.wall_ns}});
  if (unchanged) json["unchanged"] = true;
  return json.dump();
}

/// Encoded keys that are a directory of another key, and therefore cannot be a file: a symbolic link below the target
/// of another has such a key.
std::set<std::string> parents_of(const std::map<std::string, Answer>& answers) {
  std::set<std::string> parents;
  for (const auto& [key, answer] : answers) {
    if (answer.kind != Answer::Kind::Data) continue;
    const std::string encoded = encode_key(key);
    if (!can_be_path(encoded)) continue;
    for (std::size_t slash = encoded.find('/'); slash != std::string::npos; slash = encoded.find('/', slash + 1))
      parents.insert(encoded.substr(0, slash));
  }
  return parents;
}

Result<void> check_sizes(const RecordedSample& sample) {
  if (sample.clock.empty()) return usage("a sample without a reading of the clock", "recording");
  if (sample.answers.size() > kMaxAnswers) return usage("more than 100000 answers in a sample", "recording");
  for (const auto& [key, answer] : sample.answers)
    if (answer.data.size() > kMaxFileBytes / 3)  // as hexadecimal with its line breaks it must fit a file
      return usage("an answer is longer than 5 MiB", clean_text(key));
  return {};
}

}  // namespace

Result<RecordWriter> RecordWriter::create(const fs::path& directory, const RecordedHostInfo& info) {
  if (info.layout != "raw") return usage("only layout raw is written here, not " + info.layout, shown(directory));
  RecordWriter writer(directory);
  std::error_code failed;
  writer.created_directory_ = fs::create_directory(directory, failed);
  if (failed) {
    writer.active_ = false;
    return os_error(failed.value(), "cannot create", shown(directory));
  }
  if (!writer.created_directory_ && !fs::is_empty(directory, failed)) {
    writer.active_ = false;
    if (failed) return os_error(failed.value(), "cannot list", shown(directory));
    return usage("the directory is not empty; a recording needs one of its own", shown(directory));
  }
  if (auto done = write_file(directory / kHostFile, dump(json_of(info))); !done) return done.error();
  return writer;
}

RecordWriter::RecordWriter(RecordWriter&& other) noexcept
    : directory_(std::move(other.directory_)),
      created_directory_(other.created_directory_),
      active_(std::exchange(other.active_, false)),
      failed_(std::move(other.failed_)),
      latest_(std::move(other.latest_)),
      clock_(std::move(other.clock_)) {}

RecordWriter::~RecordWriter() {
  if (active_) discard();
}

Result<void> RecordWriter::add(const RecordedSample& sample) {
  if (failed_) failed_ = write_sample(sample);
  return failed_;
}

Result<void> RecordWriter::describe(const RecordedHostInfo& info) {
  if (!failed_) return failed_;
  std::error_code ignored;  // where it cannot be removed, writing it anew says why
  fs::remove(directory_ / kHostFile, ignored);
  failed_ = write_file(directory_ / kHostFile, dump(json_of(info)));
  return failed_;
}

Result<void> RecordWriter::write_sample(const RecordedSample& sample) {
  if (auto fits = check_sizes(sample); !fits) return fits;
  if (clock_.size() >= kMaxSamples) return usage("more than 100000 samples", shown(directory_));
  std::map<std::string, Answer> changed;
  for (const auto& [key, answer] : sample.answers) {
    const auto before = latest_.find(key);
    if (before != latest_.end() && before->second == answer) continue;
    changed[key] = answer;
    latest_[key] = answer;
  }
  // The first sample always has its directory: an empty recording is told from a damaged one.
  const bool unchanged = changed.empty() && !clock_.empty();
  if (!unchanged) {
    const fs::path directory = directory_ / sample_directory(clock_.size());
    if (auto made = make_directories(directory); !made) return made;
    if (auto written = write_answers(directory, changed); !written) return written;
  }
  clock_.push_back(clock_line(sample, unchanged));
  return {};
}

Result<void> RecordWriter::write_answers(const fs::path& directory, const std::map<std::string, Answer>& changed) {
  const std::set<std::string> parents = parents_of(changed);
  Json data = Json::object(), lists = Json::object(), refused = Json::object();
  for (const auto& [key, answer] : changed) {
    const std::string encoded = encode_key(key);
    if (answer.kind == Answer::Kind::List) {
      Json& items = lists[encoded] = Json::array();
      for (const std::string& item : answer.items) items.push_back(json_of(item));
    } else if (answer.kind == Answer::Kind::Refused) {
      refused[encoded] = json_of(answer.error);
    } else if (!can_be_path(encoded) || encoded.starts_with("link/") || parents.contains(encoded)) {
      data[encoded] = json_of(answer.data);
    } else {
      const bool text = is_text(answer.data);
      const fs::path path = directory / (text ? encoded : encoded + kHexSuffix);
      if (auto made = make_directories(path.parent_path()); !made) return made;
      if (auto done = write_file(path, text ? answer.data : to_hex(answer.data)); !done) return done;
    }
  }
  const std::pair<const char*, const Json*> files[] = {
      {kDataFile, &data}, {kListsFile, &lists}, {kRefusedFile, &refused}};
  for (const auto& [name, json] : files) {
    if (json->empty()) continue;
    if (auto done = write_json(directory / name, dump(*json)); !done) return done;
  }
  return {};
}

Result<void> RecordWriter::write_json(const fs::path& path, const std::string& text) {
  if (text.size() > kMaxFileBytes) return usage("the answers of one sample are longer than 16 MiB", shown(path));
  return write_file(path, text);
}

Result<void> RecordWriter::finish() {
  if (!failed_) return failed_;
  if (clock_.empty()) return failed_ = usage("a recording without a sample", shown(directory_));
  std::string text = "{\"samples\": [\n";
  for (std::size_t i = 0; i < clock_.size(); ++i) text += " " + clock_[i] + (i + 1 < clock_.size() ? ",\n" : "\n");
  text += "]}\n";
  failed_ = write_json(directory_ / kClockFile, text);
  if (failed_) active_ = false;
  return failed_;
}

/// Only names that a recording has: whatever else somebody put there meanwhile stays.
void RecordWriter::discard() noexcept {
  std::error_code ignored;
  for (std::size_t i = 0; i <= clock_.size(); ++i) fs::remove_all(directory_ / sample_directory(i), ignored);
  fs::remove(directory_ / kHostFile, ignored);
  fs::remove(directory_ / kClockFile, ignored);
  if (created_directory_) fs::remove(directory_, ignored);
}

Result<void> write_recording(const fs::path& directory, const Recording& recording) {
  auto writer = RecordWriter::create(directory, recording.info);
  if (!writer) return writer.error();
  for (const RecordedSample& sample : recording.samples)
    if (auto added = writer->add(sample); !added) return added;
  return writer->finish();
}

}  // namespace roceready
