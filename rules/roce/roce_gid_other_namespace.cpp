// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/usable_gid.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// "entry 0", "entries 0 and 1", "entries 0 to 3 and 8"; ascending.
std::string entries_text(const std::vector<std::uint32_t>& indexes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < indexes.size();) {
    std::size_t end = i + 1;
    while (end < indexes.size() && indexes[end] == indexes[end - 1] + 1) ++end;
    if (end - i > 2) {
      words.push_back(std::to_string(indexes[i]) + " to " + std::to_string(indexes[end - 1]));
    } else {
      for (std::size_t k = i; k < end; ++k) words.push_back(std::to_string(indexes[k]));
    }
    i = end;
  }
  return (indexes.size() > 1 ? "entries " : "entry ") + joined(words);
}

std::string usable_text(const GidEntry* usable) {
  if (usable == nullptr) return " No RoCE v2 entry of a routable address is of this one.";
  return " The first entry that can be used here is " + std::to_string(usable->index) + " (RoCE v2, " +
         (usable->gid.starts_with("::ffff:") ? usable->gid.substr(7) : usable->gid) + ").";
}

void tell(const Evidence& seen, Outcomes& out, const std::vector<std::uint32_t>& foreign, bool refused,
          const std::string& usable, std::vector<EvidenceItem> evidence) {
  out.fail(Severity::Info,
           "In the GID table of " + port_name(seen) + ", " + entries_text(foreign) +
               (foreign.size() > 1 ? " are" : " is") + " not of this network namespace" +
               (refused ? " (the kernel refuses to tell their types, EINVAL, as of empty ones)" : "") + "." + usable +
               " An index that fits another container or node may not fit here.",
           std::move(evidence));
}

std::optional<std::uint32_t> index_of(const LogFact& fact, const char* name) {
  const auto at = fact.says.find(name);
  const auto index = at == fact.says.end() ? std::nullopt : parse_u64(at->second);
  return index && *index <= UINT16_MAX ? std::optional(static_cast<std::uint32_t>(*index)) : std::nullopt;
}

/// Where files tell types of entries and not the entries: what they said of those that were refused.
void judge_files(const Evidence& seen, Outcomes& out) {
  std::vector<std::uint32_t> foreign;
  std::vector<EvidenceItem> evidence;
  std::string usable;
  for (const LogFact& fact : seen.now().log) {
    if (fact.kind != "gid_refused" || fact.subject != owner_of(seen.port())) continue;
    const auto index = index_of(fact, "gid_index"), first = index_of(fact, "first_v2");
    if (!index) continue;
    foreign.push_back(*index);
    evidence.push_back(seen.word("type of GID entry " + std::to_string(*index), "refused (EINVAL)", fact.place));
    if (first)
      usable =
          " The first RoCE v2 entry that can be read here is " + std::to_string(*first) + "; its address is not told.";
  }
  if (foreign.empty()) return out.unknown(seen.port().gids.absent());
  std::sort(foreign.begin(), foreign.end());
  tell(seen, out, foreign, true, usable, std::move(evidence));
}

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<std::vector<GidEntry>>& table = seen.port().gids;
  if (!table) return judge_files(seen, out);
  const GidEntry* usable = usable_gid(*table);
  std::vector<std::uint32_t> foreign;
  bool refused = false;
  for (const GidEntry& entry : *table) {
    // Behind the first that can be used they lead nobody astray: a host's table lists those of its containers.
    if (!is_of_other_namespace(entry) || (usable != nullptr && entry.index > usable->index)) continue;
    foreign.push_back(entry.index);
    refused = refused || entry.type.empty();
  }
  if (foreign.empty()) return out.pass();
  std::sort(foreign.begin(), foreign.end());
  const std::string source = "GID table of " + owner_of(seen.port());
  std::vector<EvidenceItem> evidence = {
      seen.item("GID entries of other network namespaces", static_cast<double>(foreign.size()), "count", source)};
  if (usable != nullptr) evidence.push_back(seen.item("first usable GID index", usable->index, "", source));
  tell(seen, out, foreign, refused, usable_text(usable), std::move(evidence));
}

}  // namespace

extern const Rule kRoceGidOtherNamespace;
constinit const Rule kRoceGidOtherNamespace{
    .id = "roce-gid-other-namespace",
    .family = "roce",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "The first GID entries belong to another network namespace",
    .what =
        "Looks in the port's GID table for entries of netdevs of other network namespaces below the first one that can "
        "be used here. Always info: it names that index.",
    .why =
        "A fixed GID index that fits the host or one container does not fit another; programs that read the first "
        "entries, or give up at one that the kernel refuses (EINVAL), do not start.",
    .next =
        "Let the program choose its GID (NCCL_IB_GID_INDEX=-1), or give each container the index that is usable in it.",
    .likely_causes = {"containers with a macvlan or a virtual function of the same NIC",
                      "a netdev that was moved into a container"},
    .fix = {Recipe::Gid},
    .traps = {"It is no fault of the NIC, its driver or its firmware.",
              "Entries behind the first usable one are passed over: a host's table lists those of its containers.",
              "In sysfs an entry that is empty is refused like one of another namespace."},
    .facts = {"kernel-gid-table", "gid-types-other-namespace"},
    .judge = judge,
};

}  // namespace roceready::rules
