// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>

#include "config/settings.h"
#include "config/value.h"

namespace roceready::config {
namespace {

/// One row: what the user may write, and where it lands. Choices of `profile` are filled in by program_options.
struct Row {
  Option option;
  void (*store)(Settings& to, const Value& value);
};

const std::vector<Row>& rows() {
  using T = OptionType;
  static const std::vector<Row> table = {
      {{"profile",
        T::Text,
        "",
        "",
        {},
        {},
        {},
        "What is expected of this node: see docs/profiles.md. Empty: the daemon infers it once; a one-shot judges only "
        "what needs no profile, and its verdict is never ready."},
       [](Settings& to, const Value& v) { to.profile = v.text; }},
      {{"profile_base",
        T::Text,
        "",
        "",
        {},
        {},
        {},
        "Profile whose classes hold under lossy-ecn, semi-lossless and spray-ar. Empty: NVIDIA's."},
       [](Settings& to, const Value& v) { to.profile_base = v.text; }},
      {{"profile_modifiers",
        T::TextList,
        "modifier",
        "[]",
        {},
        {},
        {},
        "What is special about this node or its fabric: see docs/profiles.md."},
       [](Settings& to, const Value& v) { to.profile_modifiers = v.list; }},
      {{"role",
        T::Text,
        "",
        "",
        {},
        {},
        {},
        "What this node is for; changes what is normal on it: see docs/profiles.md. Empty: nothing special."},
       [](Settings& to, const Value& v) { to.role = v.text; }},
      {{"waivers",
        T::Records,
        "",
        "[]",
        {},
        {},
        {},
        "Findings that are accepted for a time: listed, without cost and without a say in the verdict. `finding` is a "
        "key "
        "from a report or a rule; `expires` is a day (until its end, UTC) or a time.",
        false,
        {{"finding", T::Text, "finding", "", {}, {}, {}, "a key from a report (pfc-disabled@mlx5_0/1) or a rule"},
         {"reason", T::Text, "", "", {}, {}, {}, "why it is accepted, and where that is written"},
         {"expires", T::Time, "", "", {}, {}, {}, "2026-12-31 or 2026-12-31T12:00:00Z"}}},
       [](Settings& to, const Value& v) {
         to.waivers.clear();
         for (const Record& one : v.records)
           to.waivers.push_back(
               {field_of(one, "finding").text, field_of(one, "reason").text, field_of(one, "expires").nanoseconds});
       }},
      {{"attest",
        T::Records,
        "",
        "[]",
        {},
        {},
        {},
        "Mandatory checks that this NIC cannot show and somebody vouches for. An attestation never counts against what "
        "can be read. `port` is a device, device/port, PCI address or network device; without it, every port.",
        false,
        {{"check", T::Text, "rule", "", {}, {}, {}, "the rule that cannot be judged"},
         {"port", T::Text, "port", "", {}, {}, {}, "a device, device/port, PCI address or network device", true},
         {"by", T::Text, "", "", {}, {}, {}, "who vouches for it"},
         {"reason", T::Text, "", "", {}, {}, {}, "how it was checked"},
         {"expires", T::Time, "", "", {}, {}, {}, "2026-12-31 or 2026-12-31T12:00:00Z"}}},
       [](Settings& to, const Value& v) {
         to.attest.clear();
         for (const Record& one : v.records)
           to.attest.push_back({field_of(one, "check").text, field_of(one, "port").text, field_of(one, "by").text,
                                field_of(one, "reason").text, field_of(one, "expires").nanoseconds});
       }},
      {{"http.listen",
        T::Endpoint,
        "",
        "127.0.0.1:9885",
        {},
        {},
        {},
        "Address and port of the HTTP server: metrics, report, page. The default can be reached from this host only; "
        "\"[::]:9885\" is every address, IPv4 included. Quote it: brackets mean a list in YAML."},
       [](Settings& to, const Value& v) { to.http_listen = v.text; }},
      {{"ports.expected",
        T::TextList,
        "port",
        "[]",
        {},
        {},
        {},
        "RDMA ports that this node must have, as DEVICE, DEVICE/PORT, PCI address or network device. They are judged "
        "whatever their addresses are, "
        "and one that is missing makes the node not ready."},
       [](Settings& to, const Value& v) { to.ports_expected = v.list; }},
      {{"ports.include",
        T::TextList,
        "pattern",
        "[]",
        {},
        {},
        {},
        "Ports that are judged although they would be out of scope (virtual functions, ports without an address). "
        "Names with * and ?."},
       [](Settings& to, const Value& v) { to.ports_include = v.list; }},
      {{"ports.exclude",
        T::TextList,
        "pattern",
        "[]",
        {},
        {},
        {},
        "Ports that are not touched at all: no read, no judgement, no mention in the report. Names with * and ?."},
       [](Settings& to, const Value& v) { to.ports_exclude = v.list; }},
      {{"sampling.interval",
        T::Duration,
        "s",
        "1s",
        0.2,
        60,
        {},
        "Time between two samples. Storms shorter than about two intervals show only as a share of pause and in the "
        "NIC's own storm counters."},
       [](Settings& to, const Value& v) { to.sampling_interval_ns = v.nanoseconds; }},
      {{"sampling.statistics_share",
        T::Share,
        "share of time",
        "0.02",
        0.001,
        0.2,
        {},
        "Largest share of time that full driver statistics reads may take: they hold the kernel's RTNL lock. A slow "
        "driver is read less often, never more."},
       [](Settings& to, const Value& v) { to.statistics_share = v.number; }},
      {{"sampling.burst",
        T::Boolean,
        "",
        "true",
        {},
        {},
        {},
        "When a fault shows in rates, RDMA counters are polled every 100 ms for 30 s, at most once in 5 minutes and "
        "for "
        "at most a twentieth of a core. Driver statistics are never read faster for it."},
       [](Settings& to, const Value& v) { to.bursts = v.number > 0; }},
      {{"judgement.initializing",
        T::Duration,
        "s",
        "5m",
        0,
        3600,
        {},
        "How long after start a node says initializing, before rates have shown themselves. A critical fault is told "
        "at once."},
       [](Settings& to, const Value& v) { to.initializing_seconds = v.number; }},
      {{"judgement.hold_down",
        T::Duration,
        "s",
        "10m",
        0,
        86400,
        {},
        "How long a finding stays, as recovering, after its condition has gone."},
       [](Settings& to, const Value& v) { to.hold_down_seconds = v.number; }},
      {{"host.rdma_units",
        T::TextList,
        "unit",
        "[slurmd, kubelet, containerd]",
        {},
        {},
        {},
        "systemd units that start RDMA programs: their limit on locked memory is judged. Units that the host does not "
        "have are ignored."},
       [](Settings& to, const Value& v) { to.rdma_units = v.list; }},
      {{"host.firmware_min",
        T::TextList,
        "firmware version",
        "[]",
        {},
        {},
        {},
        "Least firmware of NICs, as \"MATCH VERSION\": MATCH is a driver (mlx5_core), a PSID (MT_0000000838) or a PCI "
        "id "
        "(15b3:1021). Of NICs that no entry means nothing is said."},
       [](Settings& to, const Value& v) { to.firmware_min = v.list; }},
      {{"host.firmware_bad",
        T::TextList,
        "firmware version",
        "[]",
        {},
        {},
        {},
        "Firmware that is known to be bad, in the same form: a NIC that runs exactly this version makes the node not "
        "ready."},
       [](Settings& to, const Value& v) { to.firmware_bad = v.list; }},
      {{"host.gid_index",
        T::Integer,
        "",
        "-1",
        -1,
        65535,
        {},
        "GID index that the RDMA programs of this node are told to use: it is checked against the table of every port. "
        "-1: they choose one themselves."},
       [](Settings& to, const Value& v) { to.gid_index = static_cast<std::int64_t>(v.number); }},
      {{"probes.peers",
        T::TextList,
        "peer",
        "[]",
        {},
        {},
        {},
        "Nodes that this one sends RDMA probes to, as HOST or HOST:PORT of their daemon. Its own addresses among them "
        "are left out. Needs probes.secret_file."},
       [](Settings& to, const Value& v) { to.probes.peers = v.list; }},
      {{"probes.peers_file",
        T::Text,
        "path",
        "",
        {},
        {},
        {},
        "More peers, in the form of Prometheus' file_sd (JSON or YAML). The label `tor` is that of the peer's "
        "neighbourhood, `rail` the rail on which it is probed. It is read again when it changes."},
       [](Settings& to, const Value& v) { to.probes.peers_file = v.text; }},
      {{"probes.peers_dns",
        T::Text,
        "name",
        "",
        {},
        {},
        {},
        "More peers: every address of this name, as NAME or NAME:PORT. Of both families IPv4 alone is taken, unless "
        "there are more than twice as many addresses of IPv6. It is asked again every minute."},
       [](Settings& to, const Value& v) { to.probes.peers_dns = v.text; }},
      {{"probes.secret_file",
        T::Text,
        "path",
        "",
        {},
        {},
        {},
        "File with the secret that all peers share (at least 16 bytes). Without it no peers are probed, and probes of "
        "`roceready probe` alone are answered, few and slowly."},
       [](Settings& to, const Value& v) { to.probes.secret_file = v.text; }},
      {{"probes.answer",
        T::Boolean,
        "",
        "true",
        {},
        {},
        {},
        "Whether this node answers probes. Queue pairs are made when the first peer asks."},
       [](Settings& to, const Value& v) { to.probes.answer = v.number > 0; }},
      {{"probes.label",
        T::Text,
        "",
        "",
        {},
        {},
        {},
        "What this node and its neighbours have in common, e.g. the top-of-rack switch: half of the peers are taken "
        "from "
        "there, and loss inside is told from loss outside."},
       [](Settings& to, const Value& v) { to.probes.label = v.text; }},
      {{"probes.rails",
        T::TextList,
        "",
        "[]",
        {},
        {},
        {},
        "Rail of each port as DEVICE=RAIL or DEVICE/PORT=RAIL: a port probes ports of its own rail. Without it the "
        "peer's label `rail` tells, without that its subnet, then the name and the number of the device."},
       [](Settings& to, const Value& v) { to.probes.rails = v.list; }},
      {{"probes.interval",
        T::Duration,
        "s",
        "500ms",
        0.1,
        3600,
        {},
        "Time between two probes to one peer from one port. No peer gets more than 10 a second from this node."},
       [](Settings& to, const Value& v) { to.probes.interval_ns = v.nanoseconds; }},
      {{"probes.timeout", T::Duration, "s", "500ms", 0.01, 10, {}, "A probe without an answer for that long is lost."},
       [](Settings& to, const Value& v) { to.probes.timeout_ns = v.nanoseconds; }},
      {{"probes.max_peers",
        T::Integer,
        "",
        "64",
        1,
        10000,
        {},
        "Of more peers than that a port probes a part, chosen so that every peer is probed by several nodes. Of "
        "some hundreds of peers of a node with eight ports not all results fit: those with faults are told first, the "
        "others are counted."},
       [](Settings& to, const Value& v) { to.probes.max_peers = static_cast<std::size_t>(v.number); }},
      {{"probes.paths",
        T::Integer,
        "",
        "4",
        1,
        16,
        {},
        "Paths to a peer that are probed in turn, by flow label and source queue pair."},
       [](Settings& to, const Value& v) { to.probes.paths = static_cast<std::uint32_t>(v.number); }},
      {{"probes.dscp",
        T::Integer,
        "",
        "-1",
        -1,
        63,
        {},
        "DSCP of probes. -1: that of the profile's RDMA traffic, be the profile named or inferred."},
       [](Settings& to, const Value& v) { to.probes.dscp = static_cast<std::int32_t>(v.number); }},
      {{"probes.packets_per_second",
        T::Number,
        "packets/s",
        "8000",
        1,
        1000000,
        {},
        "Messages of probing that this node sends: its own probes, and two answers to each probe of a peer. Peers' "
        "daemons are always answered, and own probes give way; half of it may go to probes on demand."},
       [](Settings& to, const Value& v) { to.probes.packets_per_second = v.number; }},
      {{"probes.bytes_per_second",
        T::Number,
        "bytes/s",
        "4000000",
        1000,
        1000000000,
        {},
        "Bytes of payload of these messages, by the same rules."},
       [](Settings& to, const Value& v) { to.probes.bytes_per_second = v.number; }},
      {{"probes.core_share",
        T::Share,
        "share of a core",
        "0.05",
        0.001,
        1,
        {},
        "Time of one core that probing and answering take together before own probes are held back; answers are not. "
        "A probe on demand polls busily for as long as it lasts, without the secret for a sixth of the time."},
       [](Settings& to, const Value& v) { to.probes.core_share = v.number; }},
      {{"log.level",
        T::Text,
        "",
        "info",
        {},
        {},
        {"error", "warning", "info", "debug"},
        "Least severe message that is logged, to stderr."},
       [](Settings& to, const Value& v) { to.log_level = v.text; }},
      {{"state.directory",
        T::Text,
        "path",
        "/var/lib/roceready",
        {},
        {},
        {},
        "Where the daemon keeps what has to survive a restart. The only place that it writes to. Empty: nothing is "
        "kept."},
       [](Settings& to, const Value& v) { to.state_directory = v.text; }},
      {{"state.max_size",
        T::Integer,
        "MiB",
        "64",
        4,
        4096,
        {},
        "Largest size of the state file. The oldest incidents make room; while it is written its journal takes as much "
        "again. A history of more than an eighth of it is not kept: a restart then begins anew, and the report says "
        "so."},
       [](Settings& to, const Value& v) { to.state_max_bytes = static_cast<std::uint64_t>(v.number) << 20U; }},
      {{"state.max_age",
        T::Duration,
        "s",
        "2160h",
        3600,
        315360000,
        {},
        "How long an incident that has ended is kept: 2160h are 90 days. A step of the wall clock counts once it has "
        "stood for a day."},
       [](Settings& to, const Value& v) { to.state_max_age_ns = v.nanoseconds; }},
  };
  return table;
}

}  // namespace

std::vector<Option> program_options(const Vocabulary& words) {
  const std::map<std::string_view, const std::vector<std::string>*> choices = {
      {"profile", &words.profiles},
      {"profile_base", &words.base_profiles},
      {"profile_modifiers", &words.modifiers},
      {"role", &words.roles},
  };
  std::vector<Option> out;
  out.reserve(rows().size());
  for (const Row& row : rows()) {
    out.push_back(row.option);
    if (const auto known = choices.find(row.option.key); known != choices.end()) out.back().choices = *known->second;
    for (Option& field : out.back().fields) {
      if (field.unit == "finding") field.choices = words.rules;
      if (field.unit == "rule") field.choices = words.mandatory_rules;
    }
  }
  return out;
}

bool store(Settings& settings, const std::string& key, const Value& value) {
  const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return r.option.key == key; });
  if (row != rows().end()) {
    row->store(settings, value);
    return true;
  }
  constexpr std::string_view kOverrides = "profile_overrides.";
  if (key.starts_with(kOverrides)) {
    settings.profile_overrides[key.substr(kOverrides.size())] = value.text;
    return true;
  }
  if (!key.starts_with("rules.")) return false;
  settings.limits[key] = value.number;
  return true;
}

}  // namespace roceready::config
