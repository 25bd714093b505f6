// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/peer_sources.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/text.h"

namespace roceready::daemon {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{2} << 20U;  // parsing takes twenty times as much
constexpr std::int64_t kDnsPeriodNs = 60'000'000'000;

std::string address_text(const sockaddr* address) {
  if (address == nullptr) return "";
  std::array<char, NI_MAXHOST> text{};
  const socklen_t size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return "";
  if (::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "";
  const std::string out = text.data();
  return out.substr(0, out.find('%'));
}

/// A whole file of at most `most` bytes. `changed`: its time of change and size.
Result<std::string> read_whole(const std::string& path, std::size_t most,
                               std::pair<std::int64_t, std::int64_t>* changed) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return os_error(errno, std::string("cannot be read: ") + std::strerror(errno), path);
  struct stat info {};
  std::string out;
  Result<void> good;
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    good = Error{ErrorCode::Usage, "is no plain file", path, 0};
  } else if (static_cast<std::uint64_t>(info.st_size) > most) {
    good = Error{ErrorCode::Usage, "is longer than " + std::to_string(most) + " bytes", path, 0};
  } else {
    out.resize(static_cast<std::size_t>(info.st_size));
    const ssize_t got = ::read(file, out.data(), out.size());
    if (got < 0) good = os_error(errno, std::string("cannot be read: ") + std::strerror(errno), path);
    out.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  }
  ::close(file);
  if (!good) return good.error();
  if (changed != nullptr)
    *changed = {static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec, info.st_size};
  return out;
}

}  // namespace

void PeerSources::read_file() {
  if (settings_.peers_file.empty()) return;
  struct stat info {};
  if (::stat(settings_.peers_file.c_str(), &info) == 0 && file_seen_) {
    const std::int64_t time = static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
    if (std::pair<std::int64_t, std::int64_t>{time, info.st_size} == *file_seen_) return;
  }
  std::pair<std::int64_t, std::int64_t> changed;
  const auto text = read_whole(settings_.peers_file, kMostFileBytes, &changed);
  if (!text) {
    file_.problems.clear();
    file_.problem_count = 0;
    file_.problem("probes.peers_file " + settings_.peers_file, text.error().what);
    file_seen_.reset();
    return;
  }
  file_seen_ = changed;
  probes::PeerList read = probes::peers_from_file_sd(*text, settings_.peers_file);
  // A file that is being written, or damaged: the peers stay, and what is wrong is said.
  if (read.peers.empty() && read.problem_count > 0) read.peers = std::move(file_.peers);
  file_ = std::move(read);
}

void PeerSources::ask_dns(std::int64_t now_ns) {
  if (settings_.peers_dns.empty() || now_ns < dns_due_ns_) return;
  dns_due_ns_ = now_ns + kDnsPeriodNs;
  const auto name = probes::parse_peer(settings_.peers_dns);
  dns_.problems.clear();
  dns_.problem_count = 0;
  if (!name) return dns_.problem("probes.peers_dns", name.error().what);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(name->host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(code == 0 ? found : nullptr, [](addrinfo* one) {
    if (one != nullptr) ::freeaddrinfo(one);
  });
  if (code != 0) return dns_.problem("probes.peers_dns " + name->host, ::gai_strerror(code));
  std::vector<std::string> addresses;
  for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next)
    if (std::string text = address_text(at->ai_addr); !text.empty()) addresses.push_back(std::move(text));
  dns_ = probes::peers_from_dns(name->host, name->port, addresses);
}

std::optional<probes::PeerList> PeerSources::look(const probes::OwnNames& own, std::int64_t now_ns) {
  read_file();
  ask_dns(now_ns);
  probes::PeerList merged =
      probes::merge_peers({probes::peers_from_list(settings_.peers, "probes.peers"), file_, dns_}, own);
  const auto same_words = [](const auto& a, const auto& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
             return x.where == y.where && x.what == y.what;
           });
  };
  if (last_ && last_->peers == merged.peers && same_words(last_->problems, merged.problems)) return std::nullopt;
  last_ = merged;
  return merged;
}

std::vector<std::string> problem_lines(const probes::PeerList& list) {
  constexpr std::size_t kMost = 8, kMostBytes = 250;  // each may become four when it is cleaned
  std::vector<std::string> out;
  for (const probes::PeerProblem& problem : list.problems) {
    if (out.size() == kMost) break;
    const std::string whole = problem.where + ": " + problem.what;
    out.push_back(clean_text(whole.substr(0, kMostBytes)) + (whole.size() > kMostBytes ? "..." : ""));
  }
  if (list.problem_count > out.size())
    out.push_back("and " + std::to_string(list.problem_count - out.size()) + " more problems");
  return out;
}

Result<std::string> read_secret(const std::string& path) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  auto text = read_whole(path, kMost, nullptr);
  if (!text) return text.error().during("probes.secret_file");
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  if (text->size() < kLeast)
    return Error{ErrorCode::Usage,
                 "probes.secret_file: a secret needs at least 16 bytes, this has " + std::to_string(text->size()) +
                     " (make one with: head -c 32 /dev/urandom | base64)",
                 path, 0};
  return std::move(*text);
}

probes::OwnNames own_names(std::uint16_t port) {
  probes::OwnNames out;
  out.port = port;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) {
    const std::string full = name.data();
    out.hosts.push_back(full);
    if (const auto dot = full.find('.'); dot != std::string::npos) out.hosts.push_back(full.substr(0, dot));
  }
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return out;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next)
    if (std::string text = address_text(at->ifa_addr); !text.empty()) out.hosts.push_back(std::move(text));
  ::freeifaddrs(list);
  return out;
}

}  // namespace roceready::daemon
