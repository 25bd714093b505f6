// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <fstream>

#include "collectors/sampler.h"
#include "daemon/record_writer.h"
#include "tests/doubles/counting_host.h"
#include "tests/hosts/pipeline.h"
#include "tests/hosts/stories.h"

namespace roceready::hosts {

void record_absences(Recording& recording) {
  RecordedHost recorded(recording);
  doubles::CountingHost counting(recorded.host());
  Host host = counting.host();
  SamplerOptions options;
  options.selection = selection_of(recording.info);
  Sampler sampler(options);
  for (std::size_t i = 0; i < recording.samples.size(); ++i) {
    recorded.select(i);
    (void)sampler.sample(host);
  }
  for (const auto& [key, count] : counting.asked()) {
    const bool of_files = !key.starts_with("netlink/") && !key.starts_with("ethtool/") && !key.starts_with("verbs/");
    if (!of_files || recording.find(0, key) != nullptr) continue;
    Answer absent;
    absent.kind = Answer::Kind::Refused;
    const bool prefixed = key.starts_with("list/") || key.starts_with("link/");
    absent.error = os_error(ENOENT, "no such file or directory", "/" + key.substr(prefixed ? 5 : 0));
    recording.samples.front().answers[key] = absent;
  }
}

Result<void> write_story(const std::filesystem::path& directory, const Story& story) {
  const std::filesystem::path home = directory / story.name;
  if (auto written = write_recording(home, story.recording); !written) return written;
  std::ofstream out(home / "expect.json");
  out << story.expect.dump(1) << "\n";
  if (!out) return Error{ErrorCode::Io, "cannot write", (home / "expect.json").string()};
  return {};
}

}  // namespace roceready::hosts
