// SPDX-License-Identifier: Apache-2.0
// The files of a recording that somebody sent, without the file system: the first byte says which file the rest is.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/host/recording.h"
#include "core/host/recording_format.h"

namespace {

using namespace roceready;
using namespace roceready::recording_format;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Every answer of the sample is there under its own key, and asking for anything never crashes.
void replay(RecordedSample sample) {
  Recording recording;
  sample.clock.push_back({1, 2});
  recording.samples.push_back(std::move(sample));
  RecordedHost recorded(recording);
  Host host = recorded.host();
  for (const auto& [key, answer] : recording.samples[0].answers) {
    require(decode_key(encode_key(key)) == key);
    const bool readable = host.files.read("/" + key, SIZE_MAX).has_value();
    // Leading slashes of a key are lost in a path: such a key cannot be asked for.
    require(key.starts_with('/') || readable == (answer.kind == Answer::Kind::Data));
  }
  static_cast<void>(host.links.links());
  static_cast<void>(host.rdma.devices());
  static_cast<void>(host.ethtool.statistics_values("eth0", 3));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  RecordedSample sample;
  switch (data[0] % 8) {
    case 0:
      static_cast<void>(parse_host_info(text, "host.json"));
      break;
    case 1:
      if (const auto clock = parse_clock(text, "clock.json"))
        for (const SampleClock& entry : *clock) require(!entry.readings.empty());
      break;
    case 2:
      if (parse_data(text, "data.json", sample)) replay(std::move(sample));
      break;
    case 3:
      if (parse_lists(text, "lists.json", sample)) replay(std::move(sample));
      break;
    case 4:
      if (parse_refused(text, "refused.json", sample)) replay(std::move(sample));
      break;
    case 5:
      require(from_hex(to_hex(text)) == text);
      break;
    case 6:
      if (const auto bytes = from_hex(text)) require(from_hex(to_hex(*bytes)) == bytes);
      break;
    default:
      require(decode_key(encode_key(text)) == text);
      if (const auto key = decode_key(text)) require(encode_key(*key) == text);
      break;
  }
  return 0;
}
