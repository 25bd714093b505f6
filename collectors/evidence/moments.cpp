// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/moments.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "collectors/evidence/bundle.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/hosts.h"
#include "collectors/evidence/path.h"
#include "collectors/evidence/sysfs_path.h"
#include "collectors/evidence/time_names.h"
#include "core/base/text.h"

namespace roceready::evidence {

extern const Format kDcbPfc, kSysfsValues;

namespace {

constexpr std::int64_t kShortest = 1'000'000'000;

/// Which output a section is one telling of.
auto telling_of(const Section& section) {
  // Of a copied /sys each file is an output of its own.
  return std::tuple(section.format, section.about.netdev, section.about.device, section.about.port, section.about.pci,
                    kernel_path(section.file).value_or(""));
}

/// Whether two such outputs at two times give rates. `dcb -s` adds counts to settings.
bool holds_counts(const Section& section) {
  return section.format->counts ||
         (section.format == &kDcbPfc && std::any_of(section.lines.begin(), section.lines.end(), [](const Line& line) {
            const std::string_view text = trim(line.text);
            return text.starts_with("requests ") || text.starts_with("indications ");
          }));
}

/// Rank of each section among the moments, 0 for what belongs to all of them.
std::vector<std::size_t> ranks_by_name(const std::vector<Section>& sections) {
  std::set<std::uint32_t> numbers;
  for (const Section& section : sections) {
    if (section.moment != 0) numbers.insert(section.moment);
  }
  std::vector<std::size_t> out;
  for (const Section& section : sections)
    out.push_back(static_cast<std::size_t>(std::distance(numbers.begin(), numbers.find(section.moment))) *
                  (section.moment != 0 ? 1 : 0));
  return out;
}

using Telling = decltype(telling_of(Section{}));

/// Files and counters that a section of files below /sys lists; of `cat PATH` the path.
std::set<std::string> listed_in(const Section& section) {
  std::set<std::string> out;
  for (const Line& line : section.lines) {
    const std::string_view text = trim(line.text);
    const auto heading = text.starts_with("==>") ? path_alone(text) : std::nullopt;
    if (const auto file = heading ? heading : path_line(text))
      out.insert(std::string(file->path));
    else if (const auto end = text.find_first_of(":= \t"); end != std::string_view::npos)
      out.insert(std::string(text.substr(0, end)));
  }
  if (!out.empty()) return out;
  for (const std::string& word : section.words)
    if (path_alone(word)) out.insert(word);
  return out;
}

/// Which sections hold what another one tells, too: of files below /sys some file of theirs.
std::vector<bool> told_again(const std::vector<Section>& sections) {
  std::map<Telling, std::size_t> tellings;
  std::map<std::pair<Telling, std::string>, std::size_t> files;
  for (const Section& section : sections) {
    ++tellings[telling_of(section)];
    if (section.format != &kSysfsValues) continue;
    for (const std::string& file : listed_in(section)) ++files[{telling_of(section), file}];
  }
  std::vector<bool> out;
  for (const Section& section : sections) {
    const Telling telling = telling_of(section);
    bool again = tellings.at(telling) > 1;
    if (const auto listed = again && section.format == &kSysfsValues ? listed_in(section) : std::set<std::string>();
        !listed.empty())
      again = std::any_of(listed.begin(), listed.end(), [&](const std::string& file) {
        return files.at({telling, file}) > 1;
      });
    out.push_back(again);
  }
  return out;
}

/// The clock by which moments are told: that of the counters that come again, else that of all outputs; "" where there
/// are several, of which nobody knows how far they are apart.
std::string common_clock(const std::vector<Section>& sections, const std::vector<bool>& repeated) {
  std::set<std::string> again, any;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    const std::string clock = section.wall_ns == 0 ? "" : section.clock;
    if (holds_counts(section) && repeated[i]) again.insert(clock);
    if (!clock.empty()) any.insert(clock);
  }
  if (!again.empty()) any = std::move(again);
  return any.size() == 1 ? *any.begin() : "";
}

/// Several commands that list files of one port at one time make one telling: it is told again where a file is.
class FileTellings {
 public:
  std::size_t rank_of(const Section& section, const Telling& telling) {
    Told& told = told_[telling];
    std::set<std::string> files = listed_in(section);
    const bool again =
        told.any && (files.empty() || std::any_of(files.begin(), files.end(),
                                                  [&](const std::string& file) { return told.files.contains(file); }));
    if (again) ++told.rank, told.files.clear();
    told.any = true;
    told.files.merge(files);
    return told.rank;
  }

 private:
  struct Told {
    std::size_t rank = 0;
    bool any = false;
    std::set<std::string> files;
  };
  std::map<Telling, Told> told_;
};

std::vector<std::size_t> ranks_by_order(const std::vector<Section>& sections, const std::string& clock) {
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), 0);
  const auto time = [&](std::size_t index) {
    return !clock.empty() && sections[index].clock == clock ? sections[index].wall_ns : 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
  std::map<Telling, std::size_t> seen;
  FileTellings files;
  std::vector<std::size_t> out(sections.size());
  for (const std::size_t index : order) {
    const Section& section = sections[index];
    // Settings that come again are told anew: the last telling holds. Only counters make moments.
    if (section.format == &kSysfsValues)
      out[index] = files.rank_of(section, telling_of(section));
    else if (holds_counts(section))
      out[index] = seen[telling_of(section)]++;
  }
  return out;
}

/// Outputs of one command in several files of which nothing says whether they are of two hosts, ports or times.
struct Unordered {
  std::set<std::size_t> older;  ///< say something else than the newest
  std::string files;            ///< of two of them, the newer one last; "" where there are none
  std::string newest;
};

/// Whether nothing but its file's time tells when it was made, and nothing at all on which host and port.
bool says_nothing_of_itself(const Section& section) {
  const bool timed = !section.clock.empty() && section.clock != "file" && section.wall_ns != 0;
  const bool owned = !section.host.empty() && !section.words.empty();
  return holds_counts(section) && !timed && !owned;
}

/// Times of files order outputs only where the names of the files say that they are of two times.
Unordered unordered_in(const std::vector<Section>& sections, const std::vector<std::size_t>& ranks,
                       const std::vector<bool>& repeated) {
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
  std::map<Telling, std::vector<std::size_t>> same;
  for (const std::size_t index : order)
    if (repeated[index] && says_nothing_of_itself(sections[index])) same[telling_of(sections[index])].push_back(index);
  Unordered out;
  for (const auto& [telling, indexes] : same) {
    const auto apart = std::adjacent_find(indexes.begin(), indexes.end(), [&](std::size_t a, std::size_t b) {
      const std::string &older = sections[a].file, &newer = sections[b].file;
      return older != newer && !differ_by_time(older, newer);
    });
    if (apart == indexes.end()) continue;
    const Section& newest = sections[indexes.back()];
    if (out.files.empty()) {
      out.files = sections[*apart].file + " and " + sections[*std::next(apart)].file;
      out.newest = newest.file;
    }
    for (const std::size_t index : indexes)
      if (contradict(sections[index], newest)) out.older.insert(index);
  }
  return out;
}

/// Where there are more moments than are kept, some in a row become one: of outputs of one command in it the last.
/// How many are one then; sections that are left out get the rank kLeftOut.
constexpr std::size_t kLeftOut = SIZE_MAX;
std::size_t thin_out(const std::vector<Section>& sections, std::vector<std::size_t>& ranks) {
  const std::size_t count = ranks.empty() ? 1 : 1 + *std::max_element(ranks.begin(), ranks.end());
  const std::size_t step = (count + Bundle::kMostMoments - 1) / Bundle::kMostMoments;
  if (step <= 1) return 1;
  const std::size_t kept = (count + step - 1) / step;
  std::map<std::pair<std::size_t, Telling>, std::pair<std::size_t, std::size_t>> last;  // rank and index
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!holds_counts(sections[i])) continue;
    const std::size_t rank = (ranks[i] + kept * step - count) / step;  // the last of each row is the newest
    const auto [at, added] = last.try_emplace({rank, telling_of(sections[i])}, ranks[i], i);
    std::size_t left = i;
    if (!added && ranks[i] >= at->second.first) left = std::exchange(at->second, {ranks[i], i}).second;
    ranks[i] = rank;
    if (!added) ranks[left] = kLeftOut;
  }
  return step;
}

/// When the counters of a moment were read; 0: not told. Those that come again tell it best: files of one moment are
/// written one after the other.
std::int64_t wall_of(const std::vector<Section>& sections, const Moment& moment, const std::vector<bool>& repeated,
                     const std::string& clock) {
  std::int64_t any = 0, counted = 0;
  const bool named = std::any_of(moment.sections.begin(), moment.sections.end(),
                                 [&](std::size_t index) { return sections[index].moment != 0; });
  for (const std::size_t index : moment.sections) {
    const Section& section = sections[index];
    // Beside files that say which moment they are of, others tell nothing of when it was.
    if (section.wall_ns == 0 || section.clock != clock || (named && section.moment == 0)) continue;
    if (holds_counts(section) && repeated[index]) return section.wall_ns;
    if (holds_counts(section) && counted == 0) counted = section.wall_ns;
    if (any == 0) any = section.wall_ns;
  }
  return counted != 0 ? counted : any;
}

/// All sections as one moment, in the order of the moments.
void collapse(Moments& moments) {
  Moment all = moments.list.back();
  std::vector<std::size_t> order;
  for (const Moment& moment : moments.list) order.insert(order.end(), moment.sections.begin(), moment.sections.end());
  all.sections = std::move(order);
  moments.list = {std::move(all)};
}

bool has_counters(const std::vector<Section>& sections, const Moment& moment) {
  return std::any_of(moment.sections.begin(), moment.sections.end(),
                     [&](std::size_t index) { return holds_counts(sections[index]); });
}

}  // namespace

Moments moments_of(const std::vector<Section>& sections, std::int64_t interval_ns,
                   std::vector<std::string>& assumptions) {
  for (std::string& sentence : contradictions_in(sections)) assumptions.push_back(std::move(sentence));
  const bool named =
      std::any_of(sections.begin(), sections.end(), [](const Section& section) { return section.moment != 0; });
  const auto repeated = told_again(sections);
  const std::string clock = common_clock(sections, repeated);
  auto ranks = named ? ranks_by_name(sections) : ranks_by_order(sections, clock);
  const Unordered unordered = named || interval_ns != 0 ? Unordered{} : unordered_in(sections, ranks, repeated);
  const std::size_t step = thin_out(sections, ranks);
  for (const std::size_t index : unordered.older) ranks[index] = kLeftOut;
  if (step > 1)
    assumptions.push_back("there are more outputs of one command than " + std::to_string(Bundle::kMostMoments) +
                          ": of every " + std::to_string(step) + " in a row the last is read, the others are left out");
  Moments out;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (ranks[i] == kLeftOut) continue;
    if (ranks[i] >= out.list.size()) out.list.resize(ranks[i] + 1);
    auto& list = out.list[ranks[i]].sections;
    // What says nothing about its moment is read first.
    if (named && sections[i].moment == 0)
      list.insert(list.begin(), i);
    else
      list.push_back(i);
  }
  std::erase_if(out.list, [](const Moment& moment) { return moment.sections.empty(); });
  if (out.list.empty()) out.list.resize(1);
  for (Moment& moment : out.list) moment.at.wall_ns = wall_of(sections, moment, repeated, clock);
  const auto counted = std::count_if(out.list.begin(), out.list.end(),
                                     [&](const Moment& moment) { return has_counters(sections, moment); });
  // Files that were copied carry times of no meaning, close together.
  const std::int64_t least = clock == "file" ? kShortest : 1;
  bool timed = unordered.files.empty();
  for (std::size_t i = 1; i < out.list.size(); ++i) {
    const std::int64_t from = out.list[i - 1].at.wall_ns, to = out.list[i].at.wall_ns;
    timed &= from != 0 && to - from >= least;
  }
  if (out.list.size() > 1 && interval_ns == 0 && !timed) {
    out.interval_unknown = counted > 1 && unordered.files.empty();
    collapse(out);
  }
  if (!unordered.files.empty())
    assumptions.push_back(unordered.files +
                          " hold outputs of one command, and nothing says whether they are of two hosts, of two ports "
                          "or of two times: where they differ " +
                          unordered.newest + " is judged, and no rates are; --interval says that they are two times");
  const std::int64_t first = out.list.front().at.wall_ns;
  for (std::size_t i = 0; i < out.list.size(); ++i) {
    Instant& at = out.list[i].at;
    const auto steps = static_cast<std::int64_t>(i);
    at.monotonic_ns = kShortest + (interval_ns > 0 ? steps * interval_ns : at.wall_ns - first);
    if (interval_ns > 0 && first != 0) at.wall_ns = first + steps * interval_ns;
  }
  if (out.list.size() > 1 && interval_ns > 0)
    assumptions.push_back("the outputs were made " + duration_text(static_cast<double>(interval_ns) * 1e-9) +
                          " apart, as --interval says");
  else if (out.list.size() > 1)
    assumptions.push_back(
        "the outputs were made " +
        duration_text(static_cast<double>(out.list.back().at.monotonic_ns - out.list.front().at.monotonic_ns) * 1e-9) +
        " apart, by the times that they state or the files carry");
  return out;
}

}  // namespace roceready::evidence
