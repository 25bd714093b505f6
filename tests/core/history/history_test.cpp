// SPDX-License-Identifier: Apache-2.0
#include "core/history/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/history/columns.h"

namespace roceready {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

CounterValue value(CounterId id, std::uint64_t raw, std::uint8_t width = 64, std::uint8_t lane = kNoLane,
                   double scale = 1) {
  return {id, lane, width, raw, scale};
}

/// A node with one netdev eth0 whose counters were read at `at_ns`.
std::shared_ptr<Snapshot> at(std::int64_t at_ns, std::vector<CounterValue> values) {
  auto out = std::make_shared<Snapshot>();
  out->before = out->after = {at_ns, at_ns};
  Netdev netdev;
  netdev.link.name = "eth0";
  netdev.link.carrier = true;
  netdev.link.admin_up = true;
  netdev.link.carrier_down_count = 3U;
  netdev.counters.values = std::move(values);
  netdev.counters.at_monotonic_ns = at_ns;
  netdev.counters.offered = {CounterId::RxDiscardsPhy, CounterId::LinkDownEvents};
  netdev.counters.driver_known = true;
  out->netdevs.push_back(std::move(netdev));
  return out;
}

History history() {
  return History({CounterId::RxDiscardsPhy, CounterId::LinkDownEvents});
}

TEST(History, gives_no_growth_from_a_first_sample) {
  History past = history();
  past.add(at(kSecond, {value(CounterId::RxDiscardsPhy, 1'000'000)}));
  const auto growth = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 60);
  ASSERT_FALSE(growth);
  EXPECT_EQ(growth.absent().why, Why::NotRecorded);
}

TEST(History, sums_growth_over_a_window_in_base_units) {
  History past = history();
  for (int s = 1; s <= 120; ++s) {
    past.add(at(s * kSecond, {value(CounterId::RxDiscardsPhy, 5'000'000'000ULL + static_cast<std::uint64_t>(s) * 10, 64,
                                    kNoLane, 0.5)}));
  }
  const auto minute = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 60);
  ASSERT_TRUE(minute);
  EXPECT_DOUBLE_EQ(minute->amount, 300);
  EXPECT_DOUBLE_EQ(minute->seconds, 60);
  const auto earlier = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 60, 60);
  ASSERT_TRUE(earlier);
  EXPECT_NEAR(earlier->amount, 295, 0.01);  // 59 increments: the first sample has none
  EXPECT_NEAR(earlier->seconds, 59, 0.01);
}

TEST(History, answers_from_coarser_rings_after_ten_minutes) {
  History past = history();
  for (int s = 1; s <= 7200; ++s)
    past.add(at(s * kSecond, {value(CounterId::RxDiscardsPhy, static_cast<std::uint64_t>(s))}));
  const auto hour = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 3600);
  ASSERT_TRUE(hour);
  EXPECT_NEAR(hour->amount, 3600, 10);
  EXPECT_NEAR(hour->per_second(), 1, 0.001);
  const auto day = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 86400);
  ASSERT_TRUE(day);
  EXPECT_NEAR(day->amount, 7199, 60);
}

TEST(History, takes_a_backwards_step_of_a_wide_counter_as_reset_and_never_as_a_rate) {
  History past = history();
  past.add(at(1 * kSecond, {value(CounterId::RxDiscardsPhy, 1'000'000)}));
  past.add(at(2 * kSecond, {value(CounterId::RxDiscardsPhy, 7)}));
  EXPECT_FALSE(past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 10));
  past.add(at(3 * kSecond, {value(CounterId::RxDiscardsPhy, 9)}));
  const auto growth = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 10);
  ASSERT_TRUE(growth);
  EXPECT_DOUBLE_EQ(growth->amount, 2);
  EXPECT_DOUBLE_EQ(growth->seconds, 1);
  ASSERT_FALSE(past.events().empty());
  EXPECT_EQ(past.events().back().kind, HistoryEvent::Kind::CountersReset);
}

TEST(History, counts_over_the_wrap_of_a_narrow_counter_and_exports_it_monotonic) {
  History past = history();
  past.add(at(1 * kSecond, {value(CounterId::LinkDownEvents, 0xFFFFFFF0U, 32)}));
  past.add(at(2 * kSecond, {value(CounterId::LinkDownEvents, 0x10, 32)}));
  const auto growth = past.increase("eth0", CounterId::LinkDownEvents, kNoLane, 10);
  ASSERT_TRUE(growth);
  EXPECT_DOUBLE_EQ(growth->amount, 0x20);
  const auto shown = past.unwrapped("eth0", value(CounterId::LinkDownEvents, 0x10, 32));
  ASSERT_TRUE(shown);
  EXPECT_DOUBLE_EQ(*shown, 4294967296.0 + 0x10);
}

TEST(History, knows_nothing_new_from_a_reading_that_was_carried_over) {
  History past = history();
  past.add(at(1 * kSecond, {value(CounterId::RxDiscardsPhy, 5)}));
  auto carried = at(1 * kSecond, {value(CounterId::RxDiscardsPhy, 5)});
  carried->before = carried->after = {2 * kSecond, 2 * kSecond};
  past.add(carried);
  EXPECT_FALSE(past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 10));
  past.add(at(3 * kSecond, {value(CounterId::RxDiscardsPhy, 9)}));
  const auto growth = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 10);
  ASSERT_TRUE(growth);
  EXPECT_DOUBLE_EQ(growth->seconds, 2);
  EXPECT_DOUBLE_EQ(growth->amount, 4);
}

TEST(History, leaves_out_a_sample_whose_read_took_more_than_a_fifth_of_the_interval) {
  const auto read_in = [](std::int64_t at_ns, std::uint64_t raw, std::int64_t read_ns) {
    auto snapshot = at(at_ns, {value(CounterId::RxDiscardsPhy, raw)});
    RawCounters statistics;
    statistics.read_ns = read_ns;
    snapshot->netdevs[0].ethtool.statistics = statistics;
    return snapshot;
  };
  History past = history();
  past.add(read_in(1 * kSecond, 0, 0));
  past.add(read_in(2 * kSecond, 100, kSecond / 5 + 1));
  EXPECT_FALSE(past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 10));
  past.add(read_in(3 * kSecond, 250, kSecond / 5));
  const auto growth = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 10);
  ASSERT_TRUE(growth);
  EXPECT_DOUBLE_EQ(growth->amount, 250) << "nothing is lost: the next read covers that time too";
  EXPECT_DOUBLE_EQ(growth->seconds, 2);
}

TEST(History, ignores_time_that_goes_backwards) {
  History past = history();
  past.add(at(5 * kSecond, {value(CounterId::RxDiscardsPhy, 5)}));
  past.add(at(4 * kSecond, {value(CounterId::RxDiscardsPhy, 50)}));
  EXPECT_EQ(midpoint(*past.now()).monotonic_ns, 5 * kSecond);
}

TEST(History, tells_samples_one_by_one_until_a_gap) {
  History past = history();
  past.add(at(1 * kSecond, {value(CounterId::RxDiscardsPhy, 1)}));
  past.add(at(2 * kSecond, {value(CounterId::RxDiscardsPhy, 3)}));
  past.add(at(3 * kSecond, {}));
  past.add(at(4 * kSecond, {value(CounterId::RxDiscardsPhy, 10)}));
  past.add(at(5 * kSecond, {value(CounterId::RxDiscardsPhy, 14)}));
  const auto samples = past.samples("eth0", CounterId::RxDiscardsPhy, kNoLane, 8);
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_DOUBLE_EQ(samples[0].amount, 4);
}

TEST(History, says_why_a_counter_cannot_be_known) {
  History past = history();
  auto refused = at(kSecond, {});
  refused->netdevs[0].counters.why_absent = {Why::Malformed, "ethtool statistics of eth0: EINVAL"};
  past.add(refused);
  const auto growth = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 60);
  ASSERT_FALSE(growth);
  EXPECT_EQ(growth.absent().why, Why::Malformed);
  EXPECT_EQ(past.increase("eth9", CounterId::RxDiscardsPhy, kNoLane, 60).absent().why, Why::NotPresent);
}

TEST(History, sees_a_drop_of_the_link_between_two_samples_by_the_kernels_count) {
  History past = history();
  past.add(at(1 * kSecond, {}));
  auto later = at(2 * kSecond, {});
  later->netdevs[0].link.carrier_down_count = 5U;
  past.add(later);
  int downs = 0;
  for (const HistoryEvent& event : past.events()) downs += event.kind == HistoryEvent::Kind::LinkDown ? 1 : 0;
  EXPECT_EQ(downs, 2);
}

TEST(History, remembers_a_port_that_was_in_scope_and_vanished_until_it_is_back) {
  const auto with_port = [](std::int64_t when) {
    auto out = at(when, {});
    RdmaPort port;
    port.device = "mlx5_0";
    port.in_scope = true;
    out->ports.push_back(port);
    return out;
  };
  History past = history();
  past.add(with_port(1 * kSecond));
  past.add(at(2 * kSecond, {}));
  ASSERT_EQ(past.vanished_ports().size(), 1U);
  EXPECT_EQ(past.vanished_ports()[0].device, "mlx5_0");
  past.add(with_port(3 * kSecond));
  EXPECT_TRUE(past.vanished_ports().empty());
}

TEST(History, forgets_ports_that_nobody_is_to_look_at_any_more) {
  const auto listing = [](std::int64_t when, const std::vector<std::string>& numbers) {
    auto out = at(when, {});
    out->netdevs.clear();
    for (const std::string& number : numbers) {
      RdmaPort port;
      port.device = "mlx5_" + number;
      port.key = "0000:3b:00." + number + "/1";
      port.in_scope = true;
      port.netdev = "eth" + number;
      port.members = {"eth" + number};
      port.uppers = {"vlans"};
      out->ports.push_back(port);
      Netdev netdev;
      netdev.link.name = "eth" + number;
      out->netdevs.push_back(netdev);
    }
    return out;
  };
  const auto vanished = [](const History& past) {
    std::vector<std::string> out;
    for (const RdmaPort& port : past.vanished_ports()) out.push_back(port.device);
    return out;
  };
  const auto is = [](const char* device) { return [device](const RdmaPort& port) { return port.device == device; }; };
  History past = history();
  past.add(listing(1 * kSecond, {"0", "1", "2"}));
  past.forget_ports(is("mlx5_1"));
  past.add(listing(2 * kSecond, {"0"}));
  EXPECT_EQ(vanished(past), (std::vector<std::string>{"mlx5_2"})) << "this one is gone, and nobody left it out";
  ASSERT_EQ(past.events().size(), 2U);
  EXPECT_EQ(past.events()[0].owner, "mlx5_2/1");
  EXPECT_EQ(past.events()[1].owner, "eth2");
  past.forget_ports(is("mlx5_2"));
  EXPECT_TRUE(vanished(past).empty()) << "one that vanished before it was left out";
  past.add(listing(3 * kSecond, {"0", "1"}));
  past.add(listing(4 * kSecond, {"0"}));
  EXPECT_EQ(vanished(past), (std::vector<std::string>{"mlx5_1"})) << "looked at again, and gone";
}

TEST(History, does_not_take_line_counters_that_a_link_clears_for_a_driver_that_began_anew) {
  History past({CounterId::RxDiscardsPhy});
  past.add(at(1 * kSecond, {value(CounterId::FecCorrectedBits, 900), value(CounterId::RxDiscardsPhy, 5)}));
  past.add(at(2 * kSecond, {value(CounterId::FecCorrectedBits, 0), value(CounterId::RxDiscardsPhy, 6)}));
  EXPECT_TRUE(past.events().empty());
}

TEST(History, takes_what_rose_while_the_whole_set_began_anew_for_no_growth) {
  constexpr CounterId kRises = CounterId::LinkDownEvents, kBegins = CounterId::TransportRetryExceeded;
  const auto read = [](std::uint64_t rises, std::uint64_t falls, std::uint64_t begins) {
    return std::vector<CounterValue>{value(CounterId::RxDiscardsPhy, falls), value(kRises, rises),
                                     value(CounterId::RxCrcErrors, falls), value(kBegins, begins)};
  };
  const auto sorted = [](std::vector<CounterValue> values) {
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return values;
  };
  History past({CounterId::RxDiscardsPhy, kRises, kBegins});
  past.add(at(1 * kSecond, sorted(read(3, 1000, 0))));
  past.add(at(2 * kSecond, sorted(read(900'000, 0, 5000))));
  EXPECT_FALSE(past.increase("eth0", kRises, kNoLane, 10));
  EXPECT_DOUBLE_EQ(past.increase("eth0", kBegins, kNoLane, 10)->amount, 5000) << "it grew, whatever began anew";
  past.add(at(3 * kSecond, sorted(read(900'002, 1, 5000))));
  EXPECT_DOUBLE_EQ(past.increase("eth0", kRises, kNoLane, 10)->amount, 2);
}

TEST(History, takes_one_counter_of_two_that_fell_for_a_reset_of_that_one) {
  History past = history();
  past.add(at(1 * kSecond, {value(CounterId::LinkDownEvents, 3), value(CounterId::RxDiscardsPhy, 1000)}));
  past.add(at(2 * kSecond, {value(CounterId::LinkDownEvents, 8), value(CounterId::RxDiscardsPhy, 5)}));
  EXPECT_DOUBLE_EQ(past.increase("eth0", CounterId::LinkDownEvents, kNoLane, 10)->amount, 5);
  EXPECT_TRUE(past.events().empty());
}

TEST(History, takes_no_wrap_where_the_whole_set_began_anew) {
  History past = history();
  past.add(at(1 * kSecond, {value(CounterId::LinkDownEvents, 0xFFFFFFF0U, 32), value(CounterId::RxDiscardsPhy, 1000)}));
  past.add(at(2 * kSecond, {value(CounterId::LinkDownEvents, 1, 32), value(CounterId::RxDiscardsPhy, 0)}));
  EXPECT_FALSE(past.increase("eth0", CounterId::LinkDownEvents, kNoLane, 10));
  EXPECT_DOUBLE_EQ(*past.unwrapped("eth0", value(CounterId::LinkDownEvents, 1, 32)), 1);
}

TEST(History, counts_the_newest_read_even_when_it_ended_after_the_middle_of_the_snapshot) {
  History past = history();
  past.add(at(1'500'000'000, {value(CounterId::RxDiscardsPhy, 1)}));
  auto late = at(2'990'000'000, {value(CounterId::RxDiscardsPhy, 3)});
  late->netdevs[0].counters.at_monotonic_ns = 3'010'000'000;
  past.add(late);
  const auto growth = past.increase("eth0", CounterId::RxDiscardsPhy, kNoLane, 60);
  ASSERT_TRUE(growth);
  EXPECT_DOUBLE_EQ(growth->amount, 2);
}

TEST(History, forgets_no_port_over_one_failed_listing_nor_over_a_rename) {
  const auto with_port = [](std::int64_t when, const char* device) {
    auto out = at(when, {});
    RdmaPort port;
    port.device = device;
    port.key = "0000:3b:00.0/1";
    port.in_scope = true;
    port.members = {"eth0"};
    out->ports.push_back(port);
    return out;
  };
  History past = history();
  past.add(with_port(1 * kSecond, "mlx5_0"));
  auto failed = at(2 * kSecond, {});
  failed->netdevs.clear();
  failed->collectors.push_back({"rdma_ports", 0, true, Absent{Why::TimedOut, ""}});
  past.add(failed);
  EXPECT_TRUE(past.vanished_ports().empty());
  past.add(with_port(3 * kSecond, "mlx5_0"));
  EXPECT_TRUE(past.events().empty()) << "nothing appeared: it had been there all the time";
  past.add(with_port(4 * kSecond, "rocep59s0"));
  EXPECT_TRUE(past.vanished_ports().empty());
}

TEST(History, takes_the_past_of_what_was_renamed_along) {
  const auto named = [](std::int64_t when, const char* first, const char* second, std::uint64_t count) {
    auto out = at(when, {value(CounterId::RxDiscardsPhy, count)});
    out->netdevs.push_back(out->netdevs[0]);
    out->netdevs[0].link.name = first;
    out->netdevs[0].link.index = 7;
    out->netdevs[1].link.name = second;
    out->netdevs[1].link.index = 8;
    out->netdevs[1].counters.values[0].raw = 1'000'000 + 10 * count;
    return out;
  };
  History past = history();
  past.add(named(1 * kSecond, "eth0", "eth1", 0));
  past.add(named(2 * kSecond, "eth0", "eth1", 5));
  past.add(named(3 * kSecond, "rdma0", "eth1", 8));
  past.add(named(4 * kSecond, "eth1", "rdma0", 9));  // swapped
  const auto growth = [&](const char* owner) {
    const auto grown = past.increase(owner, CounterId::RxDiscardsPhy, kNoLane, 60);
    return grown ? grown->amount : -1;
  };
  EXPECT_DOUBLE_EQ(growth("eth1"), 9);
  EXPECT_DOUBLE_EQ(growth("rdma0"), 90);
  EXPECT_DOUBLE_EQ(growth("eth0"), -1);
  EXPECT_DOUBLE_EQ(past.observed_seconds("eth1"), 3);
  EXPECT_TRUE(past.events().empty()) << "nothing came or went, and no counters began anew";
}

TEST(History, takes_the_past_of_an_rdma_device_that_was_renamed_along) {
  const auto named = [](std::int64_t when, const char* device, std::uint64_t count) {
    auto out = at(when, {});
    RdmaPort port;
    port.device = device;
    port.port = 1;
    port.key = "0000:3b:00.0/1";
    port.in_scope = true;
    port.members = {"eth0"};
    port.counters.values = {value(CounterId::RxDiscardsPhy, count)};
    port.counters.at_monotonic_ns = when;
    port.counters.offered = {CounterId::RxDiscardsPhy};
    out->ports.push_back(port);
    return out;
  };
  History past = history();
  past.add(named(1 * kSecond, "mlx5_0", 5));
  past.add(named(2 * kSecond, "mlx5_0", 7));
  past.add(named(3 * kSecond, "rocep59s0", 12));
  auto bonded = named(4 * kSecond, "mlx5_bond_0", 900);
  bonded->ports[0].members.push_back("eth1");
  History other = history();
  other.add(named(1 * kSecond, "mlx5_0", 5));
  other.add(bonded);
  EXPECT_FALSE(other.increase("mlx5_bond_0/1", CounterId::RxDiscardsPhy, kNoLane, 60)) << "counts both ports now";
  const auto grown = past.increase("rocep59s0/1", CounterId::RxDiscardsPhy, kNoLane, 60);
  ASSERT_TRUE(grown);
  EXPECT_DOUBLE_EQ(grown->amount, 7);
  EXPECT_TRUE(past.events().empty());
}

TEST(History, waits_for_the_next_read_where_a_counter_in_two_halves_may_be_torn) {
  constexpr CounterId kId = CounterId::FecUncorrectableBlocks;
  const auto halves = [](std::uint64_t raw) {
    CounterValue out = value(kId, raw, 32);
    out.in_halves = true;
    return out;
  };
  struct Case {
    const char* what;
    std::vector<std::uint64_t> reads;
    double grown;
  };
  for (const Case& c : {Case{"high half too new", {0xfff0, 0x1fffe, 0x10003, 0x10004}, 0x14},
                        Case{"low half too new", {0xfff0, 0x00003, 0x10003, 0x10004}, 0x14},
                        Case{"a real carry", {0xfff0, 0x10002, 0x10003, 0x10004}, 0x14},
                        Case{"a carry a read", {0, 0x11000, 0x22000, 0x33000, 0x44000}, 0x44000},
                        Case{"over the whole width", {0xfffffff0, 0x0000fffe, 0x3, 0x4}, 0x14},
                        Case{"no carry", {5, 9, 12}, 7}, Case{"began anew", {0xfff0, 2, 3, 5}, 2}}) {
    SCOPED_TRACE(c.what);
    History past({kId});
    double exported = 0;
    for (std::size_t k = 0; k < c.reads.size(); ++k) {
      past.add(at(static_cast<std::int64_t>(k + 1) * kSecond, {halves(c.reads[k])}));
      const double shown = *past.unwrapped("eth0", halves(c.reads[k]));
      if (c.grown > 2) {
        EXPECT_GE(shown, exported) << "read " << k;
      }
      exported = shown;
    }
    const auto grown = past.increase("eth0", kId, kNoLane, 60);
    ASSERT_TRUE(grown);
    EXPECT_DOUBLE_EQ(grown->amount, c.grown);
  }
}

TEST(History, knows_what_a_torn_reading_grew_by_at_least) {
  constexpr CounterId kId = CounterId::FecUncorrectableBlocks;
  const auto grown = [](std::uint64_t from, std::uint64_t to) {
    CounterValue before = value(kId, from, 32), now = value(kId, to, 32);
    before.in_halves = now.in_halves = true;
    History past({kId});
    past.add(at(1 * kSecond, {before}));
    past.add(at(2 * kSecond, {now}));
    const auto out = past.increase("eth0", kId, kNoLane, 60);
    return out ? out->amount : -1;
  };
  EXPECT_DOUBLE_EQ(grown(10, 100'000), 100'000 - 65'536 - 10);
  EXPECT_DOUBLE_EQ(grown(60'000, 70'000), -1) << "another reading tells";
  EXPECT_DOUBLE_EQ(grown(10, 200'000), 199'990) << "not one carry alone";
}

TEST(History, knows_since_when_each_owner_is_watched) {
  History past = history();
  past.add(at(1 * kSecond, {}));
  auto second = at(601 * kSecond, {});
  Netdev late = second->netdevs[0];
  late.link.name = "eth1";
  second->netdevs.push_back(late);
  past.add(second);
  EXPECT_DOUBLE_EQ(past.observed_seconds("eth0"), 600);
  EXPECT_DOUBLE_EQ(past.observed_seconds("eth1"), 0);
}

TEST(History, keeps_the_growth_of_a_pci_functions_errors) {
  History past({CounterId::PcieAerCorrectable});
  for (std::uint64_t s = 1; s <= 3; ++s) {
    auto now = std::make_shared<Snapshot>();
    now->before = now->after = {static_cast<std::int64_t>(s) * kSecond, static_cast<std::int64_t>(s) * kSecond};
    PciFunction bridge;
    bridge.address = "0000:3a:00.0";
    bridge.aer = std::map<std::string, std::uint64_t>{{"correctable", 100 * s}, {"fatal", 0}};
    now->pci = {bridge};
    past.add(now);
  }
  const auto grown = past.increase("pci/0000:3a:00.0", CounterId::PcieAerCorrectable, kNoLane, 60);
  ASSERT_TRUE(grown);
  EXPECT_DOUBLE_EQ(grown->amount, 200);
}

TEST(History, holds_a_day_of_all_signals_of_8_ports_in_less_than_12_megabytes) {
  std::vector<CounterId> ids;
  for (std::size_t i = 0; i < Columns::kMaxSignals; ++i) ids.push_back(static_cast<CounterId>(i));
  History past(ids);
  for (int s = 1; s <= 3; ++s) {
    auto now = std::make_shared<Snapshot>();
    now->before = now->after = {s * kSecond, s * kSecond};
    for (int n = 0; n < 8; ++n) {
      Netdev netdev;
      netdev.link.name = "eth" + std::to_string(n);
      for (const CounterId id : ids) netdev.counters.values.push_back(value(id, static_cast<std::uint64_t>(s)));
      netdev.counters.at_monotonic_ns = s * kSecond;
      now->netdevs.push_back(std::move(netdev));
    }
    past.add(now);
  }
  EXPECT_LT(past.memory_bytes(), 12'000'000U);
  EXPECT_GT(past.memory_bytes(), 8'000'000U);
}

}  // namespace
}  // namespace roceready
