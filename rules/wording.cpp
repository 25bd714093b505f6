// SPDX-License-Identifier: Apache-2.0
#include "rules/wording.h"

#include <cmath>
#include <cstddef>

#include "core/base/text.h"

namespace roceready::rules {

std::string percent(double share) {
  return short_number(share * 100) + " %";
}

std::string short_share(double share) {
  return share >= 1e-3 || share <= 0 ? percent(share) : "1 in " + short_number(std::round(1 / share));
}

std::string bit_rate(double bits_per_second) {
  if (bits_per_second >= 1e9) return short_number(bits_per_second * 1e-9) + " Gbit/s";
  return short_number(bits_per_second * 1e-6) + " Mbit/s";
}

std::string transfer_rate(double transfers_per_second) {
  return short_number(transfers_per_second * 1e-9) + " GT/s";
}

std::string counted(double amount, const std::string& singular) {
  return short_number(amount, 6) + " " + singular + (amount == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

std::string priorities_text(std::uint32_t mask) {
  std::vector<std::string> words;
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority)
    if ((mask >> priority & 1U) != 0) words.push_back(std::to_string(priority));
  if (words.empty()) return "no priority";
  return (words.size() == 1 ? "priority " : "priorities ") + joined(words);
}

std::string netdev_name(const Evidence& seen) {
  if (seen.has_member()) return seen.member().link.name;
  return seen.port().netdev.value_or(seen.port().device);
}

std::string port_name(const Evidence& seen) {
  return "RDMA port " + owner_of(seen.port());
}

std::string dcb_source(const Evidence& seen) {
  return "DCB netlink " + netdev_name(seen);
}

}  // namespace roceready::rules
