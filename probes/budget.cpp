// SPDX-License-Identifier: Apache-2.0
#include "probes/budget.h"

#include <algorithm>
#include <cmath>

#include "probes/wire.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::uint64_t kLargestCount = 4'000'000'000;  // × a billion fits
constexpr std::int64_t kFirstPause = 100'000'000, kLongestPause = 30 * kBillion;
constexpr std::uint32_t kMostTargets = 1U << 20;
constexpr std::uint64_t kMostToOneTarget = 1000;
constexpr std::int64_t kCpuPeriod = 10;  // seconds over which the share of a core holds
constexpr std::uint64_t kAnswerMessages = 2, kLargestAnswer = kLargestMessage + kHeaderBytes;  // both replies

std::int64_t billionths(std::uint64_t tokens) {
  return static_cast<std::int64_t>(std::min(tokens, kLargestCount)) * kBillion;
}

/// Tokens of the CPU bucket are microseconds.
std::uint64_t cpu_per_second(double share) {
  return std::isfinite(share) ? static_cast<std::uint64_t>(std::clamp(share, 1e-6, 1.0) * 1e6) : 1;
}

}  // namespace

TokenBucket::TokenBucket(std::uint64_t per_second, std::uint64_t burst)
    : rate_(static_cast<std::int64_t>(std::min(per_second, kLargestCount))),
      capacity_(billionths(burst)),
      level_(capacity_) {}

void TokenBucket::refill(std::int64_t now_ns) {
  if (!started_) {
    started_ = true;
    last_ns_ = now_ns;
  }
  if (now_ns <= last_ns_) return;
  // As unsigned: moments may be far apart, and the level far below zero.
  const std::uint64_t elapsed = static_cast<std::uint64_t>(now_ns) - static_cast<std::uint64_t>(last_ns_);
  last_ns_ = now_ns;
  const std::uint64_t room = static_cast<std::uint64_t>(capacity_) - static_cast<std::uint64_t>(level_);
  const auto rate = static_cast<std::uint64_t>(rate_);
  if (rate == 0 || room == 0) return;
  if (elapsed > room / rate)
    level_ = capacity_;
  else
    level_ += static_cast<std::int64_t>(elapsed * rate);
}

bool TokenBucket::has(std::uint64_t tokens, std::int64_t now_ns) {
  refill(now_ns);
  return tokens <= kLargestCount && level_ >= billionths(tokens);
}

bool TokenBucket::take(std::uint64_t tokens, std::int64_t now_ns) {
  if (!has(tokens, now_ns)) return false;
  level_ -= billionths(tokens);
  return true;
}

void TokenBucket::owe(std::uint64_t tokens, std::int64_t now_ns, std::uint64_t most) {
  refill(now_ns);
  level_ = std::max(level_ - billionths(tokens), -billionths(most));
}

const char* name_of(Held held) {
  switch (held) {
    case Held::No:
      return "no";
    case Held::Messages:
      return "packets_per_second";
    case Held::Bytes:
      return "bytes_per_second";
    case Held::Target:
      return "per_target_per_second";
    case Held::Core:
      return "core_share";
    case Held::BackOff:
      return "back_off";
    case Held::kCount:
      break;
  }
  return "?";
}

Budget::Budget(const BudgetLimits& limits)
    : limits_(limits),
      target_most_(std::clamp<std::uint64_t>(limits.per_target_per_second, 1, kMostToOneTarget)),
      message_burst_(std::max<std::uint64_t>(limits.messages_per_second / 10, 1)),
      byte_burst_(std::max<std::uint64_t>(limits.bytes_per_second / 10, kLargestMessage)),
      cpu_second_(cpu_per_second(limits.core_share)),
      messages_(limits.messages_per_second, message_burst_),
      bytes_(limits.bytes_per_second, byte_burst_),
      cpu_(cpu_second_, cpu_second_ * kCpuPeriod),
      half_messages_(limits.messages_per_second, 2 * std::max(message_burst_, kAnswerMessages)),
      half_bytes_(limits.bytes_per_second, 2 * std::max(byte_burst_, kLargestAnswer)) {}

bool Budget::too_often(const Recent& target, std::int64_t now_ns) const {
  return target.at_ns.size() == target_most_ && now_ns - target.at_ns[target.oldest] < kBillion;
}

Held Budget::ask(std::uint32_t target, std::size_t bytes, std::int64_t now_ns) {
  const std::lock_guard guard(lock_);
  const auto held = [&](Held why) {
    ++spent_.held;
    return why;
  };
  if (paused_ && now_ns < pause_until_ns_) return held(Held::BackOff);
  if (target >= kMostTargets) return held(Held::Target);
  if (target >= targets_.size()) targets_.resize(std::size_t{target} + 1);
  Recent& recent = targets_[target];
  if (too_often(recent, now_ns)) return held(Held::Target);
  if (!cpu_.has(1, now_ns)) return held(Held::Core);
  if (!bytes_.has(bytes, now_ns)) return held(Held::Bytes);
  if (!messages_.has(1, now_ns)) return held(Held::Messages);
  (void)messages_.take(1, now_ns);
  (void)bytes_.take(bytes, now_ns);
  if (recent.at_ns.size() < target_most_) {
    recent.at_ns.push_back(now_ns);
  } else {
    recent.at_ns[recent.oldest] = now_ns;
    recent.oldest = (recent.oldest + 1) % target_most_;
  }
  ++spent_.messages;
  spent_.bytes += bytes;
  return Held::No;
}

void Budget::pay(std::uint64_t messages, std::size_t bytes, std::int64_t now_ns) {
  messages_.owe(messages, now_ns, std::min(message_burst_, limits_.messages_per_second));
  bytes_.owe(bytes, now_ns, std::min(byte_burst_, limits_.bytes_per_second));
  spent_.messages += messages;
  spent_.bytes += bytes;
}

void Budget::answer(std::uint64_t messages, std::size_t bytes, std::int64_t now_ns) {
  const std::lock_guard guard(lock_);
  pay(messages, bytes, now_ns);
}

bool Budget::answer_on_demand(std::uint64_t messages, std::size_t bytes, std::int64_t now_ns) {
  const std::lock_guard guard(lock_);
  if (!half_bytes_.has(2 * bytes, now_ns) || !half_messages_.take(2 * messages, now_ns)) {
    ++spent_.held;
    return false;
  }
  (void)half_bytes_.take(2 * bytes, now_ns);
  pay(messages, bytes, now_ns);
  return true;
}

void Budget::used_cpu(std::int64_t cpu_ns, std::int64_t now_ns) {
  if (cpu_ns <= 0) return;
  const std::lock_guard guard(lock_);
  spent_.cpu_ns += static_cast<std::uint64_t>(cpu_ns);
  // What is below a microsecond is carried to the next call.
  const std::uint64_t whole = static_cast<std::uint64_t>(cpu_ns) + cpu_rest_ns_;
  cpu_rest_ns_ = whole % 1000;
  cpu_.owe(whole / 1000, now_ns, cpu_second_);
}

void Budget::used_cpu_on_demand(std::int64_t cpu_ns) {
  const std::lock_guard guard(lock_);
  spent_.cpu_ns += static_cast<std::uint64_t>(std::max<std::int64_t>(cpu_ns, 0));
}

Budget::Spent Budget::spent() const {
  const std::lock_guard guard(lock_);
  return spent_;
}

void Budget::trouble(std::int64_t now_ns) {
  const std::lock_guard guard(lock_);
  if (paused_ && now_ns < pause_until_ns_) return;
  pause_ns_ = pause_ns_ == 0 ? kFirstPause : std::min(2 * pause_ns_, kLongestPause);
  pause_until_ns_ = now_ns + pause_ns_;
  paused_ = true;
}

void Budget::calm() {
  const std::lock_guard guard(lock_);
  pause_ns_ = 0;
}

}  // namespace roceready::probes
