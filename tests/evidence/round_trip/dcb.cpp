// SPDX-License-Identifier: Apache-2.0
// dcb pfc|ets|app|buffer|maxrate|dcbx show dev NETDEV, as iproute2 prints them.
#include <array>

#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

template <class List, class Text>
std::string keyed(const char* key, const List& list, Text text) {
  std::string out = key;
  for (std::size_t i = 0; i < list.size(); ++i) out += " " + std::to_string(i) + ":" + text(list[i]);
  return out + "\n";
}

std::string plain(std::uint64_t value) {
  return std::to_string(value);
}
std::string on_off(const Reading<bool>& flag) {
  return flag.value_or(false) ? "on" : "off";
}

std::string pfc_of(const PfcFacts& pfc) {
  std::string out = "pfc-cap " + std::to_string(pfc.capability.value_or(8)) + " macsec-bypass " +
                    on_off(pfc.macsec_bypass) + " delay " + std::to_string(pfc.delay.value_or(0)) + "\nprio-pfc";
  for (std::uint8_t p = 0; p < kPriorities; ++p) out += " " + std::to_string(p) + (pfc.on(p) ? ":on" : ":off");
  out += "\n";
  if (pfc.requests) out += keyed("requests", *pfc.requests, plain);
  if (pfc.indications) out += keyed("indications", *pfc.indications, plain);
  return out;
}

std::string ets_of(const EtsFacts& ets) {
  const auto algorithm = [](std::uint32_t number) -> std::string {
    if (number == 1) return "cbs";
    if (number == kAlgorithmEts) return "ets";
    return number == kAlgorithmVendor ? "vendor" : "strict";
  };
  return "willing " + on_off(ets.willing) + " ets-cap " + std::to_string(ets.capability.value_or(8)) + " cbs off\n" +
         keyed("tc-bw", ets.bandwidth_percent, plain) + keyed("tc-tsa", ets.algorithm, algorithm) +
         keyed("prio-tc", ets.priority_to_class, plain);
}

/// One line a selector.
std::string app_of(const std::vector<AppEntry>& table) {
  struct Selector {
    std::uint32_t number;
    const char* key;
  };
  constexpr std::array<Selector, 5> kSelectors{{{1, "ethtype-prio"},
                                                {2, "stream-port-prio"},
                                                {3, "dgram-port-prio"},
                                                {4, "port-prio"},
                                                {kSelectorDscp, "dscp-prio"}}};
  std::string out;
  for (const Selector& selector : kSelectors) {
    std::string line, standard;
    for (const AppEntry& entry : table) {
      if (entry.selector != selector.number) continue;
      if (selector.number == 1 && entry.protocol == 0)
        standard += " " + std::to_string(entry.priority);
      else
        line += " " + std::to_string(entry.protocol) + ":" + std::to_string(entry.priority);
    }
    if (!standard.empty()) out += "default-prio" + standard + "\n";
    if (!line.empty()) out += selector.key + line + "\n";
  }
  return out;
}

std::string buffers_of(const BufferFacts& buffers) {
  std::string out = keyed("prio-buffer", buffers.priority_to_buffer, plain);
  out += keyed("buffer-size", buffers.size_bytes, [](std::uint32_t bytes) { return std::to_string(bytes) + "b"; });
  if (buffers.total_bytes) out += "total-size " + std::to_string(*buffers.total_bytes) + "b\n";
  return out;
}

std::string flags_of(std::uint32_t dcbx) {
  constexpr std::array<const char*, 5> kFlags{"host", "lld-managed", "cee", "ieee", "static"};
  std::string out;
  for (std::size_t bit = 0; bit < kFlags.size(); ++bit)
    if ((dcbx >> bit & 1U) != 0) out += (out.empty() ? "" : " ") + std::string(kFlags[bit]);
  return out + "\n";
}

template <class T, class Render>
void show(Terminal& terminal, const std::string& object, const std::string& netdev, const Reading<T>& fact,
          Render render) {
  const std::string words = fact ? render(*fact) : refusal(fact.absent(), "RTNETLINK answers: ");
  // An empty APP table is an empty output.
  if (fact || !words.empty()) terminal.run("dcb " + object + " show dev " + netdev, words);
}

}  // namespace

void dcb(Terminal& terminal, const Netdev& netdev) {
  const std::string& name = netdev.link.name;
  const DcbFacts& facts = netdev.dcb;
  show(terminal, "pfc", name, facts.pfc, pfc_of);
  show(terminal, "ets", name, facts.ets, ets_of);
  show(terminal, "app", name, facts.app, app_of);
  show(terminal, "buffer", name, facts.buffers, buffers_of);
  show(terminal, "maxrate", name, facts.max_rate, [](const std::array<std::uint64_t, kPriorities>& rates) {
    return keyed("tc-maxrate", rates, [](std::uint64_t rate) { return std::to_string(rate) + "bit"; });
  });
  show(terminal, "dcbx", name, facts.dcbx, flags_of);
}

}  // namespace roceready::round_trip
