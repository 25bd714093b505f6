// SPDX-License-Identifier: Apache-2.0
#include "daemon/evidence/record.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/snapshot/snapshot_json.h"
#include "daemon/evidence/places.h"
#include "daemon/export/json.h"
#include "daemon/setup.h"
#include "daemon/version.h"

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Result<void> write_file(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return {};
  return Error{ErrorCode::Io, "cannot write: " + std::string(std::strerror(errno)), path.string(), errno};
}

/// Makes a directory or takes an empty one.
Result<void> make_directory(const fs::path& directory) {
  std::error_code fault;
  fs::create_directory(directory, fault);
  if (fault) return os_error(fault.value(), "cannot be made", directory.string());
  if (!fs::is_directory(directory, fault) || !fs::is_empty(directory, fault))
    return Error{ErrorCode::Usage, "is not an empty directory", directory.string(), 0};
  return {};
}

std::string host_json(const std::string& profile, const Snapshot& newest) {
  Json out;
  out["format"] = "roceready.host/1";
  out["layout"] = "snapshot";
  out["origin"] = "from files of other tools";
  out["description"] = "Made of evidence with roceready record --from-evidence.";
  out["profile"] = profile;
  out["kernel"] = newest.node.kernel.value_or("");
  std::set<std::string> drivers;
  for (const Netdev& netdev : newest.netdevs) {
    if (netdev.ethtool.driver) drivers.insert(netdev.ethtool.driver->driver);
  }
  std::string list;
  for (const std::string& driver : drivers) list += (list.empty() ? "" : ", ") + driver;
  out["driver"] = list;
  out["recorded_by"] = "roceready " + version();
  return out.dump(1) + "\n";
}

Result<void> write_host(const fs::path& directory, const evidence::HostEvidence& host, const rules::Report& report,
                        const Configuration& configuration) {
  if (auto made = make_directory(directory); !made) return made;
  nlohmann::json snapshots = nlohmann::json::array();
  for (const Snapshot& snapshot : host.snapshots) snapshots.push_back(to_json(snapshot));
  const std::pair<const char*, std::string> files[] = {
      {"snapshots.json", snapshots.dump(1) + "\n"},
      {"config.yaml", config::print(configuration.loaded, all_options())},
      {"report.json", report_json(report)},
      {kPlacesFile, places_json(host.draft)},
      {"host.json", host_json(configuration.loaded.settings.profile, host.snapshots.back())}};
  for (const auto& [name, text] : files) {
    if (auto done = write_file(directory / name, text); !done) return done;
  }
  return {};
}

/// A host's name as one component of a path.
std::string folder_name(const std::string& host) {
  std::string out = host.empty() ? "host" : host;
  for (char& c : out) {
    if (c == '/' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  return out[0] == '.' ? "_" + out : out;
}

}  // namespace

Result<std::vector<fs::path>> record_evidence(const EvidenceRequest& request, const fs::path& directory) {
  const auto configuration = load_foreign_configuration(request.config_file, request.overrides);
  if (!configuration) return configuration.error();
  const auto judged = judge_evidence(request);
  if (!judged) return judged.error();
  if (judged->read.empty())
    return Error{ErrorCode::Usage, "nothing in these files speaks of RoCE; nothing was recorded", "", 0};
  std::vector<fs::path> out;
  const bool several = judged->read.size() > 1;
  std::error_code ignored;
  if (several) {
    if (auto made = make_directory(directory); !made) return made.error();
  }
  for (std::size_t i = 0; i < judged->read.size(); ++i) {
    const fs::path target = several ? directory / folder_name(judged->read[i].name) : directory;
    const bool empty_before = fs::exists(target, ignored);
    if (auto done = write_host(target, judged->read[i], *judged->hosts[i], *configuration); !done) {
      if (!empty_before) fs::remove_all(target, ignored);
      return done.error();
    }
    out.push_back(target);
  }
  return out;
}

}  // namespace roceready::daemon
