// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/host/host.h"

namespace roceready {

/// One answer at the seam: bytes, a list of byte strings (directory names, messages of a dump), or a refusal.
struct Answer {
  enum class Kind { Data, List, Refused };
  Kind kind = Kind::Data;
  std::string data;                ///< Data
  std::vector<std::string> items;  ///< List
  Error error;                     ///< Refused
  bool operator==(const Answer& other) const;
};

/// What a host was asked in one sample, and what it answered. Keys are paths without the leading slash:
///   sys/class/net/eth0/mtu            Files::read        (Data)
///   list/sys/class/infiniband         Files::list        (List)
///   link/sys/class/net/eth0/device    Files::read_link   (Data)
///   ethtool/driver_info/eth0, ethtool/statistics_names/eth0, ethtool/statistics_values/eth0,
///   ethtool/pfc_prevention_timeout/eth0   (Data)
///   netlink/ethtool/pause/eth0        Ethtool::get       (Data; name_of(EthtoolMessage))
///   netlink/ethtool/module_eeprom/eth0/80/0/22/36   Ethtool::module_eeprom   (Data; address, page, offset, length)
///   netlink/rdma/devices (List), netlink/rdma/port/mlx5_0/1, netlink/rdma/statistics/mlx5_0/1 (Data)
///   netlink/dcb/ieee/eth0, netlink/dcb/dcbx/eth0   (Data)
///   netlink/route/links, netlink/route/addresses   (List)
///   verbs/port_attributes/mlx5_0/1, verbs/gid_table/mlx5_0   (Data)
///   probes/results.json   (Data)
struct RecordedSample {
  std::vector<Instant> clock;  ///< successive readings of the clock within the sample, at least one
  std::map<std::string, Answer> answers;
};

/// What the directory is, from its host.json.
struct RecordedHostInfo {
  std::string layout;       ///< "raw" or "snapshot"
  std::string origin;       ///< "recorded", "made up" or "from a public thread", free text may follow
  std::string description;  ///< story of the host, for people
  std::string profile;      ///< profile that the recording was judged with, empty: none was named
  std::string kernel, driver;
  std::string recorded_by;  ///< version of the writer
  std::vector<std::string> redacted;
  std::vector<std::string> include, exclude, expected;  ///< port selection that the recording was made with
};

/// A recorded host in memory. In a sample that lacks a key, the latest earlier sample that has it answers: a recording
/// holds what changed, and slow questions are asked rarely. A key that no sample has: NotRecorded.
struct Recording {
  RecordedHostInfo info;
  std::vector<RecordedSample> samples;
  [[nodiscard]] const Answer* find(std::size_t sample, const std::string& key) const;
};

/// host.json of a directory (either layout). Errors name the file.
[[nodiscard]] Result<RecordedHostInfo> read_host_info(const std::filesystem::path& directory);
/// A directory of layout `raw`: host.json, clock.json, and per sample NNNN/ with one file a Data answer (text as it is,
/// anything else as hexadecimal in NAME.hex) and data.json, lists.json, refused.json; docs/recorded-hosts.md has the
/// details. Damaged: an Error that names the file.
/// Limits: 100 000 answers a sample, 16 MiB a file, 100 000 samples.
[[nodiscard]] Result<Recording> read_recording(const std::filesystem::path& directory);

/// A Host that answers from a Recording, of which it keeps a copy. A refusal is the recorded one; a number of
/// statistics other than the recorded one is Changed. Threads: as Host.
class RecordedHost {
 public:
  explicit RecordedHost(const Recording& recording);
  ~RecordedHost();
  RecordedHost(const RecordedHost&) = delete;
  RecordedHost& operator=(const RecordedHost&) = delete;
  [[nodiscard]] Host host();
  /// Which sample answers from now on; the clock of that sample starts at its first reading.
  void select(std::size_t sample);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A Host that passes every question through to another and keeps question and answer, failures included.
class RecordingHost {
 public:
  explicit RecordingHost(Host inner);
  ~RecordingHost();
  RecordingHost(const RecordingHost&) = delete;
  RecordingHost& operator=(const RecordingHost&) = delete;
  [[nodiscard]] Host host();
  /// What was asked since the last call.
  [[nodiscard]] RecordedSample take_sample();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace roceready
