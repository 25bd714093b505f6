// SPDX-License-Identifier: Apache-2.0
#include "collectors/memlock.h"

#include <array>
#include <optional>

#include "collectors/node_parse.h"
#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::array kUnitFolders{"/etc/systemd/system/", "/run/systemd/system/", "/usr/lib/systemd/system/",
                                  "/lib/systemd/system/"};

struct Found {
  std::uint64_t bytes;
  std::string source;
};

std::optional<Found> configured_default(Files& files) {
  std::optional<Found> found;
  const auto take = [&](const std::string& path) {
    const auto text = files.read(path);
    const auto limit = text ? parse_unit_limit(*text, "DefaultLimitMEMLOCK") : std::nullopt;
    if (limit) found = Found{*limit, path};
  };
  take("/etc/systemd/system.conf");
  if (const auto drop_ins = files.list("/etc/systemd/system.conf.d")) {
    for (const std::string& name : *drop_ins) {
      if (name.ends_with(".conf")) take("/etc/systemd/system.conf.d/" + name);
    }
  }
  return found;
}

/// Of the first process in the unit's control group.
Reading<std::uint64_t> limit_of_process(Files& files, const std::string& unit, std::string& source) {
  const auto processes = files.read("/sys/fs/cgroup/system.slice/" + unit + "/cgroup.procs");
  if (!processes) return processes.error();
  const auto pid = parse_u64(trim(std::string_view(*processes).substr(0, processes->find('\n'))));
  if (!pid) return Absent{Why::NotPresent, "no process of " + unit + " runs"};
  source = "/proc/" + std::to_string(*pid) + "/limits";
  const auto limits = files.read(source);
  if (!limits) return limits.error();
  const auto bytes = parse_max_locked_memory(*limits);
  if (!bytes) return Absent{Why::Malformed, source + " says nothing of locked memory"};
  return *bytes;
}

/// Of the unit's files; sets `exists` when there is a unit file.
std::optional<Found> limit_of_unit_files(Files& files, const std::string& unit, bool& exists) {
  std::optional<Found> found;
  const auto take = [&](const std::string& path) {
    const auto text = files.read(path);
    const auto limit = text ? parse_unit_limit(*text, "LimitMEMLOCK") : std::nullopt;
    if (limit) found = Found{*limit, path};
    return text.has_value();
  };
  for (const char* folder : kUnitFolders) {
    exists = take(folder + unit);
    if (exists) break;
  }
  for (auto folder = kUnitFolders.rbegin(); folder != kUnitFolders.rend(); ++folder) {  // /etc comes last and wins
    const std::string drop_ins = *folder + unit + ".d";
    const auto names = files.list(drop_ins);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (name.ends_with(".conf")) take(drop_ins + "/" + name);
    }
  }
  return found;
}

}  // namespace

std::vector<MemlockLimit> read_memlock_limits(Files& files, const std::vector<std::string>& units) {
  std::vector<MemlockLimit> out;
  for (const std::string& name : units) {
    MemlockLimit limit;
    limit.unit = name.find('.') == std::string::npos ? name + ".service" : name;
    limit.bytes = limit_of_process(files, limit.unit, limit.source);
    if (limit.bytes) {
      out.push_back(std::move(limit));
      continue;
    }
    bool exists = limit.bytes.absent().why != Why::NotPresent;  // a process that we may not look at is there
    bool has_file = false;
    std::optional<Found> found = limit_of_unit_files(files, limit.unit, has_file);
    if (!exists && !has_file) continue;
    if (!found && has_file) found = configured_default(files);
    if (found) {
      limit.bytes = found->bytes;
      limit.source = found->source;
    } else if (has_file) {
      limit.bytes = Absent{Why::NotPresent, "no LimitMEMLOCK in its unit files: systemd's built-in default holds"};
    }
    out.push_back(std::move(limit));
  }
  return out;
}

Reading<std::uint64_t> read_default_memlock(Files& files) {
  if (const auto found = configured_default(files)) return found->bytes;
  const auto limits = files.read("/proc/self/limits");
  if (!limits) return limits.error();
  const auto bytes = parse_max_locked_memory(*limits);
  if (!bytes) return Absent{Why::Malformed, "/proc/self/limits says nothing of locked memory"};
  return *bytes;
}

}  // namespace roceready
