// SPDX-License-Identifier: Apache-2.0
#include "probes/peers.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "probes/file_sd.h"

namespace roceready::probes {
namespace {

constexpr std::size_t kProblemsKept = 100;
constexpr std::size_t kLongestName = 253, kLongestPart = 63;  // RFC 1035
constexpr std::size_t kLongestLabel = 64;

Error malformed(std::string what) {
  return Error{ErrorCode::Malformed, std::move(what), ""};
}

/// The canonical text of an IP address, or nothing where `text` is none.
std::optional<std::string> canonical_address(const std::string& text) {
  std::array<char, INET6_ADDRSTRLEN> out{};
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return inet_ntop(AF_INET, &v4, out.data(), out.size());
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::nullopt;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return inet_ntop(AF_INET, &v6.s6_addr[12], out.data(), out.size());
  return inet_ntop(AF_INET6, &v6, out.data(), out.size());
}

/// Whether a canonical address names one host.
bool is_host_address(const std::string& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) {
    const std::uint32_t first = ntohl(v4.s_addr) >> 24;
    return first != 0 && first < 224;
  }
  in6_addr v6{};
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&v6) && !IN6_IS_ADDR_MULTICAST(&v6);
}

/// A host name in lower case without its final dot, or what is wrong with it.
Result<std::string> host_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kLongestName) return malformed("is not a host name: empty or too long");
  std::string out;
  for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
  std::string_view last;
  for (const std::string_view part : split(out, '.')) {
    if (part.empty() || part.size() > kLongestPart || part.front() == '-' || part.back() == '-' ||
        !std::ranges::all_of(part, allowed))
      return malformed("is neither an IP address nor a host name");
    last = part;
  }
  // So that 10.0.0.256 is not asked of DNS.
  if (std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; }))
    return malformed("is neither an IP address nor a host name: its last part is a number");
  return out;
}

Result<std::uint16_t> port_number(std::string_view text) {
  const auto port = parse_u64(text);
  if (!port || *port == 0 || *port > 65535) return malformed("has a port that is not 1 to 65535");
  return static_cast<std::uint16_t>(*port);
}

Result<std::string> host_of(std::string_view text, bool bracketed) {
  if (text.find('\0') != std::string_view::npos) return malformed("holds a zero byte");
  if (text.find('%') != std::string_view::npos)
    return malformed("is an address with a zone; a link-local address is no address for probes");
  if (const auto address = canonical_address(std::string(text))) {
    if (bracketed && text.find(':') == std::string_view::npos)
      return malformed("has brackets around what is no IPv6 address");
    if (!is_host_address(*address)) return malformed("is the address of no single host");
    return *address;
  }
  if (bracketed) return malformed("has brackets around what is no IPv6 address");
  return host_name(text);
}

/// Adds an entry, or why not.
void add(PeerList& list, std::string_view text, const std::string& where, const FileSdGroup* group) {
  if (list.peers.size() >= kMostPeers) return list.problem(where, "is beyond " + std::to_string(kMostPeers) + " peers");
  Result<PeerAddress> peer = parse_peer(text);
  if (!peer) return list.problem(where, "\"" + clean_text(text.substr(0, 100)) + "\" " + peer.error().what);
  const auto label = [&](const char* name) {
    if (group == nullptr) return std::string();
    const auto at = group->labels.find(name);
    if (at == group->labels.end()) return std::string();
    std::string value = clean_text(at->second);
    if (value.size() <= kLongestLabel) return value;
    list.problem(where, std::string("has a label ") + name + " of more than 64 bytes, left out");
    return std::string();
  };
  peer->rail = label("rail");
  peer->label = label("tor");
  list.peers.push_back(std::move(*peer));
}

/// What a later list says of a peer that is known.
void add_labels(PeerAddress& known, const PeerAddress& other, PeerList& out) {
  const auto take = [&](const char* name, std::string& ours, const std::string& theirs) {
    if (ours.empty())
      ours = theirs;
    else if (!theirs.empty() && theirs != ours)
      out.problem(known.text(),
                  std::string("has two labels ") + name + ": \"" + ours + "\", which holds, and \"" + theirs + "\"");
  };
  take("rail", known.rail, other.rail);
  take("tor", known.label, other.label);
}

/// Keeps IPv4, unless there are more than twice as many addresses of IPv6, of which a node may have two.
void keep_one_family(const std::string& name, PeerList& list) {
  const auto is_v6 = [](const PeerAddress& peer) { return peer.host.find(':') != std::string::npos; };
  const auto v6 = static_cast<std::size_t>(std::ranges::count_if(list.peers, is_v6));
  const std::size_t v4 = list.peers.size() - v6;
  if (v4 == 0 || v6 == 0) return;
  const bool keep_v6 = v6 > 2 * v4;
  std::erase_if(list.peers, [&](const PeerAddress& peer) { return is_v6(peer) != keep_v6; });
  if (v4 == v6) return;
  const auto counted = [](std::size_t count, const char* family) { return std::to_string(count) + " " + family; };
  list.problem(name, "has " + counted(v4, "IPv4") + " and " + counted(v6, "IPv6") + " addresses; only those of " +
                         (keep_v6 ? "IPv6" : "IPv4") + " are probed, since a node may have both");
}

}  // namespace

std::string PeerAddress::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

void PeerList::problem(std::string where, std::string what) {
  ++problem_count;
  if (problems.size() < kProblemsKept) problems.push_back({std::move(where), std::move(what)});
}

Result<PeerAddress> parse_peer(std::string_view text) {
  text = trim(text);
  if (text.empty()) return malformed("is empty");
  if (text.find("://") != std::string_view::npos) return malformed("is a URL; only host:port belongs here");
  std::string_view host = text, port;
  bool bracketed = false;
  if (text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return malformed("has a bracket that is not closed");
    bracketed = true;
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') return malformed("has something other than a port behind the bracket");
    if (rest == ":") return malformed("has no port behind the colon");
    port = rest.empty() ? rest : rest.substr(1);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.empty()) return malformed("has no host in front of the port");
    if (port.empty()) return malformed("has no port behind the colon");
  }
  PeerAddress out;
  const Result<std::string> name = host_of(host, bracketed);
  if (!name) return name.error();
  out.host = *name;
  if (!port.empty()) {
    const Result<std::uint16_t> number = port_number(port);
    if (!number) return number.error();
    out.port = *number;
  }
  return out;
}

PeerList peers_from_list(const std::vector<std::string>& entries, const std::string& where) {
  PeerList out;
  for (std::size_t i = 0; i < entries.size(); ++i) add(out, entries[i], where + "[" + std::to_string(i) + "]", nullptr);
  return out;
}

PeerList peers_from_file_sd(std::string_view text, const std::string& file) {
  PeerList out;
  const Result<std::vector<FileSdGroup>> groups = parse_file_sd(text, 4 * kMostPeers);
  if (!groups) {
    const std::string& inside = groups.error().where;
    out.problem(inside.empty() ? file : file + " " + inside, groups.error().what);
    return out;
  }
  for (std::size_t i = 0; i < groups->size(); ++i) {
    const FileSdGroup& group = (*groups)[i];
    for (std::size_t k = 0; k < group.targets.size(); ++k)
      add(out, group.targets[k], file + " [" + std::to_string(i) + "].targets[" + std::to_string(k) + "]", &group);
  }
  return out;
}

PeerList peers_from_dns(const std::string& name, std::uint16_t port, const std::vector<std::string>& addresses) {
  PeerList out;
  if (addresses.empty()) out.problem(name, "has no address in DNS");
  for (const std::string& address : addresses) {
    PeerAddress peer;
    peer.port = port;
    // What follows a zero byte would not be seen.
    const auto canonical = address.find('\0') == std::string::npos ? canonical_address(address) : std::nullopt;
    if (!canonical || !is_host_address(*canonical))
      out.problem(name, "\"" + clean_text(address.substr(0, 100)) + "\" is the address of no single host");
    else if (out.peers.size() >= kMostPeers)
      out.problem(name, "has more than " + std::to_string(kMostPeers) + " addresses");
    else
      peer.host = *canonical, out.peers.push_back(std::move(peer));
  }
  keep_one_family(name, out);
  return out;
}

PeerList merge_peers(const std::vector<PeerList>& lists, const OwnNames& own) {
  PeerList out;
  std::set<std::string> ourselves;
  for (const std::string& host : own.hosts)
    if (const Result<std::string> name = host_of(host, false)) ourselves.insert(*name);
  std::map<std::string, PeerAddress> known;
  std::set<std::string> own_entries;
  for (const PeerList& list : lists) {
    for (const PeerProblem& problem : list.problems) out.problem(problem.where, problem.what);
    out.problem_count += list.problem_count - list.problems.size();
    for (const PeerAddress& peer : list.peers) {
      std::string text = peer.text();
      if (peer.port == own.port && ourselves.contains(peer.host)) {
        own_entries.insert(std::move(text));
      } else if (const auto at = known.find(text); at != known.end()) {
        add_labels(at->second, peer, out);
      } else if (known.size() < kMostPeers) {
        known.emplace(std::move(text), peer);
      } else {
        out.problem(text, "is beyond " + std::to_string(kMostPeers) + " peers");
      }
    }
  }
  out.own.assign(own_entries.begin(), own_entries.end());
  out.peers.reserve(known.size());
  for (auto& [text, peer] : known) out.peers.push_back(std::move(peer));
  return out;
}

}  // namespace roceready::probes
