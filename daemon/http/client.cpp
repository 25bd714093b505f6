// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/client.h"

#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include "core/base/text.h"
#include "daemon/http/look_up.h"
#include "daemon/http/server.h"

namespace roceready::daemon::http {
namespace {

constexpr int kLookUpMs = 5000;

/// Ends a client's call that lasts too long: httplib knows a timeout for each read alone, which a peer that trickles
/// bytes renews for ever.
class Deadline {
 public:
  Deadline(httplib::Client& client, std::chrono::milliseconds most)
      : thread_([this, &client, most](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          over_.wait_for(lock, stop, most, [] { return false; });
          if (!stop.stop_requested()) client.stop();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread thread_;
};

std::string words_of(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return "nothing accepts connections there";
    case httplib::Error::ConnectionTimeout:
      return "no connection in time";
    case httplib::Error::Read:
      return "it did not answer in time, or not as HTTP";
    default:
      return httplib::to_string(error);
  }
}

/// Of "http://HOST[:PORT]", the scheme and the port may be missing.
Result<Endpoint> endpoint_of(const std::string& base_url) {
  constexpr std::string_view kScheme = "http://";
  std::string rest = base_url;
  if (rest.starts_with(kScheme)) rest.erase(0, kScheme.size());
  while (rest.ends_with('/')) rest.pop_back();
  if (rest.find("://") != std::string::npos || rest.find('/') != std::string::npos || rest.empty())
    return Error{ErrorCode::Usage,
                 "\"" + clean_text(base_url) + "\" is not the address of a daemon; write http://HOST:PORT", "", 0};
  if (rest.rfind(':') == std::string::npos || rest.ends_with(']')) rest += ":9885";
  return parse_endpoint(rest);
}

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// What is left of the time of a call, rounded up, at least a millisecond: who waits so long has waited until the end.
Milliseconds left_until(Clock::time_point end) {
  return std::max(std::chrono::ceil<Milliseconds>(end - Clock::now()), Milliseconds(1));
}

/// What one of so many addresses that are left may take of the time to accept a connection: an even part, so that a
/// dead IPv6 address hides no good IPv4 one, but enough for a connection while there is time.
Milliseconds to_connect(Milliseconds left, std::size_t addresses) {
  constexpr Milliseconds kEnough{250};
  return std::max(left / static_cast<Milliseconds::rep>(addresses), std::min(left, kEnough));
}

/// Calls `talk` with a client for each address of the endpoint, and how many are left with it, until one accepts the
/// connection. `talk` says whether it did. Not a name: the error of the look-up.
Result<void> to_one_address(const Endpoint& endpoint, int look_up_ms, const Resolver& resolver,
                            const std::function<bool(httplib::Client&, std::size_t)>& talk) {
  const auto addresses = addresses_of(endpoint.host, look_up_ms, resolver);
  if (!addresses) return addresses.error();
  std::size_t untried = addresses->size();
  for (const std::string& address : *addresses) {
    httplib::Client client(endpoint.host, endpoint.port);
    if (address != endpoint.host) client.set_hostname_addr_map({{endpoint.host, address}});
    client.set_follow_location(false);
    if (talk(client, untried--)) break;
  }
  return {};
}

bool nobody_there(httplib::Error error) {
  return error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout;
}

/// How one call went.
struct Call {
  Fetched answer;
  bool good = false, too_long = false;
  httplib::Error error = httplib::Error::Connection;
};

}  // namespace

Result<Fetched> fetch(const std::string& base_url, const std::string& path, const FetchLimits& limits,
                      const Resolver& resolver) {
  const auto endpoint = endpoint_of(base_url);
  if (!endpoint) return endpoint.error();
  const bool bounded = limits.whole_ms > 0;
  const Clock::time_point end = Clock::now() + Milliseconds(limits.whole_ms);
  Call call;
  const auto talk = [&](httplib::Client& client, std::size_t addresses) {
    call = {};
    const Milliseconds left = left_until(end);
    client.set_connection_timeout(bounded ? to_connect(left, addresses) : Milliseconds(2000));
    client.set_read_timeout(bounded ? left : Milliseconds(5000));
    client.set_write_timeout(bounded ? left : Milliseconds(5000));
    std::optional<Deadline> deadline;
    if (bounded) deadline.emplace(client, left);
    const auto result = client.Get(
        path.c_str(),
        [&](const httplib::Response& head) {
          call.answer.status = head.status;
          call.answer.verdict = head.get_header_value("X-Roceready-Verdict");
          return true;
        },
        [&](const char* data, std::size_t size) {
          call.answer.body.append(data, size);
          call.too_long = call.answer.body.size() > limits.most_bytes;
          return !call.too_long;
        });
    call.good = static_cast<bool>(result);
    call.error = result.error();
    return !nobody_there(call.error);
  };
  const auto found = to_one_address(*endpoint, bounded ? limits.whole_ms : kLookUpMs, resolver, talk);
  if (call.good) return std::move(call.answer);
  if (call.too_long)
    return Error{
        ErrorCode::Malformed,
        "the answer of http://" + endpoint->text() + " is longer than " + std::to_string(limits.most_bytes) + " bytes",
        "", 0};
  const bool over = bounded && Clock::now() >= end;
  const std::string why = over     ? "it took longer than " + std::to_string(limits.whole_ms) + " ms"
                          : !found ? found.error().what
                                   : words_of(call.error);
  const bool nobody = found && call.error == httplib::Error::Connection;
  return Error{over || (!found && found.error().code == ErrorCode::TimedOut) ? ErrorCode::TimedOut
               : nobody || !found                                            ? ErrorCode::NotFound
                                                                             : ErrorCode::Io,
               "no answer from the daemon at http://" + endpoint->text() + ": " + why +
                   "; is it running? (systemctl status roceready; without one: roceready diagnose)",
               "", 0};
}

Result<Fetched> post(const std::string& base_url, const std::string& path, const std::string& body, int timeout_ms,
                     const Resolver& resolver) {
  const auto endpoint = endpoint_of(base_url);
  if (!endpoint) return endpoint.error();
  const Clock::time_point end = Clock::now() + Milliseconds(timeout_ms);
  constexpr std::size_t kMost = std::size_t{256} * 1024;
  Call call;
  const auto talk = [&](httplib::Client& client, std::size_t addresses) {
    call = {};
    const Milliseconds left = left_until(end);
    client.set_connection_timeout(to_connect(left, addresses));
    client.set_read_timeout(left);
    client.set_write_timeout(left);
    httplib::Request request;
    request.method = "POST";
    request.path = path;
    request.body = body;
    request.set_header("Content-Type", "application/json");
    request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
      call.answer.body.append(data, size);
      return call.answer.body.size() <= kMost;
    };
    httplib::Response response;
    const Deadline deadline(client, left);
    call.good = client.send(request, response, call.error);
    call.answer.status = response.status;
    call.answer.retry_after = response.get_header_value("Retry-After");
    return call.good || !nobody_there(call.error);
  };
  const auto found = to_one_address(*endpoint, timeout_ms, resolver, talk);
  if (!found) return Error{found.error().code, "no answer from " + endpoint->text() + ": " + found.error().what, "", 0};
  if (!call.good)
    return Error{ErrorCode::Io, "no answer from " + endpoint->text() + ": " + words_of(call.error), "", 0};
  return std::move(call.answer);
}

std::string query_escaped(const std::string& text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xfU];
    }
  }
  return out;
}

}  // namespace roceready::daemon::http
