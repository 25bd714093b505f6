// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "collectors/collector.h"
#include "collectors/ethtool_parse.h"

namespace roceready {
namespace {

/// A full read of statistics at most once a second (rules.md 1.6.5), less what a tick of a second may come early.
constexpr std::int64_t kLeastPeriodNs = 900'000'000;

std::optional<bool> flag(const Reading<PauseFacts>& pause, Reading<bool> PauseFacts::*member) {
  const Reading<bool> value = field(pause, member);
  return value ? std::optional(*value) : std::nullopt;
}

ListingSettings settings_of(const Netdev& netdev) {
  ListingSettings out;
  if (netdev.dcb.pfc) out.pfc = netdev.dcb.pfc->enabled;
  out.pause_autoneg = flag(netdev.ethtool.pause, &PauseFacts::autoneg);
  out.pause_rx = flag(netdev.ethtool.pause, &PauseFacts::rx);
  out.pause_tx = flag(netdev.ethtool.pause, &PauseFacts::tx);
  return out;
}

/// Names of the driver's statistics, read anew; the earlier list stays where it is the same, so that plans stay valid.
Result<void> read_names(Host& host, const std::string& netdev, InternedNames& names) {
  const auto bytes = host.ethtool.statistics_names(netdev);
  if (!bytes) return bytes.error();
  auto parsed = parse_statistics_names(*bytes);
  if (!parsed) return parsed.error();
  if (!names.clean || *names.clean != *parsed) {
    names.clean = std::make_shared<const std::vector<std::string>>(std::move(*parsed));
  }
  names.stale = false;
  return {};
}

Result<std::vector<std::uint64_t>> read_values(Host& host, const std::string& netdev, std::size_t count) {
  const auto bytes = host.ethtool.statistics_values(netdev, count);
  if (!bytes) return bytes.error();
  if (bytes->size() != count * 8) return Error{ErrorCode::Changed, "the number of statistics changed", netdev};
  return parse_statistics_values(*bytes, count);
}

/// All or nothing. When the driver changed the number of its statistics, once more with the new names. A change that
/// keeps the number, between names and values, cannot be seen here: the setting behind it makes the names stale in the
/// next sample.
Result<RawCounters> read_statistics(Host& host, const std::string& netdev, InternedNames& names) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!names.clean || names.stale || attempt > 0) {
      if (const auto read = read_names(host, netdev, names); !read) return read.error().during("statistics names");
    }
    const Instant begin = host.clock.now();
    auto values = read_values(host, netdev, names.clean->size());
    const Instant end = host.clock.now();
    if (values)
      return RawCounters{names.clean, std::move(*values), end.monotonic_ns - begin.monotonic_ns, end.monotonic_ns};
    if (values.error().code != ErrorCode::Changed) return values.error().during("statistics");
  }
  return Error{ErrorCode::Changed, "the driver's statistics keep changing", netdev};
}

/// A driver whose statistics are known has them: "no such device" is one that is being reset, "not supported" a
/// refusal.
Absent refused(const Error& error, const Netdev& netdev) {
  Absent out = absent_from(error);
  const bool known = netdev.ethtool.driver && vendor_of_netdev(netdev.ethtool.driver->driver) != nullptr;
  if (known && (out.why == Why::NotPresent || out.why == Why::NotSupported)) out.why = Why::Malformed;
  return out;
}

void collect_one(Host& host, Context& context, Netdev& netdev) {
  const std::string question = "ethtool/statistics/" + netdev.link.name;
  InternedNames& names = context.names[question];
  if (netdev.link.index != 0 && names.netdev_index != netdev.link.index) {
    names = {};
    names.netdev_index = netdev.link.index;
  }
  const ListingSettings settings = settings_of(netdev);
  if (context.configuration_due || settings != names.settings) names.stale = true;
  names.settings = settings;
  if (context.now.monotonic_ns < names.due_ns) return;  // what the sample before had stays, with at_ns
  auto read =
      context.refusals.ask(question, context.now, [&] { return read_statistics(host, netdev.link.name, names); });
  names.due_ns = context.now.monotonic_ns + kLeastPeriodNs;
  if (!read) {
    if (read.error().code != ErrorCode::Changed) names.clean = nullptr;
    netdev.ethtool.statistics = refused(read.error(), netdev);
    return;
  }
  const double period_ns = static_cast<double>(read->read_ns) / context.statistics_share;
  names.due_ns = std::max(names.due_ns, context.now.monotonic_ns + static_cast<std::int64_t>(period_ns));
  netdev.ethtool.statistics = std::move(*read);
}

Result<void> collect(Host& host, const Selection&, Context& context, Snapshot& out) {
  for (Netdev& netdev : out.netdevs) {
    if (context.members.contains(netdev.link.name)) collect_one(host, context, netdev);
  }
  return {};
}

}  // namespace

extern const Collector kEthtoolStatistics;
constinit const Collector kEthtoolStatistics{"ethtool_statistics", Cadence::EverySample, true, collect};

}  // namespace roceready
