// SPDX-License-Identifier: Apache-2.0
#include "probes/exchange.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/snapshot/json_read.h"
#include "probes/bounded_json.h"
#include "probes/digest.h"

namespace roceready::probes {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "roceready.probe-session/1";
constexpr std::uint32_t kLongestSession = 86'400;  // seconds
constexpr std::uint32_t kLargestServiceLevel = 15, kLargestService = 65'535;
constexpr std::size_t kMostKinds = 16;
constexpr std::uint32_t kLargest24 = 0xffffff;

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string hexadecimal(ByteSpan data) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte byte : data) {
    out += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    out += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return out;
}

/// Lower-case hexadecimal of exactly as many bytes as fit, or false.
bool from_hexadecimal(std::string_view text, std::span<std::byte> out) {
  if (text.size() != 2 * out.size()) return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<std::byte>(high << 4 | low);
  }
  return true;
}

/// Members of an object of a stranger's. Every method is false after a fault.
class Members {
 public:
  Members(const json& from, JsonFaults& faults) : from_(from), faults_(faults) {}

  bool text(const char* name, std::string& into) {
    return with(name, [&](const json& value) {
      if (!read_json(value, into, faults_)) return false;
      return into.size() <= kNameBytes || faults_.fail("is longer than " + std::to_string(kNameBytes) + " bytes");
    });
  }
  bool flag(const char* name, bool& into) {
    return with(name, [&](const json& value) {
      if (!value.is_boolean()) return faults_.fail("must be true or false");
      into = value.get<bool>();
      return true;
    });
  }
  template <class T>
  bool number(const char* name, T& into, std::uint64_t least, std::uint64_t most) {
    return with(name, [&](const json& value) {
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
        return faults_.fail("must be a whole number, " + std::to_string(least) + " to " + std::to_string(most));
      into = static_cast<T>(value.get<std::uint64_t>());
      return true;
    });
  }
  bool wide(const char* name, std::uint64_t& into) {
    return with(name, [&](const json& value) {
      const auto parsed = value.is_string() ? parse_u64(value.get_ref<const std::string&>()) : std::nullopt;
      if (!parsed) return faults_.fail("must be a decimal string");
      into = *parsed;
      return true;
    });
  }
  bool bytes(const char* name, std::span<std::byte> into) {
    return with(name, [&](const json& value) {
      return (value.is_string() && from_hexadecimal(value.get_ref<const std::string&>(), into)) ||
             faults_.fail("must be " + std::to_string(into.size()) + " bytes in lower-case hexadecimal");
    });
  }
  /// Calls `take(element, JsonFaults&)` for each element of a list of 1 to `most`.
  template <class Take>
  bool list(const char* name, std::size_t most, Take&& take) {
    return with(name, [&](const json& value) {
      if (!value.is_array() || value.empty() || value.size() > most)
        return faults_.fail("must be a list of 1 to " + std::to_string(most));
      for (std::size_t i = 0; i < value.size(); ++i) {
        const JsonFaults::Step step(faults_, i);
        if (!take(value[i])) return false;
      }
      return true;
    });
  }
  [[nodiscard]] bool has(const char* name) const { return from_.is_object() && from_.contains(name); }
  /// Calls `read(value)` one step further in; a missing member is a fault.
  template <class Read>
  bool with(const char* name, Read&& read) {
    if (!from_.is_object()) return faults_.fail("must be an object");
    const JsonFaults::Step step(faults_, std::string_view(name));
    const auto at = from_.find(name);
    return at != from_.end() ? read(*at) : faults_.fail("is missing");
  }

 private:
  const json& from_;
  JsonFaults& faults_;
};

/// An address that a packet may be sent to: neither nobody, ourselves, a group nor the neighbours on a link alone.
bool is_unicast(const GidBytes& gid) {
  static constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), gid.begin())) return gid[12] != 0 && gid[12] != 127 && gid[12] < 224;
  if (std::all_of(gid.begin(), gid.end() - 1, [](std::uint8_t b) { return b == 0; })) return false;
  return gid[0] != 0xff && !(gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80);
}

json endpoint_json(const Endpoint& endpoint) {
  json pairs = json::array();
  for (const QueuePair& pair : endpoint.queue_pairs) pairs.push_back({{"number", pair.number}, {"psn", pair.psn}});
  json out{{"device", endpoint.device},
           {"port", endpoint.port},
           {"gid", hexadecimal(std::as_bytes(std::span(endpoint.gid)))},
           {"qkey", endpoint.qkey},
           {"mtu", endpoint.mtu},
           {"rail", endpoint.rail},
           {"label", endpoint.label},
           {"queue_pairs", pairs}};
  if (endpoint.scratch)
    out["scratch"] = {{"address", std::to_string(endpoint.scratch->address)},
                      {"rkey", endpoint.scratch->rkey},
                      {"bytes", endpoint.scratch->bytes}};
  return out;
}

bool read_endpoint(const json& from, Endpoint& into, JsonFaults& faults) {
  Members members(from, faults);
  const bool good =
      members.text("device", into.device) && members.number("port", into.port, 1, 255) &&
      members.bytes("gid", std::as_writable_bytes(std::span(into.gid))) &&
      members.number("qkey", into.qkey, 0, 0x7fffffff) && members.number("mtu", into.mtu, 256, 4096) &&
      members.text("rail", into.rail) && members.text("label", into.label) &&
      members.list("queue_pairs", kQueuePairs, [&](const json& value) {
        Members pair(value, faults);
        QueuePair& read = into.queue_pairs.emplace_back();
        return pair.number("number", read.number, 2, kLargest24 - 1) && pair.number("psn", read.psn, 0, kLargest24);
      });
  if (!good) return false;
  if ((into.mtu & (into.mtu - 1)) != 0) return faults.fail("has an mtu that is not 256, 512, 1024, 2048 or 4096");
  if (into.device.empty()) return faults.fail("has no name of a device");
  if (!is_unicast(into.gid)) return faults.fail("has a gid that no packet can be sent to");
  if (!members.has("scratch")) return true;
  return members.with("scratch", [&](const json& value) {
    Members scratch(value, faults);
    into.scratch.emplace();
    return scratch.wide("address", into.scratch->address) &&
           scratch.number("rkey", into.scratch->rkey, 0, 0xffffffff) &&
           scratch.number("bytes", into.scratch->bytes, 1, std::uint32_t{1} << 30);
  });
}

bool read_digest(Members& members, NodeDigest& into, JsonFaults& faults) {
  return members.with("digest", [&](const json& value) {
    Result<NodeDigest> read = digest_from_json(value);
    if (!read) return faults.fail(read.error().text());
    into = std::move(*read);
    return true;
  });
}

Mac mac_of(std::string_view role, const json& body, ByteSpan secret) {
  return hmac_sha256(secret, bytes_of(std::string(role) + "\n" + canonical(body)));
}

std::string sign(json body, std::string_view role, ByteSpan secret) {
  if (!secret.empty()) body["mac"] = hexadecimal(mac_of(role, body, secret));
  return canonical(body);
}

json sendable_digest(NodeDigest digest) {
  (void)make_sendable(digest);
  return digest_json(digest);
}

/// The body without its MAC, which is checked where there is a secret, and of our schema.
Result<json> opened(std::string_view text, std::string_view role, ByteSpan secret) {
  Result<json> body = parse_bounded(text, kExchangeBytes);
  if (!body) return body;
  if (!body->is_object()) return Error{ErrorCode::Malformed, "must be an object", ""};
  json mac;
  if (const auto at = body->find("mac"); at != body->end()) {
    mac = std::move(*at);
    body->erase(at);
  }
  if (!secret.empty()) {
    Mac claimed{};
    if (!mac.is_string()) return Error{ErrorCode::Denied, "is not signed with the shared secret of the probes", "mac"};
    if (!from_hexadecimal(mac.get_ref<const std::string&>(), claimed) ||
        !equal_in_constant_time(claimed, mac_of(role, *body, secret)))
      return Error{ErrorCode::Denied, "is signed with another secret", "mac"};
  }
  const auto schema = body->find("schema");
  if (schema == body->end() || !schema->is_string()) return Error{ErrorCode::Malformed, "must be a string", "schema"};
  if (const std::string& said = schema->get_ref<const std::string&>(); said != kSchema)
    return Error{ErrorCode::NotSupported,
                 "is \"" + clean_text(said.substr(0, kNameBytes)) + "\", only " + std::string(kSchema) + " is spoken",
                 "schema"};
  return body;
}

constexpr std::string_view kRequestRole = "roceready probe request", kAnswerRole = "roceready probe answer";

}  // namespace

const char* name_of(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::Ud:
      return "ud";
    case ProbeKind::RcWrite:
      return "rc-write";
    case ProbeKind::RcRead:
      return "rc-read";
    case ProbeKind::RcSend:
      return "rc-send";
    case ProbeKind::Bandwidth:
      return "bandwidth";
  }
  return "?";
}

std::optional<ProbeKind> probe_kind_from_name(std::string_view name) {
  for (const ProbeKind kind :
       {ProbeKind::Ud, ProbeKind::RcWrite, ProbeKind::RcRead, ProbeKind::RcSend, ProbeKind::Bandwidth})
    if (name == name_of(kind)) return kind;
  return std::nullopt;
}

std::string encode_request(const SessionRequest& request, ByteSpan secret) {
  json body{{"schema", kSchema},
            {"nonce", hexadecimal(request.nonce)},
            {"node", request.node},
            {"kind", name_of(request.kind)},
            {"on_demand", request.on_demand},
            {"seconds", request.seconds},
            {"traffic_class", request.traffic_class},
            {"want_device", request.want_device},
            {"want_port", request.want_port},
            {"largest", request.largest},
            {"endpoint", endpoint_json(request.endpoint)},
            {"digest", sendable_digest(request.digest)}};
  if (request.kind == ProbeKind::Bandwidth) body["message_bytes"] = request.message_bytes;
  if (request.replaces != 0) body["replaces"] = std::to_string(request.replaces);
  return sign(std::move(body), kRequestRole, secret);
}

std::string encode_answer(const SessionAnswer& answer, ByteSpan secret) {
  json endpoints = json::array();
  for (const Endpoint& endpoint : answer.endpoints) endpoints.push_back(endpoint_json(endpoint));
  json body{{"schema", kSchema},
            {"request_nonce", hexadecimal(answer.request_nonce)},
            {"nonce", hexadecimal(answer.nonce)},
            {"session", std::to_string(answer.session)},
            {"node", answer.node},
            {"seconds", answer.seconds},
            {"probes_per_second", answer.probes_per_second},
            {"endpoints", endpoints},
            {"digest", sendable_digest(answer.digest)}};
  if (answer.service_level) body["service_level"] = *answer.service_level;
  if (answer.cm_service) body["cm_service"] = *answer.cm_service;
  if (answer.instance != 0) body["instance"] = std::to_string(answer.instance);
  json kinds = json::array();
  for (const ProbeKind kind : answer.kinds) kinds.push_back(name_of(kind));
  body["kinds"] = kinds;
  return sign(std::move(body), kAnswerRole, secret);
}

Result<SessionRequest> decode_request(std::string_view text, ByteSpan secret) {
  const Result<json> body = opened(text, kRequestRole, secret);
  if (!body) return body.error();
  JsonFaults faults;
  Members members(*body, faults);
  SessionRequest out;
  out.authenticated = !secret.empty();
  const auto read_kind = [&](const json& value) {
    const auto kind = value.is_string() ? probe_kind_from_name(value.get_ref<const std::string&>()) : std::nullopt;
    if (!kind) return faults.fail("must be ud, rc-write, rc-read, rc-send or bandwidth");
    out.kind = *kind;
    return true;
  };
  const bool good =
      members.bytes("nonce", out.nonce) && members.text("node", out.node) && members.with("kind", read_kind) &&
      members.flag("on_demand", out.on_demand) && members.number("seconds", out.seconds, 1, kLongestSession) &&
      members.number("traffic_class", out.traffic_class, 0, 255) && members.text("want_device", out.want_device) &&
      members.number("want_port", out.want_port, 0, 255) &&
      (!members.has("largest") || members.number("largest", out.largest, 0, kLargestMessage)) &&
      (out.kind != ProbeKind::Bandwidth ||
       members.number("message_bytes", out.message_bytes, kLeastBandwidthBytes, kMostBandwidthBytes)) &&
      (!members.has("replaces") || members.wide("replaces", out.replaces)) &&
      members.with("endpoint", [&](const json& value) { return read_endpoint(value, out.endpoint, faults); }) &&
      read_digest(members, out.digest, faults);
  if (!good) return faults.error();
  return out;
}

Result<SessionAnswer> decode_answer(std::string_view text, ByteSpan secret, const SessionRequest& asked) {
  const Result<json> body = opened(text, kAnswerRole, secret);
  if (!body) return body.error();
  JsonFaults faults;
  Members members(*body, faults);
  SessionAnswer out;
  out.authenticated = !secret.empty();
  if (!members.bytes("request_nonce", out.request_nonce)) return faults.error();
  if (out.request_nonce != asked.nonce) return Error{ErrorCode::Denied, "answers another request", "request_nonce"};
  const bool needs_scratch =
      asked.kind == ProbeKind::RcWrite || asked.kind == ProbeKind::RcRead || asked.kind == ProbeKind::Bandwidth;
  const auto read_rate = [&](const json& value) {
    out.probes_per_second = value.is_number() ? value.get<double>() : 0;
    return (out.probes_per_second > 0 && out.probes_per_second <= 1e9) || faults.fail("must be a number above 0");
  };
  const auto read_one = [&](const json& value) {
    Endpoint& endpoint = out.endpoints.emplace_back();
    if (!read_endpoint(value, endpoint, faults)) return false;
    return !needs_scratch || endpoint.scratch || faults.fail("has no memory for " + std::string(name_of(asked.kind)));
  };
  const auto read_kinds = [&] {
    out.kinds.clear();
    return members.list("kinds", kMostKinds, [&](const json& value) {
      if (!value.is_string()) return faults.fail("must be a string");
      if (const auto kind = probe_kind_from_name(value.get_ref<const std::string&>())) out.kinds.push_back(*kind);
      return true;
    });
  };
  const bool good =
      members.bytes("nonce", out.nonce) && members.wide("session", out.session) && members.text("node", out.node) &&
      members.number("seconds", out.seconds, 1, kLongestSession) && members.with("probes_per_second", read_rate) &&
      members.list("endpoints", kEndpoints, read_one) &&
      (!members.has("service_level") ||
       members.number("service_level", out.service_level.emplace(), 0, kLargestServiceLevel)) &&
      (!members.has("cm_service") || members.number("cm_service", out.cm_service.emplace(), 1, kLargestService)) &&
      (!members.has("instance") || members.wide("instance", out.instance)) && (!members.has("kinds") || read_kinds()) &&
      read_digest(members, out.digest, faults);
  if (!good) return faults.error();
  if (out.session == 0) return Error{ErrorCode::Malformed, "must not be 0", "session"};
  return out;
}

}  // namespace roceready::probes
