// SPDX-License-Identifier: Apache-2.0
#include "collectors/dcb_parse.h"

#include "collectors/uapi.h"

namespace roceready {
namespace {

std::uint32_t byte_at(ByteSpan bytes, std::size_t offset) {
  return number_at<std::uint8_t>(bytes, offset).value_or(0);
}

std::array<std::uint32_t, kPriorities> bytes_at(ByteSpan bytes, std::size_t offset) {
  std::array<std::uint32_t, kPriorities> out{};
  for (std::size_t i = 0; i < kPriorities; ++i) out[i] = byte_at(bytes, offset + i);
  return out;
}

template <class T>
std::array<T, kPriorities> numbers_at(ByteSpan bytes, std::size_t offset) {
  std::array<T, kPriorities> out{};
  for (std::size_t i = 0; i < kPriorities; ++i) out[i] = number_at<T>(bytes, offset + i * sizeof(T)).value_or(0);
  return out;
}

/// The struct in a nest: absent when the driver gave none, Malformed when it is shorter than `size`.
template <class T>
Reading<T> struct_in(ByteSpan nest, std::uint16_t type, std::size_t size, const char* name, T (*parse)(ByteSpan)) {
  const auto found = find_attribute(nest, type);
  if (!found) return Absent{Why::NotPresent, std::string("the driver gave no ") + name};
  if (found->payload.size() < size) return Absent{Why::Malformed, std::string(name) + " is too short"};
  return parse(found->payload);
}

PfcFacts pfc_of(ByteSpan bytes) {
  PfcFacts pfc;
  pfc.capability = byte_at(bytes, uapi::kIeeePfcCap);
  pfc.enabled = byte_at(bytes, uapi::kIeeePfcEn);
  pfc.macsec_bypass = byte_at(bytes, uapi::kIeeePfcMbc) != 0;
  pfc.delay = number_at<std::uint16_t>(bytes, uapi::kIeeePfcDelay).value_or(0);
  pfc.requests = numbers_at<std::uint64_t>(bytes, uapi::kIeeePfcRequests);
  pfc.indications = numbers_at<std::uint64_t>(bytes, uapi::kIeeePfcIndications);
  return pfc;
}

EtsFacts ets_of(ByteSpan bytes) {
  EtsFacts ets;
  ets.willing = byte_at(bytes, uapi::kIeeeEtsWilling) != 0;
  ets.capability = byte_at(bytes, uapi::kIeeeEtsCap);
  ets.bandwidth_percent = bytes_at(bytes, uapi::kIeeeEtsTcTxBw);
  ets.algorithm = bytes_at(bytes, uapi::kIeeeEtsTcTsa);
  ets.priority_to_class = bytes_at(bytes, uapi::kIeeeEtsPrioTc);
  return ets;
}

BufferFacts buffers_of(ByteSpan bytes) {
  BufferFacts buffers;
  buffers.priority_to_buffer = bytes_at(bytes, uapi::kDcbBufferPrioToBuffer);
  buffers.size_bytes = numbers_at<std::uint32_t>(bytes, uapi::kDcbBufferSizes);
  buffers.total_bytes = number_at<std::uint32_t>(bytes, uapi::kDcbBufferTotal).value_or(0);
  return buffers;
}

std::array<std::uint64_t, kPriorities> max_rate_of(ByteSpan bytes) {
  constexpr std::uint64_t kKilo = 1000, kAbsurd = UINT64_MAX / kKilo;  // the kernel counts kilobits a second
  auto rates = numbers_at<std::uint64_t>(bytes, 0);
  for (std::uint64_t& rate : rates) rate = rate > kAbsurd ? UINT64_MAX : rate * kKilo;
  return rates;
}

Reading<std::vector<AppEntry>> app_of(ByteSpan ieee) {
  const auto table = find_attribute(ieee, uapi::kDcbAttrIeeeAppTable);
  if (!table) return Absent{Why::NotPresent, "the kernel gave no APP table"};
  std::vector<AppEntry> entries;
  Attributes at(table->payload);
  while (at.next()) {
    const Attribute& app = at.current();
    if (app.type != uapi::kDcbAttrAppTableIeeeApp && app.type != uapi::kDcbAttrAppTableDcbApp) continue;
    const auto protocol = number_at<std::uint16_t>(app.payload, uapi::kDcbAppProtocol);
    if (!protocol) return Absent{Why::Malformed, "an entry of the APP table is too short"};
    entries.push_back(
        {byte_at(app.payload, uapi::kDcbAppSelector), *protocol, byte_at(app.payload, uapi::kDcbAppPriority)});
  }
  if (at.malformed()) return Absent{Why::Malformed, "the APP table is cut off"};
  return entries;
}

}  // namespace

DcbFacts parse_ieee(ByteSpan attributes) {
  DcbFacts out;
  const ByteSpan ieee = find_nest(attributes, uapi::kDcbAttrIeee);
  out.pfc = struct_in<PfcFacts>(ieee, uapi::kDcbAttrIeeePfc, uapi::kIeeePfcSize, "PFC state", pfc_of);
  out.ets = struct_in<EtsFacts>(ieee, uapi::kDcbAttrIeeeEts, uapi::kIeeeEtsSize, "ETS state", ets_of);
  out.buffers = struct_in<BufferFacts>(ieee, uapi::kDcbAttrIeeeBuffer, uapi::kDcbBufferSize, "buffers", buffers_of);
  out.max_rate = struct_in<std::array<std::uint64_t, kPriorities>>(ieee, uapi::kDcbAttrIeeeMaxRate,
                                                                   uapi::kIeeeMaxRateSize, "rate limits", max_rate_of);
  out.app = app_of(ieee);
  out.dcbx = parse_dcbx(attributes);
  return out;
}

Reading<std::uint32_t> parse_dcbx(ByteSpan attributes) {
  const auto flags = find_number<std::uint8_t>(attributes, uapi::kDcbAttrDcbx);
  if (!flags) return Absent{Why::NotPresent, "the driver gave no DCBX mode"};
  return std::uint32_t{*flags};
}

}  // namespace roceready
