// SPDX-License-Identifier: Apache-2.0
#include "probes/digest.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include <openssl/evp.h>
#include <nlohmann/json.hpp>

#include "core/snapshot/json_read.h"
#include "core/snapshot/json_write.h"
#include "core/snapshot/probe_json.h"
#include "probes/bounded_json.h"

namespace roceready::probes {
namespace {

using nlohmann::json;

constexpr std::size_t kMapEntries = 64;  // DSCPs
constexpr std::size_t kListEntries = 16, kTextBytes = 128;

/// Removes the members that no field of T takes.
template <class T>
json known_members(const json& from) {
  json out = json::object();
  T nobody;
  T::each_field(
      [&](const char* name, auto&) {
        if (const auto at = from.find(name); at != from.end()) out[name] = *at;
      },
      nobody);
  return out;
}

template <class T>
void forget_detail(Reading<T>& reading) {
  if (!reading) reading = Absent{reading.absent().why, ""};
}
template <class T>
void forget_detail(T&) {}

void forget_details(NodeDigest& digest) {
  for (PortDigest& port : digest.ports)
    PortDigest::each_field([](const char*, auto& field) { forget_detail(field); }, port);
}

bool within(const std::string& text) {
  return text.size() <= kTextBytes;
}
bool within(const std::vector<std::string>& list) {
  return list.size() <= kListEntries && std::ranges::all_of(list, [](const std::string& text) { return within(text); });
}
bool within(const std::map<std::string, std::uint32_t>& map) {
  return map.size() <= kMapEntries && std::ranges::all_of(map, [](const auto& entry) { return within(entry.first); });
}
bool within(const std::map<std::string, std::string>& map) {
  return map.size() <= kListEntries &&
         std::ranges::all_of(map, [](const auto& entry) { return within(entry.first) && within(entry.second); });
}
bool within(std::uint64_t) {
  return true;
}
bool within(std::uint32_t) {
  return true;
}
bool within(double) {
  return true;
}
template <class T>
bool within(const Reading<T>& reading) {
  return !reading || within(*reading);
}

/// Name of the first field that is longer than a peer's may be, or nothing.
template <class T>
std::string first_too_long(const T& all) {
  std::string out;
  T::each_field(
      [&](const char* name, const auto& field) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, std::vector<PortDigest>>)
          if (out.empty() && !within(field)) out = name;
      },
      all);
  return out;
}

Error malformed(std::string what, std::string where) {
  return Error{ErrorCode::Malformed, std::move(what), std::move(where)};
}

}  // namespace

bool make_sendable(NodeDigest& digest) {
  forget_details(digest);
  std::ranges::sort(digest.ports, {}, [](const PortDigest& port) { return std::tie(port.device, port.port); });
  const std::size_t before = digest.ports.size();
  if (before > kDigestPorts) digest.ports.resize(kDigestPorts);
  std::erase_if(digest.ports, [](const PortDigest& port) { return !first_too_long(port).empty(); });
  if (digest_text(digest).size() > kDigestBytes)
    for (PortDigest& port : digest.ports) port.findings = Absent{Why::Filtered, ""};
  while (!digest.ports.empty() && digest_text(digest).size() > kDigestBytes) digest.ports.pop_back();
  return digest.ports.size() == before;
}

json digest_json(const NodeDigest& digest) {
  return write_json(digest);
}

Result<NodeDigest> digest_from_json(const json& from) {
  if (!from.is_object()) return malformed("must be an object", "");
  json known = known_members<NodeDigest>(from);
  if (const auto ports = known.find("ports"); ports != known.end() && ports->is_array()) {
    if (ports->size() > kDigestPorts)
      return malformed("has more than " + std::to_string(kDigestPorts) + " ports", "ports");
    for (json& port : *ports)
      if (port.is_object()) port = known_members<PortDigest>(port);
  }
  if (canonical(known).size() > kDigestBytes)
    return malformed("is longer than " + std::to_string(kDigestBytes) + " bytes", "");
  JsonFaults faults;
  NodeDigest out;
  if (!read_json(known, out, faults)) return faults.error();
  forget_details(out);
  if (const std::string field = first_too_long(out); !field.empty()) return malformed("is too long", field);
  for (std::size_t i = 0; i < out.ports.size(); ++i)
    if (const std::string field = first_too_long(out.ports[i]); !field.empty())
      return malformed("is too long", "ports[" + std::to_string(i) + "]." + field);
  if (const auto fine = check(out); !fine) return fine.error();
  return out;
}

std::string digest_text(const NodeDigest& digest) {
  return canonical(digest_json(digest));
}

Result<NodeDigest> digest_from_text(std::string_view text) {
  const Result<json> parsed = parse_bounded(text, kDigestBytes);
  if (!parsed) return parsed.error();
  return digest_from_json(*parsed);
}

std::uint64_t digest_hash(const NodeDigest& digest) {
  const std::string text = digest_text(digest);
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  (void)EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8; ++i) out = out << 8 | hash[i];
  return std::max<std::uint64_t>(out, 1);
}

std::uint64_t told_hash(std::uint64_t digest_hash, std::optional<std::uint32_t> service_level) {
  if (!service_level) return digest_hash;
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // odd, so that no two levels give the same
  return std::max<std::uint64_t>(digest_hash ^ (*service_level + 1) * kGolden, 1);
}

}  // namespace roceready::probes
