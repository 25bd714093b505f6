// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/keeper.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "daemon/log.h"
#include "daemon/version.h"
#include "rules/remembered.h"

namespace roceready::daemon {
namespace {

constexpr const char* kHistory = "history";
constexpr const char* kLedger = "ledger";
constexpr const char* kSettings = "settings";
constexpr std::int64_t kFirstSaveNs = 10'000'000'000;

/// When and in which boot something was kept: the first line of it. By which version tells a person; what is behind it
/// is judged by itself.
struct Stamp {
  std::string boot, made_by;
  Instant at;
  std::uint64_t last_id = 0;
};

std::string stamped(const Stamp& stamp, const std::string& bytes) {
  return rules::as_text({{"boot", stamp.boot},
                         {"made_by", stamp.made_by},
                         {"at", rules::remembered(stamp.at)},
                         {"last_id", stamp.last_id}}) +
         "\n" + bytes;
}

std::optional<std::pair<Stamp, std::string>> unstamped(const std::string& kept) {
  const std::size_t end = kept.find('\n');
  if (end == std::string::npos || end > 1024) return {};
  const nlohmann::json json = rules::parsed(kept.substr(0, end));
  rules::Recalled read(json);
  Stamp out;
  out.boot = read.text("boot");
  out.made_by = read.text("made_by");
  out.at = read.instant("at");
  out.last_id = static_cast<std::uint64_t>(read.integer("last_id", 0, INT64_MAX / 2));
  if (!read.good()) return {};
  return std::pair(std::move(out), kept.substr(end + 1));
}

}  // namespace

Keeper::Keeper(KeeperOptions options) : options_(std::move(options)) {
  if (options_.directory.empty()) return;
  std::string problem;
  const Instant now = state_time();
  auto opened = Store::open(options_.directory, options_.limits, now);
  std::optional<Store> store;
  if (opened) {
    notes_ = opened->notes();
    const std::vector<std::int64_t> senseless = load(*opened);
    if (auto ended = opened->end(senseless, now.wall_ns); !ended)
      log(Level::Warning, "incidents that make no sense cannot be ended", {{"problem", ended.error().text()}});
    store.emplace(std::move(*opened));
  } else {
    problem = opened.error().text();
    log(Level::Warning, "state cannot be kept, running on without", {{"problem", problem}});
    // What an earlier time kept can be read all the same.
    if (auto readable = Store::open_for_reading(options_.directory)) static_cast<void>(load(*readable));
  }
  for (const std::string& note : notes_) log(Level::Warning, note);
  writer_ = std::make_unique<StateWriter>(options_.directory, options_.limits, std::move(store), std::move(problem));
}

Keeper::~Keeper() = default;

void Keeper::say(std::string note) {
  log(Level::Warning, note);
  notes_.push_back(std::move(note));
}

/// Takes what the store holds; ids of incidents that make no sense.
std::vector<std::int64_t> Keeper::load(const Store& store) {
  for (const char* name : {kHistory, kLedger, kSettings, "profile", "ports", "baselines"}) {
    auto bytes = store.kept(name);
    if (!bytes) notes_.push_back("what was kept cannot be read: " + bytes.error().text());
    if (bytes && *bytes) found_[name] = std::move(**bytes);
  }
  std::vector<std::int64_t> senseless;
  auto kept = store.incidents(2 * kMostInMemory, 0, &senseless);
  if (kept)
    found_incidents_ = std::move(*kept);
  else
    notes_.push_back("the incidents that were kept cannot be read: " + kept.error().text());
  complete_ = kept && found_incidents_.size() + senseless.size() < 2 * kMostInMemory;
  if (senseless.empty()) return senseless;
  std::string ids;
  for (std::size_t i = 0; i < std::min<std::size_t>(senseless.size(), 8); ++i)
    ids += (i == 0 ? "" : ", ") + std::to_string(senseless[i]);
  notes_.push_back("incidents that were kept make no sense and are left out: " + std::to_string(senseless.size()) +
                   " (id " + ids + (senseless.size() > 8 ? ", …" : "") +
                   "); one of them that lasts begins anew with a new id");
  found_last_id_ = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(*std::max_element(senseless.begin(), senseless.end()), 0, INT64_MAX / 4));
  return senseless;
}

void Keeper::resume(const Snapshot& first, History& history, rules::Engine& engine) {
  const Instant now = now_ = midpoint(first);
  boot_ = first.node.boot_id_hash.value_or("");
  save_due_ns_ = now.monotonic_ns + kFirstSaveNs;
  const auto usable = [&](const Stamp& stamp) {
    // A process that was killed wrote it up to a saving before it ended.
    const double age = seconds_between(stamp.at, now);
    return !boot_.empty() && stamp.boot == boot_ && age >= 0 && age <= options_.resume_seconds + options_.save_seconds;
  };
  std::optional<Instant> last;
  std::uint64_t last_id = found_last_id_;
  if (const auto kept = unstamped(found_[kLedger])) {
    last_id = std::max(last_id, kept->first.last_id);
    if (kept->first.boot == boot_) last = kept->first.at;
    if (usable(kept->first) && !engine.recall(kept->second)) say("what was said before the restart makes no sense");
  }
  if (const auto kept = unstamped(found_[kHistory]); kept && usable(kept->first)) {
    auto loaded = History::load(kept->second, rules::needed_signals());
    resumed_ = loaded.has_value();
    if (loaded) history = std::move(*loaded);
    if (!resumed_) say("the history that was kept makes no sense");
    if (resumed_)
      log(Level::Info, "going on with the history of the process before",
          {{"age", duration_text(seconds_between(kept->first.at, now))}, {"made_by", clean_text(kept->first.made_by)}});
  }
  if (const std::string& text = found_[kSettings]; !text.empty() && !settings_.recall(text))
    say("the accepted settings that were kept make no sense; those of now are accepted");
  incidents_.resume(found_incidents_, last_id, last, boot_);
  for (const auto& [key, incident] : incidents_.open()) {
    Instant since = incident.begin;
    if (incident.boot != boot_) since.monotonic_ns = now.monotonic_ns - (now.wall_ns - since.wall_ns);
    engine.began_earlier(key, since, now);
  }
  for (rules::Incident& one : found_incidents_) {
    if (one.state != rules::IncidentState::Ended) {
      const auto open = incidents_.open().find(one.key);
      if (open != incidents_.open().end() && open->second.id == one.id) continue;
      // A second one of its key, or one too many: nobody follows it.
      one.state = rules::IncidentState::Ended;
      one.ended_by = "not_judged";
      if (!one.end) one.end = now;
      batch_.incidents.insert_or_assign(one.id, one);
    }
    ended_.push_back(std::make_shared<const rules::Incident>(std::move(one)));
  }
  found_incidents_ = {};
  found_.erase(kHistory);
  found_.erase(kLedger);
  found_.erase(kSettings);
  publish();
}

rules::Past Keeper::past() const {
  rules::Past out;
  out.settings_kept = true;
  out.drift = settings_.drift();
  const KeepingStatus now = status();
  if (!now.writable)
    out.gaps.push_back({"",
                        {},
                        "not_kept",
                        "incidents, settings and history do not outlive this process: " + now.problem,
                        "a state.directory that can be written to"});
  else if (history_bytes_ > 0)
    out.gaps.push_back({"",
                        {},
                        "not_kept",
                        "the history of this process does not outlive it: " + too_large(history_bytes_),
                        "a larger state.max_size"});
  for (const std::string& note : notes_) out.gaps.push_back({"", {}, "state_set_aside", note, ""});
  return out;
}

void Keeper::note(const rules::IncidentChange& change) {
  const rules::Incident& incident = change.incident;
  if (change.kind == rules::IncidentChange::Kind::Begins) ++begun_[static_cast<std::size_t>(incident.first.severity)];
  batch_.incidents.insert_or_assign(incident.id, incident);
  if (incident.state == rules::IncidentState::Ended)
    ended_.push_back(std::make_shared<const rules::Incident>(incident));
}

void Keeper::publish() {
  while (ended_.size() > kMostInMemory) {
    ended_.pop_front();
    complete_ = false;
  }
  auto list = std::make_shared<IncidentList>();
  list->complete = complete_;
  list->incidents.assign(ended_.begin(), ended_.end());
  for (const auto& [key, incident] : incidents_.open())
    list->incidents.push_back(std::make_shared<const rules::Incident>(incident));
  std::sort(list->incidents.begin(), list->incidents.end(), [](const IncidentPtr& a, const IncidentPtr& b) {
    return std::pair(a->begin.wall_ns, a->id) < std::pair(b->begin.wall_ns, b->id);
  });
  list_ = std::move(list);
}

/// Most bytes of history that are kept: twice in the file while it is replaced, and incidents need room too.
std::size_t Keeper::most_history() const {
  return static_cast<std::size_t>(options_.limits.max_bytes / 8);
}

std::string Keeper::too_large(std::size_t bytes) const {
  const auto mebibytes = [](std::size_t n) { return short_number(static_cast<double>(n) / (1U << 20U)) + " MiB"; };
  return "it takes " + mebibytes(bytes) + ", and an eighth of state.max_size is " + mebibytes(most_history());
}

/// Says it when it begins and when it ends.
void Keeper::keep_history(std::string bytes) {
  const std::size_t too_many = bytes.size() > most_history() ? bytes.size() : 0;
  if (too_many > 0 && history_bytes_ == 0)
    log(Level::Warning, "the history is too large to be kept; a restart would begin anew",
        {{"why", too_large(too_many)}});
  if (too_many == 0 && history_bytes_ > 0) log(Level::Info, "the history is kept again");
  history_bytes_ = too_many;
  if (too_many == 0) batch_.kept[kHistory] = std::move(bytes);
}

void Keeper::save_memory(const History& history, const rules::Engine& engine, bool whole) {
  if (!writer_) return;
  const Stamp stamp{boot_, version(), now_, incidents_.last_id()};
  batch_.kept[kLedger] = stamped(stamp, engine.save());
  batch_.kept[kSettings] = settings_.text();
  if (!whole) return;
  keep_history(stamped(stamp, history.save()));
}

void Keeper::took(const rules::Report& report, const History& history, const rules::Engine& engine,
                  double accept_seconds) {
  now_ = report.at;
  std::vector<rules::IncidentChange> changes = incidents_.take(report);
  for (const rules::SettingChange& change : settings_.take(report, accept_seconds))
    changes.push_back({rules::IncidentChange::Kind::Begins,
                       incidents_.drift(report, change.subject, change.what, change.from, change.to)});
  for (const rules::IncidentChange& change : changes) note(change);
  if (!changes.empty()) publish();
  if (!writer_) {
    batch_ = {};
    return;
  }
  if (const std::uint64_t anew = writer_->status().begun_anew; anew != begun_anew_) {
    // The fresh file knows nothing yet.
    begun_anew_ = anew;
    notes_.emplace_back("the state file was damaged while it was in use; it is set aside and an empty one began");
    for (const IncidentPtr& each : list_->incidents) batch_.incidents.insert_or_assign(each->id, *each);
    for (const auto& [name, bytes] : found_) batch_.kept[name] = bytes;
    save_due_ns_ = 0;
  }
  const bool due = report.at.monotonic_ns >= save_due_ns_;
  if (due) save_due_ns_ = report.at.monotonic_ns + static_cast<std::int64_t>(options_.save_seconds * 1e9);
  if (due || !changes.empty()) save_memory(history, engine, due);
  writer_->put(std::exchange(batch_, {}));
}

bool Keeper::finish(const History& history, const rules::Engine& engine, std::int64_t most_ms) {
  if (!writer_) return true;
  if (now_.monotonic_ns != 0) {
    save_memory(history, engine, true);
    writer_->put(std::exchange(batch_, {}));
  }
  return writer_->finish(most_ms);
}

KeepingStatus Keeper::status() const {
  if (writer_) return writer_->status();
  return {false, "state.directory is empty", 0, 0};
}

std::size_t Keeper::open_incidents(rules::Severity severity) const {
  const auto& open = incidents_.open();
  return static_cast<std::size_t>(
      std::count_if(open.begin(), open.end(), [&](const auto& each) { return each.second.peak.severity == severity; }));
}

std::optional<std::string> Keeper::kept(const std::string& name) const {
  const auto found = found_.find(name);
  return found == found_.end() ? std::nullopt : std::optional(found->second);
}

void Keeper::keep(const std::string& name, std::string bytes) {
  if (writer_) batch_.kept[name] = bytes;
  found_[name] = std::move(bytes);
}

void Keeper::settle() {
  if (writer_) writer_->settle();
}

}  // namespace roceready::daemon
