// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "collectors/counter_plan.h"
#include "collectors/ethtool_parse.h"

using namespace roceready;

/// Names as a driver might print them: every set must give a plan, and its readings be sorted and unique.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  (void)parse_driver_info(bytes);
  (void)parse_statistics_values(bytes, size / 8);
  auto names = parse_statistics_names(bytes);
  if (!names) return 0;
  const auto shared = std::make_shared<const std::vector<std::string>>(std::move(*names));
  Netdev netdev;
  netdev.ethtool.statistics = RawCounters{shared, std::vector<std::uint64_t>(shared->size(), 1), 0, 0};
  const CounterReadings readings = CounterPlan::for_netdev(vendor_of_netdev("mlx5_core"), shared).read(netdev, nullptr);
  for (std::size_t i = 1; i < readings.values.size(); ++i) {
    const CounterValue &a = readings.values[i - 1], &b = readings.values[i];
    if (std::tuple(a.id, a.lane) >= std::tuple(b.id, b.lane)) std::abort();
  }
  return 0;
}
