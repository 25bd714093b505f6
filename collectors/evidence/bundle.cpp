// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/bundle.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "collectors/evidence/format.h"
#include "collectors/evidence/hosts.h"
#include "collectors/evidence/moments.h"
#include "collectors/evidence/path.h"
#include "collectors/evidence/settle.h"
#include "collectors/evidence/subjects.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr char kFileClock[] = "file";

std::size_t bytes_of(const Section& section) {
  std::size_t out = sizeof(Section);
  for (const Line& line : section.lines) out += sizeof(Line) + line.text.capacity();
  return out;
}

/// Outputs that name nobody while several ports are known are not judged: that must be said.
void say_what_is_nobodys(HostEvidence& host) {
  const Snapshot& seen = host.snapshots.back();
  const bool owned = std::any_of(seen.ports.begin(), seen.ports.end(),
                                 [](const RdmaPort& port) { return port.netdev && *port.netdev == kNamelessNetdev; });
  if (owned || seen.netdev(kNamelessNetdev) == nullptr) return;
  host.assumptions.emplace_back(
      "some outputs name no netdev, and no file says which of several ports they are of: they are of no port and are "
      "not "
      "judged");
}

/// A later moment may name the port that an earlier one had to assume: it is the same one, and none is gone.
void name_ports_alike(std::vector<Snapshot>& snapshots) {
  const std::vector<RdmaPort>& named = snapshots.back().ports;
  const auto is_named = [&](const RdmaPort& port) {
    return std::any_of(named.begin(), named.end(),
                       [&](const RdmaPort& other) { return other.device == port.device && other.port == port.port; });
  };
  for (std::size_t i = 0; i + 1 < snapshots.size(); ++i) {
    std::vector<RdmaPort>& ports = snapshots[i].ports;
    for (RdmaPort& port : ports) {
      if (is_named(port)) continue;
      const auto same = std::find_if(named.begin(), named.end(), [&](const RdmaPort& other) {
        return named.size() == 1 || (other.netdev && port.netdev && *other.netdev == *port.netdev);
      });
      if (same == named.end()) continue;
      port.device = same->device;
      port.port = same->port;
      port.key = same->key;
    }
    std::erase_if(ports, [&](const RdmaPort& port) { return !is_named(port); });
  }
}

HostEvidence host_from(std::string name, std::vector<Section> sections, const BundleOptions& options) {
  HostEvidence out;
  out.name = std::move(name);
  std::set<std::string> formats;
  for (const Section& section : sections) formats.insert(section.format->name);
  out.formats.assign(formats.begin(), formats.end());
  name_the_nameless(sections, options.device, out.assumptions);
  const Moments moments = moments_of(sections, options.interval_ns, out.assumptions);
  out.interval_unknown = moments.interval_unknown;
  Draft& draft = out.draft;
  for (const Moment& moment : moments.list) {
    for (const std::size_t index : moment.sections) sections[index].format->parse(sections[index], draft);
    out.snapshots.push_back(settled(draft, moment, out.name, options.device, out.assumptions));
  }
  name_ports_alike(out.snapshots);
  say_what_is_nobodys(out);
  return out;
}

}  // namespace

void Bundle::begin(std::string_view name, std::int64_t modified_wall_ns) {
  ++files_;
  Open open{facts_of_path(name), nullptr, kernel_path(name), {}};
  if (!open.facts.left_out.empty()) return skip(open.facts.name, open.facts.left_out);
  if (open.facts.wall_ns == 0 && modified_wall_ns != 0)
    open.facts.wall_ns = modified_wall_ns, open.facts.clock = kFileClock;
  // Half of what is left, so that one large file leaves room for those behind it.
  open.splitter = std::make_unique<Splitter>(open.facts, (kMostBytes - std::min(bytes_, kMostBytes)) / 2);
  open_ = std::move(open);
}

void Bundle::feed(std::string_view piece) {
  constexpr std::size_t kMostValueBytes = 65536;
  if (!open_) return;
  if (!open_->kernel_path)
    open_->splitter->feed(piece);
  else if (open_->value.size() < kMostValueBytes)
    open_->value += piece.substr(0, kMostValueBytes - open_->value.size());
}

void Bundle::end() {
  if (!open_) return;
  if (open_->kernel_path) {
    for (const std::string_view line : roceready::split(open_->value, '\n')) {
      if (!trim(line).empty()) open_->splitter->feed(*open_->kernel_path + ":" + std::string(line) + "\n");
    }
  }
  keep(open_->splitter->finish(), open_->facts.name);
  open_.reset();
}

void Bundle::add(std::string_view name, std::string_view text, std::int64_t modified_wall_ns) {
  begin(name, modified_wall_ns);
  feed(text);
  end();
}

void Bundle::keep(Split taken, const std::string& file) {
  read_count_ += taken.read_count;
  unread_count_ += taken.unread_count;
  for (UnreadLine& line : taken.unread) {
    if (unread_.size() < Draft::kMostUnread) unread_.push_back(std::move(line));
  }
  for (std::string& why : taken.left_out) skip(file, std::move(why));
  for (Section& section : taken.sections) {
    bytes_ += bytes_of(section);
    sections_.push_back(std::move(section));
  }
}

void Bundle::skip(std::string name, std::string why) {
  constexpr std::size_t kMostSkipped = 10000;
  if (skipped_.size() < kMostSkipped) skipped_.push_back({clean_text(name), std::move(why)});
}

void Bundle::leave_out(const Section& section, const std::string& why) {
  for (const Line& line : section.lines) {
    if (line.text.empty()) continue;
    --read_count_;
    ++unread_count_;
    if (unread_.size() < Draft::kMostUnread)
      unread_.push_back({section.file, line.number, line.text.substr(0, 120), why});
  }
  skip(section.file, (section.lines.empty() ? "" : "line " + std::to_string(section.lines[0].number) + ": ") + why);
}

std::vector<HostEvidence> Bundle::finish(const BundleOptions& options) {
  std::vector<HostEvidence> out;
  std::vector<Section> sections = std::exchange(sections_, {});
  set_switches_apart(sections);
  if (options.interval_ns == 0)
    for (const Section& section : take_out_indistinct(sections))
      leave_out(section, std::string("one of several outputs of ") + section.format->name +
                             " that name nobody and no time: two ports, or one at two times (--interval)?");
  Hosts hosts = hosts_of(std::move(sections), kMostHosts);
  for (const Section& section : hosts.left_out)
    leave_out(section, "files name more than " + std::to_string(kMostHosts) + " hosts");
  for (auto& [name, of_host] : hosts.sections) {
    out.push_back(host_from(name, std::move(of_host), options));
    const auto note = hosts.notes.find(name);
    if (note != hosts.notes.end()) out.back().assumptions.push_back(note->second);
  }
  return out;
}

}  // namespace roceready::evidence
