// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "collectors/collector.h"
#include "collectors/counter_files.h"
#include "collectors/interned_names.h"
#include "collectors/rdma_devices.h"
#include "collectors/rdma_parse.h"

namespace roceready {
namespace {

Result<RawCounters> from_netlink(Host& host, Context& context, const RdmaPort& port) {
  const auto answer = host.rdma.statistics(port.device, port.port);
  if (!answer) return answer.error();
  const auto counters = parse_rdma_counters(*answer);
  if (!counters) return counters.error();
  std::vector<std::string_view> names;
  RawCounters out;
  for (const RdmaCounter& counter : *counters) {
    names.push_back(counter.name);
    out.values.push_back(counter.value);
  }
  out.names = intern(context.names["netlink/rdma/statistics/" + port_name(port)], names);
  return out;
}

/// What single files lack is noted for the port.
Result<RawCounters> from_directory(Host& host, Context& context, const RdmaPort& port, const std::string& directory) {
  auto files = read_counter_files(host.files, directory);
  if (!files) return files.error();
  RawCounters out;
  out.values = std::move(files->values);
  out.names = intern(context.names[directory], {files->names.begin(), files->names.end()});
  if (files->note.why != Why::NotRecorded) context.counter_notes[port_name(port)] = files->note;
  return out;
}

void measure(Host& host, const Instant& begin, Result<RawCounters>& read) {
  if (!read) return;
  read->at_ns = host.clock.now().monotonic_ns;
  read->read_ns = read->at_ns - begin.monotonic_ns;
}

std::string device_path(const RdmaPort& port) {
  return std::string(kInfiniBandClass) + "/" + port.device;
}
std::string port_path(const RdmaPort& port) {
  return device_path(port) + "/ports/" + std::to_string(port.port);
}

/// Counters of the device after those of its port that have other names.
void append(Context& context, const std::string& key, const RawCounters& device, RawCounters& port) {
  std::vector<std::string_view> names(port.names->begin(), port.names->end());
  std::vector<std::uint64_t> values = port.values;
  for (std::size_t i = 0; i < device.size(); ++i) {
    const std::string& name = (*device.names)[i];
    if (std::find(port.names->begin(), port.names->end(), name) != port.names->end()) continue;
    names.push_back(name);
    values.push_back(device.values[i]);
  }
  if (values.size() == port.values.size()) return;
  port.names = intern(context.names[key], names);
  port.values = std::move(values);
}

/// RDMA netlink, else the files of the port; and those of the device, which some drivers have beside them (mana, efa)
/// or instead (mlx5 in switchdev mode, old mlx4).
Reading<RawCounters> read_hw(Host& host, Context& context, const RdmaPort& port) {
  const Instant begin = host.clock.now();
  Result<RawCounters> read = context.refusals.ask("netlink/rdma/statistics/" + port_name(port), context.now,
                                                  [&] { return from_netlink(host, context, port); });
  for (const std::string& base : {port_path(port), device_path(port)}) {
    const std::string directory = base + "/hw_counters";
    // A device that had nothing to add is asked again with the settings only.
    const std::string merged = "merged/" + port_name(port);
    const bool of_interest = context.configuration_due || context.names[merged].clean != nullptr;
    if (read && (base == port_path(port) || !of_interest)) continue;
    auto from_files =
        context.refusals.ask(directory, context.now, [&] { return from_directory(host, context, port, directory); });
    if (read && from_files) append(context, merged, *from_files, *read);
    if (read) continue;
    const bool better = from_files || from_files.error().code != ErrorCode::NotFound;
    if (better || read.error().code == ErrorCode::NotSupported) read = std::move(from_files);
  }
  measure(host, begin, read);
  if (!read && read.error().code == ErrorCode::NotFound) {
    return Absent{Why::NotPresent, "the driver has no hardware counters for this port"};
  }
  return read;
}

Result<void> collect_hw(Host& host, const Selection&, Context& context, Snapshot& out) {
  context.counter_notes.clear();
  for (RdmaPort& port : out.ports) {
    if (port.in_scope) port.hw_counters = read_hw(host, context, port);
  }
  return {};
}

constexpr std::string_view kTraffic[] = {"port_rcv_data", "port_rcv_packets", "port_xmit_data", "port_xmit_packets"};

/// Reads the traffic counters anew and keeps the rest, which costs a firmware command each. False: something failed,
/// read all.
bool refresh_traffic(Host& host, const std::string& directory, RawCounters& counters) {
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const std::string& name = (*counters.names)[i];
    if (std::find(std::begin(kTraffic), std::end(kTraffic), name) == std::end(kTraffic)) continue;
    const auto text = host.files.read(directory + "/" + name);
    const auto value = text ? parse_counter(*text) : std::nullopt;
    if (!value) return false;
    counters.values[i] = *value;
  }
  return true;
}

Reading<RawCounters> read_port(Host& host, Context& context, const RdmaPort& port) {
  const std::string directory = port_path(port) + "/counters";
  const Instant begin = host.clock.now();
  if (port.port_counters && !context.configuration_due) {
    Result<RawCounters> kept = *port.port_counters;
    if (refresh_traffic(host, directory, *kept)) {
      measure(host, begin, kept);
      return kept;
    }
  }
  Result<RawCounters> read =
      context.refusals.ask(directory, context.now, [&] { return from_directory(host, context, port, directory); });
  measure(host, begin, read);
  if (!read && read.error().code == ErrorCode::NotFound) {
    return Absent{Why::NotPresent, "the driver has no port counters (PMA)"};
  }
  return read;
}

Result<void> collect_port(Host& host, const Selection&, Context& context, Snapshot& out) {
  for (RdmaPort& port : out.ports) {
    if (port.in_scope) port.port_counters = read_port(host, context, port);
  }
  return {};
}

}  // namespace

extern const Collector kHwCounters;
constinit const Collector kHwCounters{"hw_counters", Cadence::EverySample, true, collect_hw, true};
extern const Collector kPortCounters;
constinit const Collector kPortCounters{"port_counters", Cadence::EverySample, true, collect_port};

}  // namespace roceready
