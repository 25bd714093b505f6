// SPDX-License-Identifier: Apache-2.0
#include "core/host/recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/host/recording_format.h"

namespace roceready {
namespace {

namespace fs = std::filesystem;
using namespace recording_format;

std::string shown(const fs::path& path) {
  return clean_text(path.native());
}

Error malformed(std::string what, const fs::path& path) {
  return Error{ErrorCode::Malformed, std::move(what), shown(path), 0};
}

/// Whole content of a regular file. Symbolic links, devices and pipes are refused: a recording may come from anybody.
Result<std::string> read_file(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    if (errno == ELOOP) return malformed("is a symbolic link, which a recording must not contain", path);
    return os_error(errno, "cannot open", shown(path));
  }
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } const closer{fd};
  struct stat info {};
  if (::fstat(fd, &info) != 0) return os_error(errno, "cannot look at", shown(path));
  if (!S_ISREG(info.st_mode)) return malformed("is not a regular file", path);
  std::string out;
  for (;;) {
    char chunk[16384];
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_error(errno, "cannot read", shown(path));
    if (got == 0) return out;
    out.append(chunk, static_cast<std::size_t>(got));
    if (out.size() > kMaxFileBytes) return malformed("is longer than 16 MiB", path);
  }
}

/// Names in a directory, sorted, so that damage is reported in the same order everywhere.
Result<std::vector<std::string>> names_in(const fs::path& directory) {
  std::error_code failed;
  fs::directory_iterator entry(directory, failed);
  std::vector<std::string> names;
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    names.push_back(entry->path().filename().native());
    if (names.size() > kMaxAnswers) return malformed("has more than 100000 entries", directory);
  }
  if (failed) return os_error(failed.value(), "cannot list", shown(directory));
  std::sort(names.begin(), names.end());
  return names;
}

/// Reads one sample's directory.
class SampleReader {
 public:
  SampleReader(fs::path directory, std::size_t& total_bytes)
      : directory_(std::move(directory)), total_bytes_(total_bytes) {}

  Result<void> read(RecordedSample& sample) {
    const auto names = names_in(directory_);
    if (!names) return names.error();
    for (const std::string& name : *names) {
      const fs::path path = directory_ / name;
      Result<void> done;
      if (name == kDataFile || name == kListsFile || name == kRefusedFile)
        done = read_json(path, name, sample);
      else
        done = read_entry(path, name, 1, sample);
      if (!done) return done;
    }
    return {};
  }

 private:
  Result<std::string> read_counted(const fs::path& path) {
    auto content = read_file(path);
    if (!content) return content;
    total_bytes_ += content->size();
    if (total_bytes_ > kMaxTotalBytes) return malformed("the recording is larger than 1 GiB", path);
    return content;
  }

  Result<void> read_json(const fs::path& path, const std::string& name, RecordedSample& sample) {
    const auto text = read_counted(path);
    if (!text) return text.error();
    if (name == kDataFile) return parse_data(*text, shown(path), sample);
    if (name == kListsFile) return parse_lists(*text, shown(path), sample);
    return parse_refused(*text, shown(path), sample);
  }

  /// `relative`: path below the sample, still encoded.
  Result<void> read_entry(const fs::path& path, const std::string& relative, std::size_t depth,
                          RecordedSample& sample) {
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(path, failed);
    if (failed) return os_error(failed.value(), "cannot look at", shown(path));
    if (status.type() != fs::file_type::directory) return read_answer(path, relative, sample);
    if (depth >= kMaxDepth) return malformed("lies too deep", path);
    const auto names = names_in(path);
    if (!names) return names.error();
    for (const std::string& name : *names)
      if (auto done = read_entry(path / name, relative + "/" + name, depth + 1, sample); !done) return done;
    return {};
  }

  Result<void> read_answer(const fs::path& path, const std::string& relative, RecordedSample& sample) {
    const bool hexadecimal = relative.ends_with(kHexSuffix);
    auto key = decode_key(std::string_view(relative).substr(0, relative.size() - (hexadecimal ? 4 : 0)));
    if (!key || relative.find('/') == std::string::npos)
      return malformed("has a name that no recording gives to a file", path);
    if (sample.answers.size() >= kMaxAnswers) return malformed("more than 100000 answers in a sample", path);
    auto content = read_counted(path);
    if (!content) return content.error();
    Answer answer;
    if (hexadecimal) {
      auto bytes = from_hex(*content);
      if (!bytes) return malformed("is not hexadecimal", path);
      answer.data = std::move(*bytes);
    } else {
      answer.data = std::move(*content);
    }
    if (!sample.answers.emplace(std::move(*key), std::move(answer)).second)
      return malformed("answers a question that another file of this sample answers too", path);
    return {};
  }

  fs::path directory_;
  std::size_t& total_bytes_;
};

bool is_number(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Samples on disk that clock.json does not know would be lost in silence.
Result<void> check_directories(const fs::path& directory, const std::vector<SampleClock>& clock) {
  const auto names = names_in(directory);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!is_number(name)) continue;
    const auto index = parse_u64(name);
    if (!index || *index >= clock.size() || sample_directory(static_cast<std::size_t>(*index)) != name ||
        clock[static_cast<std::size_t>(*index)].unchanged)
      return malformed("is a sample that clock.json does not have", directory / name);
  }
  return {};
}

}  // namespace

bool Answer::operator==(const Answer& other) const {
  return kind == other.kind && data == other.data && items == other.items && error.code == other.error.code &&
         error.what == other.error.what && error.where == other.error.where && error.os_error == other.error.os_error;
}

const Answer* Recording::find(std::size_t sample, const std::string& key) const {
  if (samples.empty()) return nullptr;
  for (std::size_t i = std::min(sample, samples.size() - 1) + 1; i-- > 0;)
    if (const auto found = samples[i].answers.find(key); found != samples[i].answers.end()) return &found->second;
  return nullptr;
}

const char* name_of(EthtoolMessage message) {
  switch (message) {
    case EthtoolMessage::LinkInfo:
      return "link_info";
    case EthtoolMessage::LinkModes:
      return "link_modes";
    case EthtoolMessage::LinkState:
      return "link_state";
    case EthtoolMessage::Rings:
      return "rings";
    case EthtoolMessage::Pause:
      return "pause";
    case EthtoolMessage::Fec:
      return "fec";
  }
  return "unknown";
}

Result<RecordedHostInfo> read_host_info(const fs::path& directory) {
  const fs::path path = directory / kHostFile;
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_host_info(*text, shown(path));
}

Result<Recording> read_recording(const fs::path& directory) {
  auto info = read_host_info(directory);
  if (!info) return info.error();
  if (info->layout != "raw")
    return malformed("layout is " + info->layout + ", only raw holds samples of bytes", directory / kHostFile);
  const fs::path clock_path = directory / kClockFile;
  const auto clock_text = read_file(clock_path);
  if (!clock_text) return clock_text.error();
  auto clock = parse_clock(*clock_text, shown(clock_path));
  if (!clock) return clock.error();
  if (const auto known = check_directories(directory, *clock); !known) return known.error();

  Recording recording;
  recording.info = std::move(*info);
  std::size_t total_bytes = 0;
  for (std::size_t i = 0; i < clock->size(); ++i) {
    RecordedSample& sample = recording.samples.emplace_back();
    sample.clock = std::move((*clock)[i].readings);
    if ((*clock)[i].unchanged) continue;
    const fs::path path = directory / sample_directory(i);
    std::error_code failed;
    const auto type = fs::symlink_status(path, failed).type();
    if (type == fs::file_type::not_found) return os_error(ENOENT, "the sample is missing", shown(path));
    if (type != fs::file_type::directory) return malformed("is not a directory", path);
    if (const auto done = SampleReader(path, total_bytes).read(sample); !done) return done.error();
  }
  return recording;
}

}  // namespace roceready
