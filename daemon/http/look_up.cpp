// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/look_up.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace roceready::daemon::http {
namespace {

constexpr int kMostHanging = 16;
std::atomic<int> hanging{0};

struct Answer {
  std::mutex lock;
  std::condition_variable there;
  std::optional<Result<std::vector<std::string>>> value;
};

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

}  // namespace

Result<std::vector<std::string>> ask_system(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(name.c_str(), nullptr, &wanted, &found);
  if (failed != 0) return Error{ErrorCode::NotFound, ::gai_strerror(failed), name, 0};
  std::vector<std::string> out;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
      continue;
    if (std::find(out.begin(), out.end(), text.data()) == out.end()) out.emplace_back(text.data());
  }
  ::freeaddrinfo(found);
  if (out.empty()) return Error{ErrorCode::NotFound, "the name has no address", name, 0};
  return out;
}

Result<std::vector<std::string>> addresses_of(const std::string& name, int most_ms, const Resolver& resolver) {
  if (is_address(name)) return std::vector<std::string>{name};
  if (hanging.fetch_add(1) >= kMostHanging) {
    --hanging;
    return Error{ErrorCode::TimedOut, "too many look-ups of names hang already", name, 0};
  }
  const auto answer = std::make_shared<Answer>();
  std::thread([answer, name, resolver] {
    auto found = resolver(name);
    --hanging;
    const std::lock_guard guard(answer->lock);
    answer->value = std::move(found);
    answer->there.notify_all();
  }).detach();
  std::unique_lock held(answer->lock);
  if (answer->there.wait_for(held, std::chrono::milliseconds(most_ms), [&] { return answer->value.has_value(); }))
    return *answer->value;
  return Error{ErrorCode::TimedOut, "the name was not found out in " + std::to_string(most_ms) + " ms", name, 0};
}

}  // namespace roceready::daemon::http
