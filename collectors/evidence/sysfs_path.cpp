// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/sysfs_path.h"

#include <algorithm>

#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/words.h"
#include "collectors/pci_parse.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::size_t kMostParts = 40;

bool is_address_part(std::string_view part) {
  return is_pci_address(part) || (part.starts_with("pci") && part.size() == 10 && part[7] == ':');
}

/// Whether these are parts of a path that this program knows something about.
bool is_of_interest(const std::vector<std::string_view>& parts) {
  if (parts.size() < 2) return false;
  if (parts[0] == "proc" && parts.size() > 2 && parts[2] == "net") return false;  // settings of IP: sysctl's
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "sys" && i + 1 < parts.size()) return true;
    if (parts[i] == "hw_counters" || parts[i] == "gid_attrs" || parts[i] == "gids") return true;
    if (parts[i] == "counters" && (i == 0 || (i >= 2 && parts[i - 2] == "ports"))) return true;
  }
  return false;
}

/// Takes the path from the front; what follows its end stays in `text`.
bool take_path(std::string_view& text, PathLine& out) {
  const std::string_view whole = text;
  while (out.parts.size() < kMostParts) {
    const std::size_t slash = text.find('/');
    const std::string_view part = text.substr(0, slash);
    const std::size_t end = is_address_part(part) ? std::string_view::npos : part.find_first_of(":= \t");
    const std::string_view plain = part.substr(0, end);
    if (!plain.empty() && plain != ".") out.parts.push_back(plain);
    if (end != std::string_view::npos || slash == std::string_view::npos) {
      const auto length = static_cast<std::size_t>(plain.data() - whole.data()) + plain.size();
      out.path = whole.substr(0, length);
      text = whole.substr(length);
      return !out.parts.empty();
    }
    text.remove_prefix(slash + 1);
  }
  return false;
}

}  // namespace

std::string_view PathLine::after(std::string_view name) const {
  const auto at = std::find(parts.begin(), parts.end(), name);
  return at == parts.end() || at + 1 == parts.end() ? std::string_view() : *(at + 1);
}

bool PathLine::has(std::string_view name) const {
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

std::optional<PathLine> path_line(std::string_view line) {
  constexpr std::size_t kLook = 80;
  line = trim(line);
  const std::string_view front = line.substr(0, kLook);
  if (front.find('/') == std::string_view::npos ||
      (front.find("sys/") == std::string_view::npos && front.find("counters/") == std::string_view::npos &&
       front.find("gid") == std::string_view::npos))
    return std::nullopt;
  PathLine out;
  for (const std::string_view tool : {"cat: ", "grep: ", "tail: ", "head: ", "ls: cannot access "}) {
    if (!line.starts_with(tool)) continue;
    line.remove_prefix(tool.size());
    if (line.starts_with("cannot open ")) line.remove_prefix(12);
    out.refused = true;
    break;
  }
  const bool ticked = out.refused && (line.starts_with("'") || line.starts_with("\""));
  if (ticked) line.remove_prefix(1);
  std::string_view rest = line;
  if (!take_path(rest, out)) return std::nullopt;
  if (ticked && out.path.size() > 1) {
    out.path.remove_suffix(1);
    out.parts.back() = out.parts.back().substr(0, out.parts.back().find_first_of("'\""));
  }
  if (!is_of_interest(out.parts) || rest.empty()) return std::nullopt;
  out.value = trim(rest);
  if (out.value.starts_with(":") || out.value.starts_with("=")) out.value = trim(out.value.substr(1));
  return out;
}

std::optional<PathLine> path_alone(std::string_view text) {
  text = trim(text);
  if (text.starts_with("==>") && text.ends_with("<==") && text.size() > 6) text = trim(text.substr(3, text.size() - 6));
  if (text.find(' ') != std::string_view::npos || text.find('/') == std::string_view::npos) return std::nullopt;
  PathLine out;
  std::string_view rest = text;
  if (!take_path(rest, out) || !is_of_interest(out.parts) || !rest.empty()) return std::nullopt;
  return out;
}

bool is_pattern(const PathLine& path) {
  return path.path.find_first_of("*?[{$") != std::string_view::npos;
}

About about_of_path(const PathLine& path) {
  About out;
  for (std::size_t i = 0; i < path.parts.size(); ++i) {
    if (path.parts[i].find_first_of("*?[{$") != std::string_view::npos) continue;
    if (is_pci_address(path.parts[i])) out.pci = lower(path.parts[i]);
    const std::string_view next = i + 1 < path.parts.size() ? path.parts[i + 1] : std::string_view();
    if (path.parts[i] == "net" && is_netdev_name(next) && i > 0) out.netdev = next;
    if ((path.parts[i] == "infiniband" || path.parts[i] == "rdma_cm") && is_device_name(next)) out.device = next;
    if (path.parts[i] != "ports" && path.parts[i] != "tc") continue;
    const auto number = parse_u64(next);
    if (number && *number > 0 && *number < 256) out.port = static_cast<std::uint32_t>(*number);
    if (out.device.empty() && i > 0 && is_usual_device_name(path.parts[i - 1])) out.device = path.parts[i - 1];
  }
  return out;
}

}  // namespace roceready::evidence
