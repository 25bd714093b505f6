// SPDX-License-Identifier: Apache-2.0
// What is asked of a machine: nothing of excluded devices, no statistics of what is out of scope, and not more than
// budgeted.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collectors/sampler.h"
#include "tests/doubles/counting_host.h"
#include "tests/doubles/mlx5_host.h"
#include "tests/hosts/pipeline.h"

namespace roceready::hosts {
namespace {

using doubles::CountingHost;

struct Watched {
  std::vector<std::map<std::string, std::size_t>> asked;  ///< by sample
  Snapshot last;
};

Watched watch(const Recording& recording, Selection selection) {
  RecordedHost recorded(recording);
  CountingHost counting(recorded.host());
  Host host = counting.host();
  SamplerOptions options;
  options.selection = std::move(selection);
  Sampler sampler(options);
  Watched out;
  for (std::size_t i = 0; i < recording.samples.size(); ++i) {
    recorded.select(i);
    counting.forget();
    out.last = sampler.sample(host);
    out.asked.push_back(counting.asked());
  }
  return out;
}

std::size_t total(const std::map<std::string, std::size_t>& asked) {
  std::size_t out = 0;
  for (const auto& [key, count] : asked) out += count;
  return out;
}

bool names(const std::string& key, const std::string& word) {
  for (std::size_t at = key.find(word); at != std::string::npos; at = key.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || key[at - 1] == '/') && (end == key.size() || key[end] == '/')) return true;
  }
  return false;
}

TEST(DoNoHarm, no_question_names_an_excluded_rdma_device_or_its_netdev) {
  const Recording recording = doubles::healthy_mlx5_host(3).build();
  Selection selection;
  selection.exclude = {"mlx5_1", "enp75s0np0"};
  const Watched seen = watch(recording, selection);
  for (const auto& sample : seen.asked)
    for (const auto& [key, count] : sample)
      for (const char* word : {"mlx5_1", "enp75s0np0", "0000:4b:00.0"}) EXPECT_FALSE(names(key, word)) << key;
  EXPECT_EQ(seen.last.ports.size(), 2U);
}

TEST(DoNoHarm, no_question_names_a_device_excluded_by_rdma_name_alone_beyond_the_lists) {
  const Watched seen =
      watch(doubles::healthy_mlx5_host(2).build(), {.include = {}, .exclude = {"mlx5_1"}, .expected = {}});
  for (const auto& sample : seen.asked)
    for (const auto& [key, count] : sample) {
      EXPECT_FALSE(names(key, "mlx5_1")) << key;
      EXPECT_FALSE(key.starts_with("ethtool/") && names(key, "enp75s0np0")) << key;
      EXPECT_FALSE(key.starts_with("netlink/ethtool/") && names(key, "enp75s0np0")) << key;
    }
}

TEST(DoNoHarm, virtual_functions_cost_one_link_read_and_no_statistics) {
  doubles::Mlx5Host host = doubles::healthy_mlx5_host(1);
  host.virtual_functions = 128;
  const Watched seen = watch(host.build(), {});
  std::map<std::string, std::size_t> each_tick;  // questions about one virtual function, later samples
  for (std::size_t i = 0; i < seen.asked.size(); ++i) {
    for (const auto& [key, count] : seen.asked[i]) {
      for (unsigned vf = 1; vf <= 128; ++vf) {
        const std::string device = "mlx5_" + std::to_string(vf), netdev = "ens0v" + std::to_string(vf - 1);
        if (!names(key, device) && !names(key, netdev)) continue;
        EXPECT_FALSE(key.starts_with("ethtool/") || key.starts_with("netlink/ethtool/") ||
                     key.starts_with("netlink/dcb/") || key.starts_with("netlink/rdma/statistics/") ||
                     key.starts_with("verbs/"))
            << key;
        if (i > 0) each_tick[device] += count;
      }
    }
  }
  for (const auto& [device, count] : each_tick) EXPECT_LE(count, seen.asked.size() - 1) << device;
  EXPECT_LE(each_tick.size(), 32U);
}

TEST(DoNoHarm, a_tick_stays_within_its_budget_of_questions) {
  // Per port and second: port state, link state, statistics, pause, FEC, link modes, hardware and port counters.
  constexpr std::size_t kPerPort = 10, kPerNode = 8, kFirstOfPort = 72, kFirstOfNode = 80;
  for (const std::size_t ports : {1U, 2U, 8U, 16U}) {
    const Watched seen = watch(doubles::healthy_mlx5_host(ports).build(), {});
    std::printf("%2zu ports: %zu questions in the first sample, then", ports, total(seen.asked.front()));
    for (std::size_t i = 1; i < seen.asked.size(); ++i) {
      std::printf(" %zu", total(seen.asked[i]));
      EXPECT_LE(total(seen.asked[i]), kPerNode + ports * kPerPort);
    }
    std::printf(" a tick\n");
    EXPECT_LE(total(seen.asked.front()), kFirstOfNode + ports * kFirstOfPort);
  }
}

TEST(DoNoHarm, statistics_are_read_once_a_tick_and_names_only_once) {
  const Watched seen = watch(doubles::healthy_mlx5_host(2).build(), {});
  for (std::size_t i = 0; i < seen.asked.size(); ++i) {
    for (const auto& [key, count] : seen.asked[i]) {
      if (key.starts_with("ethtool/statistics_values/")) {
        EXPECT_EQ(count, 1U) << key;
      }
      if (key.starts_with("ethtool/statistics_names/")) {
        EXPECT_EQ(i, 0U) << key;
      }
    }
  }
}

TEST(DoNoHarm, a_refused_question_is_not_repeated_every_tick) {
  doubles::Mlx5Host host = doubles::healthy_mlx5_host(1);
  const std::string key = "ethtool/statistics_values/" + host.members[0].netdev;
  host.refuse[key] = 95;  // EOPNOTSUPP
  const Watched seen = watch(host.build(), {});
  std::size_t times = 0;
  for (const auto& sample : seen.asked) times += sample.contains(key) ? sample.at(key) : 0;
  EXPECT_LE(times, 1U);
}

}  // namespace
}  // namespace roceready::hosts
