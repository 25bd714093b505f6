// SPDX-License-Identifier: Apache-2.0
#include "collectors/qos_setters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

#include "core/base/text.h"

namespace roceready {
namespace {

constexpr std::size_t kMaxFiles = 128, kMaxFolders = 128, kMaxBytes = std::size_t{64} * 1024;
/// Tools that set these things, then what people name their own scripts after.
constexpr std::array<std::string_view, 14> kWords{"mlnx_qos", "cma_roce_tos", "dcb pfc", "dcb app", "dcb ets",
                                                  "dcbtool",  "lldptool",     "niccli",  "bnxtqos", "nicctl",
                                                  "roce_tos", "roce",         "pfc",     "qos"};

/// This program reads and sets nothing, whatever its name and its own unit speak of.
constexpr std::string_view kOwnName = "roceready";

/// At the beginning of a name, not inside one: "process" is no RoCE.
bool speaks_of(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    if (line.substr(at).starts_with(kOwnName)) continue;
    if (at == 0 || std::isalpha(static_cast<unsigned char>(line[at - 1])) == 0) return true;
  }
  return false;
}

struct Folder {
  const char* path;
  std::string_view suffix;
};
constexpr std::string_view kUnit = ".service";
constexpr std::array<Folder, 8> kFolders{{{"/etc/systemd/system", kUnit},
                                          {"/etc/udev/rules.d", ".rules"},
                                          {"/etc/NetworkManager/dispatcher.d", ""},
                                          {"/etc/networkd-dispatcher/routable.d", ""},
                                          {"/etc/networkd-dispatcher/configured.d", ""},
                                          {"/etc/network/if-up.d", ""},
                                          {"/etc/network/interfaces.d", ""},
                                          {"/etc/sysconfig/network-scripts", ""}}};
constexpr std::array kFiles{"/etc/rc.local", "/etc/rc.d/rc.local", "/etc/network/interfaces",
                            "/var/lib/lldpad/lldpad.conf"};

/// Looks through the files one by one, and keeps why one of them could not be looked at.
class Search {
 public:
  explicit Search(Files& files) : files_(files) {}

  void look_at(const std::string& path) {
    if (looked_at_ == kMaxFiles) {
      left_out_ = true;
      return;
    }
    ++looked_at_;
    const auto text = files_.read(path, kMaxBytes);
    if (!text) return note(text.error());
    if (const std::string_view word = qos_word(*text); !word.empty())
      found_.push_back(clean_text(path) + " (" + std::string(word) + ")");
  }
  void look_into(const std::string& folder, std::string_view suffix) {
    if (folders_++ == kMaxFolders) left_out_ = true;
    if (folders_ > kMaxFolders) return;
    auto names = files_.list(folder);
    if (!names) return note(names.error());
    std::sort(names->begin(), names->end());
    for (const std::string& name : *names) {
      if (name.starts_with(std::string(kOwnName) + ".service")) continue;
      if (name.ends_with(suffix)) look_at(folder + "/" + name);
      // What an administrator adds to a unit of the distribution.
      if (suffix == kUnit && name.ends_with(".service.d")) look_into(folder + "/" + name, ".conf");
    }
  }
  Reading<std::vector<std::string>> result() {
    if (found_.empty() && unread_) return *unread_;
    if (found_.empty() && left_out_)
      return Absent{Why::Filtered,
                    "more than " + std::to_string(kMaxFiles) + " files may do so; the others were not looked at"};
    return std::move(found_);
  }

 private:
  /// A folder among the files, and what is not there, hide nothing.
  void note(const Error& error) {
    if (error.code == ErrorCode::NotFound || unread_) return;
    unread_ = absent_from(error);
  }
  Files& files_;
  std::size_t looked_at_ = 0, folders_ = 0;
  bool left_out_ = false;
  std::vector<std::string> found_;
  std::optional<Absent> unread_;
};

}  // namespace

std::string_view qos_word(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    std::string lower(line);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    for (const std::string_view word : kWords)
      if (speaks_of(lower, word)) return word;
  }
  return {};
}

Reading<std::vector<std::string>> read_qos_setters(Files& files) {
  Search search(files);
  for (const Folder& folder : kFolders) search.look_into(folder.path, folder.suffix);
  for (const char* path : kFiles) search.look_at(path);
  return search.result();
}

}  // namespace roceready
