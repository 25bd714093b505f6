// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/bundle.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "collectors/evidence/format.h"
#include "collectors/evidence/moments.h"
#include "collectors/evidence/path.h"
#include "collectors/evidence/settle.h"
#include "collectors/evidence/subjects.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

std::size_t bytes_of(const Section& section) {
  std::size_t out = sizeof(Section);
  for (const Line& line : section.lines) out += sizeof(Line) + line.text.capacity();
  return out;
}

/// The first folder of a path; "" for a loose file.
std::string folder_of(const std::string& file) {
  const auto slash = file.find('/');
  return slash == std::string::npos ? "" : file.substr(0, slash);
}

/// Outputs of one command in several folders of which none says when: folders are hosts then.
bool folders_are_hosts(const std::vector<Section>& sections) {
  std::map<std::pair<const Format*, std::string>, std::set<std::string>> folders;
  for (const Section& section : sections) {
    if (!section.host.empty() || section.moment != 0) continue;
    folders[{section.format, section.about.netdev + "|" + section.about.device}].insert(folder_of(section.file));
  }
  return std::any_of(folders.begin(), folders.end(), [](const auto& entry) { return entry.second.size() > 1; });
}

/// Sections by host. Files that name none belong to the only host that is named, else to a host without a name.
std::map<std::string, std::vector<Section>> by_host(std::vector<Section> sections) {
  const bool by_folder = folders_are_hosts(sections);
  std::set<std::string> named;
  for (Section& section : sections) {
    if (section.host.empty() && by_folder) section.host = folder_of(section.file);
    if (!section.host.empty()) named.insert(section.host);
  }
  const std::string fallback = named.size() == 1 ? *named.begin() : "";
  std::map<std::string, std::vector<Section>> out;
  for (Section& section : sections) {
    const std::string host = section.host.empty() ? fallback : section.host;
    if (out.size() < Bundle::kMostHosts || out.contains(host)) out[host].push_back(std::move(section));
  }
  return out;
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
  return out;
}

}  // namespace

void Bundle::begin(std::string_view name, std::int64_t modified_wall_ns) {
  ++files_;
  Open open{facts_of_path(name), nullptr, kernel_path(name), {}};
  if (open.facts.wall_ns == 0) open.facts.wall_ns = modified_wall_ns;
  open.splitter = std::make_unique<Splitter>(open.facts);
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
  for (Section& section : taken.sections) {
    bytes_ += bytes_of(section);
    if (bytes_ > kMostBytes) {
      skip(file, "more text is known than " + std::to_string(kMostBytes >> 20) + " MiB: the rest was left out");
      return;
    }
    sections_.push_back(std::move(section));
  }
}

void Bundle::skip(std::string name, std::string why) {
  constexpr std::size_t kMostSkipped = 10000;
  if (skipped_.size() < kMostSkipped) skipped_.push_back({clean_text(name), std::move(why)});
}

std::vector<HostEvidence> Bundle::finish(const BundleOptions& options) {
  std::vector<HostEvidence> out;
  set_switches_apart(sections_);
  for (auto& [name, sections] : by_host(std::exchange(sections_, {})))
    out.push_back(host_from(name, std::move(sections), options));
  return out;
}

}  // namespace roceready::evidence
