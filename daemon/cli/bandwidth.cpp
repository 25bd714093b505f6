// SPDX-License-Identifier: Apache-2.0
#include "daemon/cli/bandwidth.h"

#include <chrono>
#include <cmath>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/text.h"
#include "daemon/cli/interruption.h"
#include "daemon/export/bandwidth_view.h"
#include "daemon/probing/bandwidth_judging.h"
#include "daemon/probing/http_channel.h"
#include "daemon/probing/live_verbs.h"
#include "daemon/setup.h"
#include "daemon/source.h"

namespace roceready::daemon::cli {
namespace {

probes::BandwidthResult run(probes::BandwidthMeasurement& measurement, const probes::verbs::Verbs& clock,
                            const std::string& name, Terminal& terminal) {
  std::stop_source stop;
  const auto progress = [&](double share) {
    constexpr double kWidth = 30;
    if (interrupted()) stop.request_stop();
    if (!terminal.err_is_terminal()) return;
    const auto done = static_cast<std::size_t>(std::lround(share * kWidth));
    terminal.err("\r" + name + " [" + std::string(done, '#') +
                 std::string(static_cast<std::size_t>(kWidth) - done, ' ') + "]  ");
  };
  probes::BandwidthResult out = probes::run_to_end(measurement, clock, stop.get_token(), progress);
  if (terminal.err_is_terminal()) terminal.err("\r\x1b[K");
  return out;
}

}  // namespace

int measure_bandwidth(const BandwidthWish& wish, Terminal& terminal) {
  const auto verbs = live_verbs();
  const auto source = live_source(sampler_options(wish.settings));
  HttpChannel channel;
  BandwidthJudging judging(*source, judge_options(wish.settings, true),
                           [] { std::this_thread::sleep_for(std::chrono::seconds(1)); });
  watch_for_interruption();
  std::vector<MeasuredBandwidth> measured;
  const auto measure = [&](auto&& open, const std::string& name) {
    judging.look();
    probes::BandwidthMeasurement measurement = open();
    MeasuredBandwidth& one = measured.emplace_back();
    one.result = run(measurement, *verbs, name, terminal);
    judging.add_traffic(one.result.run);
  };
  if (wish.peers.empty()) measure([&] { return probes::BandwidthMeasurement(*verbs, wish.plan); }, "loopback");
  for (const probes::PeerAddress& peer : wish.peers) {
    if (interrupted()) break;
    measure([&] { return probes::BandwidthMeasurement(*verbs, channel, peer, wish.plan); }, clean_text(peer.text()));
  }
  judging.judge(measured);
  terminal.out(wish.json ? bandwidth_json(measured) : bandwidth_text(measured, Paint(terminal.out_has_colour())));
  return bandwidth_exit_code(measured);
}

}  // namespace roceready::daemon::cli
