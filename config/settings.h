// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace roceready::config {

struct WaiverSetting {
  std::string finding, reason;
  std::int64_t expires_wall_ns = 0;
};
struct AttestSetting {
  std::string check, port, by, reason;
  std::int64_t expires_wall_ns = 0;
};

/// probes.*
struct ProbeSettings {
  std::vector<std::string> peers;  ///< HOST or HOST:PORT
  std::string peers_file, peers_dns, secret_file, label;
  std::vector<std::string> rails;  ///< DEVICE[/PORT]=RAIL
  bool answer = true;
  std::int64_t interval_ns = 0, timeout_ns = 0;
  std::size_t max_peers = 0;
  std::uint32_t paths = 0;
  std::int32_t dscp = -1;  ///< -1: the profile's
  double packets_per_second = 0, bytes_per_second = 0, core_share = 0;
  bool operator==(const ProbeSettings&) const = default;
};

/// The effective configuration, typed. Defaults are those of the option table (options.cpp), nowhere else.
struct Settings {
  std::string profile;                                   ///< profile
  std::string profile_base;                              ///< profile_base
  std::string role;                                      ///< role
  std::vector<std::string> profile_modifiers;            ///< profile_modifiers
  std::map<std::string, std::string> profile_overrides;  ///< profile_overrides.<key>, only those that the user set
  std::string http_listen;                               ///< http.listen, "127.0.0.1:9885" or "[::]:9885"
  std::vector<std::string> ports_expected, ports_include, ports_exclude;
  std::int64_t sampling_interval_ns = 0;  ///< sampling.interval
  bool bursts = false;                    ///< sampling.burst
  double statistics_share = 0;            ///< sampling.statistics_share: most share of time spent in statistics reads
  double initializing_seconds = 0;        ///< judgement.initializing
  double hold_down_seconds = 0;           ///< judgement.hold_down
  std::vector<std::string> rdma_units;    ///< host.rdma_units
  std::vector<std::string> firmware_min,
      firmware_bad;                      ///< host.firmware_min, host.firmware_bad: "mlx5_core 22.39.1002"
  std::int64_t gid_index = -1;           ///< host.gid_index, -1: the programs choose
  ProbeSettings probes;                  ///< probes.*
  std::string log_level;                 ///< log.level
  std::string state_directory;           ///< state.directory, "" keeps nothing
  std::uint64_t state_max_bytes = 0;     ///< state.max_size
  std::int64_t state_max_age_ns = 0;     ///< state.max_age
  std::vector<WaiverSetting> waivers;    ///< waivers
  std::vector<AttestSetting> attest;     ///< attest
  std::map<std::string, double> limits;  ///< rules.<id>.<name>, only those that the user set
};

enum class OptionType { Text, TextList, Duration, Number, Share, Integer, Boolean, Endpoint, Time, Records };

/// One row of the option table: drives parsing, print-config and docs/config.md.
struct Option {
  std::string key;  ///< "sampling.interval"
  OptionType type = OptionType::Text;
  std::string unit;           ///< "s", "share", "events/s", ""
  std::string default_value;  ///< as the user would write it
  std::optional<double> min, max;
  std::vector<std::string> choices;  ///< the only values of a Text option, or of each entry of a list; empty: any
  std::string help;
  /// It has no value of its own until the user gives one; `default_value` is empty.
  bool optional = false;
  std::vector<Option> fields{};  ///< of each entry of Records; optional ones may be left out
};

/// Names that options may take, from those who know them.
struct Vocabulary {
  std::vector<std::string> profiles, base_profiles, modifiers, roles;
  std::vector<std::string> rules, mandatory_rules;
};

/// Options of the program itself. Rules and profiles bring theirs (all_options in daemon), so config knows neither.
[[nodiscard]] std::vector<Option> program_options(const Vocabulary& words);

/// One fault of a configuration, for a person: path, value, limit, nearest known key.
struct Problem {
  std::string key;      ///< dotted path, "" for the file as a whole
  std::string message;  ///< "sampling.interval: 1 hour is not a duration (200ms, 2s, 5m, 24h), at line 7"
};

struct Loaded {
  Settings settings;
  std::map<std::string, std::string> origin;  ///< key → "default", "FILE:LINE" or "command line"
  std::map<std::string, std::string> values;  ///< key → effective value as text, all options
};

/// Defaults, then the file (none: defaults alone), then `overrides` (key → text, from the command line).
/// All problems at once; a configuration with any problem is not used in part.
struct LoadOutcome {
  std::optional<Loaded> loaded;
  std::vector<Problem> problems;
};
/// Faults that only several values together have, from those who know what they mean. The place is added here.
using WholeCheck = std::function<std::vector<Problem>(const Settings& settings)>;
[[nodiscard]] LoadOutcome load(const std::optional<std::filesystem::path>& file, const std::vector<Option>& options,
                               const std::map<std::string, std::string>& overrides = {}, const WholeCheck& check = {});

/// The effective configuration as YAML with an origin comment behind each value, readable by load().
[[nodiscard]] std::string print(const Loaded& loaded, const std::vector<Option>& options);
/// docs/config.md from the table.
[[nodiscard]] std::string document(const std::vector<Option>& options);

}  // namespace roceready::config
