// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "daemon/export/paint.h"
#include "daemon/probing/bandwidth_judging.h"

namespace roceready::daemon {

/// `{"peers": [...]}`, with the members that other kinds of probes have, and `bandwidth` and `judgement`.
[[nodiscard]] std::string bandwidth_json(const std::vector<MeasuredBandwidth>& measured);
/// A line a measurement, and below it what is said of it.
[[nodiscard]] std::string bandwidth_text(const std::vector<MeasuredBandwidth>& measured, const Paint& paint);
/// The worst of all: 0 all well, 1 a bandwidth is low, 2 a peer was not reached, 3 not measured, or not judged.
[[nodiscard]] int bandwidth_exit_code(const std::vector<MeasuredBandwidth>& measured);

}  // namespace roceready::daemon
