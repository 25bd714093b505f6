// SPDX-License-Identifier: Apache-2.0
#include "collectors/ethtool_parse.h"

#include <algorithm>

#include "collectors/ethtool_words.h"
#include "collectors/link_modes.h"
#include "collectors/uapi.h"
#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::uint32_t kMaxBits = 4096;

template <class T>
Reading<T> reading(std::optional<T> value, const char* what) {
  if (value) return std::move(*value);
  return Absent{Why::NotPresent, std::string("the kernel gave no ") + what};
}

Reading<bool> flag(ByteSpan attributes, std::uint16_t type, const char* what) {
  const auto value = find_number<std::uint8_t>(attributes, type);
  return reading<bool>(value ? std::optional<bool>(*value != 0) : std::nullopt, what);
}

std::string field_text(ByteSpan bytes, std::size_t offset, std::size_t size) {
  return std::string(trim(clean_text(text_of(bytes.subspan(offset, size)))));
}

std::vector<std::uint32_t> bits_of(ByteSpan words, std::uint32_t size) {
  std::vector<std::uint32_t> bits;
  for (std::uint32_t bit = 0; bit < size; ++bit) {
    const auto word = number_at<std::uint32_t>(words, std::size_t{bit / 32} * 4);
    if (!word) break;
    if ((*word >> (bit % 32) & 1U) != 0) bits.push_back(bit);
  }
  return bits;
}

/// A bit that is listed belongs to the mask; its VALUE flag puts it into the value. Without a mask listed is set.
void parse_verbose_bits(ByteSpan nest, bool no_mask, Bitset& out) {
  for (Attributes at(nest); at.next();) {
    const ByteSpan bit = at.current().payload;
    const auto index = find_number<std::uint32_t>(bit, uapi::kEthtoolABitsetBitIndex);
    if (at.current().type != uapi::kEthtoolABitsetBitsBit || !index || *index >= kMaxBits) continue;
    if (!no_mask) out.mask.push_back(*index);
    if (no_mask || find_attribute(bit, uapi::kEthtoolABitsetBitValue)) out.value.push_back(*index);
  }
}

Reading<std::uint64_t> fastest(const std::vector<std::uint32_t>& bits, const char* what) {
  std::uint64_t best = 0;
  for (const std::uint32_t bit : bits) best = std::max(best, speed_of_link_mode(bit));
  if (best == 0) return Absent{Why::NotPresent, std::string("no speed among the ") + what + " link modes"};
  return best;
}

/// Element 0 of an array of u64 is the total; an empty array says that the driver has none.
Reading<std::uint64_t> fec_total(ByteSpan stats, std::uint16_t type) {
  const auto array = find_attribute(stats, type);
  const auto total = array ? array->number<std::uint64_t>() : std::nullopt;
  if (!total) return Absent{Why::NotSupported, "the driver gives no such FEC statistic"};
  return *total;
}

}  // namespace

Result<DriverInfo> parse_driver_info(ByteSpan bytes) {
  if (bytes.size() < uapi::kDrvInfoSize) return Error{ErrorCode::Malformed, "driver information is too short", ""};
  return DriverInfo{field_text(bytes, uapi::kDrvInfoDriverOffset, uapi::kDrvInfoTextSize),
                    field_text(bytes, uapi::kDrvInfoVersionOffset, uapi::kDrvInfoTextSize),
                    field_text(bytes, uapi::kDrvInfoFwVersionOffset, uapi::kDrvInfoTextSize),
                    field_text(bytes, uapi::kDrvInfoBusInfoOffset, uapi::kDrvInfoTextSize)};
}

Reading<std::uint32_t> parse_pfc_prevention_timeout(ByteSpan bytes) {
  const auto milliseconds = number_at<std::uint16_t>(bytes, 0);
  if (!milliseconds) return Absent{Why::Malformed, "the PFC stall limit is too short"};
  return std::uint32_t{*milliseconds};
}

Result<std::vector<std::string>> parse_statistics_names(ByteSpan bytes) {
  if (bytes.size() % uapi::kStatisticNameSize != 0) {
    return Error{ErrorCode::Malformed, "statistics names are no multiple of 32 bytes", ""};
  }
  std::vector<std::string> names;
  names.reserve(bytes.size() / uapi::kStatisticNameSize);
  for (std::size_t at = 0; at < bytes.size(); at += uapi::kStatisticNameSize) {
    names.push_back(field_text(bytes, at, uapi::kStatisticNameSize));
  }
  return names;
}

Result<std::vector<std::uint64_t>> parse_statistics_values(ByteSpan bytes, std::size_t count) {
  if (bytes.size() / 8 != count || bytes.size() % 8 != 0) {
    return Error{ErrorCode::Malformed,
                 "statistics have " + std::to_string(bytes.size()) + " bytes for " + std::to_string(count) + " names",
                 ""};
  }
  std::vector<std::uint64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = number_at<std::uint64_t>(bytes, i * 8).value_or(0);
  return values;
}

Bitset parse_bitset(ByteSpan nest) {
  Bitset out;
  const bool no_mask = find_attribute(nest, uapi::kEthtoolABitsetNoMask).has_value();
  if (const auto verbose = find_attribute(nest, uapi::kEthtoolABitsetBits)) {
    parse_verbose_bits(verbose->payload, no_mask, out);
    return out;
  }
  const std::uint32_t size =
      std::min(find_number<std::uint32_t>(nest, uapi::kEthtoolABitsetSize).value_or(0), kMaxBits);
  out.value = bits_of(find_nest(nest, uapi::kEthtoolABitsetValue), size);
  if (!no_mask) out.mask = bits_of(find_nest(nest, uapi::kEthtoolABitsetMask), size);
  return out;
}

Reading<std::string> parse_medium(ByteSpan attributes) {
  const auto port = find_number<std::uint8_t>(attributes, uapi::kEthtoolALinkInfoPort);
  if (!port) return Absent{Why::NotPresent, "the kernel gave no kind of port"};
  return port_medium(*port);
}

LinkModes parse_link_modes(ByteSpan attributes) {
  LinkModes out;
  const auto speed = find_number<std::uint32_t>(attributes, uapi::kEthtoolALinkModesSpeed);
  if (speed && *speed != 0 && *speed != uapi::kSpeedUnknown) {
    out.speed_bits_per_second = std::uint64_t{*speed} * 1000000;
  } else {
    out.speed_bits_per_second = Absent{Why::NotPresent, "the speed is unknown while the link is down"};
  }
  out.lanes = reading(find_number<std::uint32_t>(attributes, uapi::kEthtoolALinkModesLanes), "number of lanes");
  if (out.lanes && *out.lanes == 0) out.lanes = Absent{Why::NotPresent, "number of lanes unknown"};
  out.autoneg = flag(attributes, uapi::kEthtoolALinkModesAutoneg, "autonegotiation");
  const Bitset ours = parse_bitset(find_nest(attributes, uapi::kEthtoolALinkModesOurs));
  out.max_supported_bits_per_second = fastest(ours.mask, "supported");
  out.max_advertised_bits_per_second = fastest(ours.value, "advertised");
  const Bitset peer = parse_bitset(find_nest(attributes, uapi::kEthtoolALinkModesPeer));
  out.max_peer_bits_per_second = fastest(peer.value, "partner's");
  return out;
}

LinkState parse_link_state(ByteSpan attributes) {
  LinkState out;
  out.link = flag(attributes, uapi::kEthtoolALinkStateLink, "link state");
  const auto state = find_number<std::uint8_t>(attributes, uapi::kEthtoolALinkStateExtState);
  const auto substate = find_number<std::uint8_t>(attributes, uapi::kEthtoolALinkStateExtSubstate);
  const Absent none{Why::NotPresent, "the driver gives no reason"};
  out.extended_state = none;
  out.extended_substate = none;
  if (state) out.extended_state = link_extended_state(*state);
  if (state && substate) out.extended_substate = link_extended_substate(*state, *substate);
  out.extended_down_count =
      reading(find_number<std::uint32_t>(attributes, uapi::kEthtoolALinkStateExtDownCnt), "count of link-down events");
  return out;
}

PauseFacts parse_pause(ByteSpan attributes) {
  PauseFacts out;
  out.autoneg = flag(attributes, uapi::kEthtoolAPauseAutoneg, "pause autonegotiation");
  out.rx = flag(attributes, uapi::kEthtoolAPauseRx, "receive pause");
  out.tx = flag(attributes, uapi::kEthtoolAPauseTx, "transmit pause");
  const ByteSpan stats = find_nest(attributes, uapi::kEthtoolAPauseStats);
  out.tx_frames = reading(find_number<std::uint64_t>(stats, uapi::kEthtoolAPauseStatTxFrames), "pause frames");
  out.rx_frames = reading(find_number<std::uint64_t>(stats, uapi::kEthtoolAPauseStatRxFrames), "pause frames");
  out.tx_storm_events =
      reading(find_number<std::uint64_t>(stats, uapi::kEthtoolAPauseStatTxPauseStormEvents), "pause storms");
  return out;
}

FecFacts parse_fec(ByteSpan attributes) {
  FecFacts out;
  for (const std::uint32_t bit : parse_bitset(find_nest(attributes, uapi::kEthtoolAFecModes)).value) {
    if (const char* word = fec_of_link_mode(bit)) out.configured.emplace_back(word);
  }
  out.automatic = flag(attributes, uapi::kEthtoolAFecAuto, "automatic FEC");
  out.active = Absent{Why::NotPresent, "the active FEC mode is unknown"};
  const auto active = find_number<std::uint32_t>(attributes, uapi::kEthtoolAFecActive);
  if (const char* word = active ? fec_of_link_mode(*active) : nullptr) out.active = std::string(word);
  const ByteSpan stats = find_nest(attributes, uapi::kEthtoolAFecStats);
  out.corrected_blocks = fec_total(stats, uapi::kEthtoolAFecStatCorrected);
  out.uncorrectable_blocks = fec_total(stats, uapi::kEthtoolAFecStatUncorr);
  out.corrected_bits = fec_total(stats, uapi::kEthtoolAFecStatCorrBits);
  return out;
}

RingFacts parse_rings(ByteSpan attributes) {
  RingFacts out;
  out.rx = reading(find_number<std::uint32_t>(attributes, uapi::kEthtoolARingsRx), "ring size");
  out.rx_max = reading(find_number<std::uint32_t>(attributes, uapi::kEthtoolARingsRxMax), "ring size");
  out.tx = reading(find_number<std::uint32_t>(attributes, uapi::kEthtoolARingsTx), "ring size");
  out.tx_max = reading(find_number<std::uint32_t>(attributes, uapi::kEthtoolARingsTxMax), "ring size");
  return out;
}

}  // namespace roceready
