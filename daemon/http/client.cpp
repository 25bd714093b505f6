// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/client.h"

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include "core/base/text.h"
#include "daemon/http/server.h"

namespace roceready::daemon::http {
namespace {

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

}  // namespace

Result<Fetched> fetch(const std::string& base_url, const std::string& path, const FetchLimits& limits) {
  const auto endpoint = endpoint_of(base_url);
  if (!endpoint) return endpoint.error();
  httplib::Client client(endpoint->host, endpoint->port);
  const bool bounded = limits.whole_ms > 0;
  const std::chrono::milliseconds whole(limits.whole_ms);
  client.set_connection_timeout(bounded ? whole : std::chrono::milliseconds(2000));
  client.set_read_timeout(bounded ? whole : std::chrono::milliseconds(5000));
  client.set_write_timeout(bounded ? whole : std::chrono::milliseconds(5000));
  client.set_follow_location(false);
  Fetched out;
  bool too_long = false;
  std::optional<Deadline> deadline;
  const auto begin = std::chrono::steady_clock::now();
  if (bounded) deadline.emplace(client, whole);
  const auto result = client.Get(
      path.c_str(),
      [&](const httplib::Response& head) {
        out.status = head.status;
        out.verdict = head.get_header_value("X-Roceready-Verdict");
        return true;
      },
      [&](const char* data, std::size_t size) {
        out.body.append(data, size);
        too_long = out.body.size() > limits.most_bytes;
        return !too_long;
      });
  if (result) return out;
  if (too_long)
    return Error{
        ErrorCode::Malformed,
        "the answer of http://" + endpoint->text() + " is longer than " + std::to_string(limits.most_bytes) + " bytes",
        "", 0};
  const bool over = bounded && std::chrono::steady_clock::now() - begin >= whole;
  const bool nobody = result.error() == httplib::Error::Connection;
  return Error{
      over     ? ErrorCode::TimedOut
      : nobody ? ErrorCode::NotFound
               : ErrorCode::Io,
      "no answer from the daemon at http://" + endpoint->text() + ": " +
          (over ? "it took longer than " + std::to_string(limits.whole_ms) + " ms" : words_of(result.error())) +
          "; is it running? (systemctl status roceready; without one: roceready diagnose)",
      "", 0};
}

Result<Fetched> post(const std::string& base_url, const std::string& path, const std::string& body, int timeout_ms) {
  const auto endpoint = endpoint_of(base_url);
  if (!endpoint) return endpoint.error();
  httplib::Client client(endpoint->host, endpoint->port);
  const std::chrono::milliseconds timeout(timeout_ms);
  client.set_connection_timeout(timeout);
  client.set_read_timeout(timeout);
  client.set_write_timeout(timeout);
  client.set_follow_location(false);
  constexpr std::size_t kMost = std::size_t{256} * 1024;
  httplib::Request request;
  request.method = "POST";
  request.path = path;
  request.body = body;
  request.set_header("Content-Type", "application/json");
  Fetched out;
  request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    out.body.append(data, size);
    return out.body.size() <= kMost;
  };
  httplib::Response response;
  httplib::Error error = httplib::Error::Success;
  const Deadline deadline(client, timeout);
  if (!client.send(request, response, error))
    return Error{ErrorCode::Io, "no answer from " + endpoint->text() + ": " + words_of(error), "", 0};
  out.status = response.status;
  return out;
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
