// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/text.h"
#include "core/base/time.h"
#include "daemon/state/age_clock.h"
#include "daemon/state/database.h"

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;

/// "RoCE", in the header of the file: it is ours.
constexpr std::int64_t kApplication = 0x526F4345;
constexpr std::int64_t kPageBytes = 4096;
constexpr std::size_t kMostAside = 8;

constexpr const char* kTables =
    "CREATE TABLE incidents (id INTEGER PRIMARY KEY, begin_ns INTEGER NOT NULL, end_ns INTEGER, data BLOB NOT NULL);"
    "CREATE INDEX incidents_end ON incidents (end_ns);"
    "CREATE TABLE kept (name TEXT PRIMARY KEY, written_ns INTEGER NOT NULL, data BLOB NOT NULL);";

/// "20261130T001530Z".
std::string date_of(std::int64_t wall_ns) {
  std::string out;
  for (const char c : rfc3339(wall_ns).substr(0, 19))
    if (c != '-' && c != ':') out += c;
  return out + "Z";
}

/// Holds `lock` in the directory; freed with the process, however it ends.
class Alone {
 public:
  Alone() = default;
  ~Alone() {
    if (fd_ >= 0) ::close(fd_);
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  Result<void> take(const std::string& directory) {
    const std::string path = directory + "/lock";
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
    if (fd_ < 0) return os_error(errno, "cannot make the lock: " + std::string(std::strerror(errno)), path);
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return {};
    return os_error(errno, "another process keeps its state here", directory);
  }

 private:
  int fd_ = -1;
};

Result<void> make_directory(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0750) == 0) return {};
  const int failed = errno;
  struct stat facts {};
  const bool there = ::stat(directory.c_str(), &facts) == 0;
  if (there && S_ISDIR(facts.st_mode)) return {};
  if (there) return os_error(ENOTDIR, "is not a directory", directory);
  return os_error(failed, "cannot make the directory: " + std::string(std::strerror(failed)), directory);
}

/// Only a regular file is opened: a pipe would hold us up, a link would lead elsewhere.
Result<void> check_kind(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return {};
    return os_error(errno, std::strerror(errno), path);
  }
  if (!S_ISREG(facts.st_mode)) return os_error(EINVAL, "the state file is not a regular file", path);
  return {};
}

std::size_t count_aside(const std::string& directory) {
  std::size_t count = 0;
  std::error_code error;
  for (fs::directory_iterator each(directory, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (name.starts_with("state.db-damaged-") || name.starts_with("state.db-newer-")) ++count;
  }
  return count;
}

}  // namespace

std::string state_file(const std::string& directory) {
  return directory + "/state.db";
}

struct Store::Impl {
  std::string directory;
  StoreLimits limits;
  Alone alone;
  Database db;
  std::vector<std::string> notes;
  std::optional<AgeClock> clock;

  Result<void> set_aside(const std::string& why, const char* word, std::int64_t wall_ns);
  Result<std::string> fault();
  Result<void> begin_anew();
  Result<void> settle();
  Result<void> start_clock(const Instant& now);
  Result<void> put(const StoreBatch& batch, std::int64_t aged_ns);
  Result<void> drop_oldest();
  bool at_limit(std::uint64_t more_bytes);
  Result<void> open_sound(std::int64_t wall_ns);
};

Result<void> Store::Impl::set_aside(const std::string& why, const char* word, std::int64_t wall_ns) {
  db.close();
  if (count_aside(directory) >= kMostAside)
    return Error{ErrorCode::Io, "too many state files were set aside already; remove them", directory, 0};
  const std::string from = state_file(directory);
  std::string to = from + "-" + word + "-" + date_of(wall_ns);
  std::error_code error;
  for (int n = 2; fs::exists(to, error) && n < 100; ++n)
    to = from + "-" + word + "-" + date_of(wall_ns) + "-" + std::to_string(n);
  // The journal first: left behind, SQLite would play it into the fresh file.
  for (const char* tail : {"-journal", "-wal", "-shm"})
    if (fs::exists(from + tail, error)) fs::rename(from + tail, to + tail, error);
  if (!error) fs::rename(from, to, error);
  if (error) return os_error(error.value(), "cannot set the state file aside: " + error.message(), from);
  notes.push_back("the state file " + why + "; it is set aside as " + to + " and an empty one begins");
  return {};
}

/// Why an opened file cannot be used: "" when it can. An Error is no statement about the file.
Result<std::string> Store::Impl::fault() {
  const auto judged = [](const Error& error) -> Result<std::string> {
    if (is_damage(error)) return "is damaged (" + error.what + ")";
    return error;
  };
  const auto version = db.integer("PRAGMA user_version");
  if (!version) return judged(version.error());
  const auto application = db.integer("PRAGMA application_id");
  if (!application) return judged(application.error());
  const auto tables = db.integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return judged(tables.error());
  if (*version == 0 && *application == 0 && *tables == 0) return std::string();  // fresh
  if (*application != kApplication) return std::string("is not one of roceready");
  if (*version > kSchema) return "is of a newer version (schema " + std::to_string(*version) + ")";
  const auto check = db.text("PRAGMA quick_check(1)");
  if (!check) return judged(check.error());
  if (*check != "ok") return "is damaged (" + clean_text(*check) + ")";
  for (const char* sql : {"SELECT count(id + begin_ns + length(data)) FROM incidents WHERE end_ns = 0 LIMIT 1",
                          "SELECT count(written_ns + length(data)) FROM kept WHERE name = ''"})
    if (auto readable = db.integer(sql); !readable) return "is damaged (" + readable.error().what + ")";
  return std::string();
}

Result<void> Store::Impl::begin_anew() {
  const auto tables = db.integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  if (*tables > 0) return {};
  if (auto sized = db.run("PRAGMA page_size = " + std::to_string(kPageBytes)); !sized) return sized;
  return db.run("BEGIN IMMEDIATE;" + std::string(kTables) + "PRAGMA application_id = " + std::to_string(kApplication) +
                "; PRAGMA user_version = " + std::to_string(kSchema) + "; COMMIT;");
}

/// The size limit holds from now on; a file that is larger shrinks first.
Result<void> Store::Impl::settle() {
  // TRUNCATE: a journal that is emptied costs less than one that is unlinked. FULL: a transaction is on the disk.
  if (auto set = db.run("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"
                        "PRAGMA cache_size = -512;");
      !set)
    return set;
  const auto page = db.integer("PRAGMA page_size");
  if (!page) return page.error();
  const std::int64_t most =
      std::max<std::int64_t>(16, static_cast<std::int64_t>(limits.max_bytes) / std::max<std::int64_t>(512, *page));
  for (int round = 0; round < 20; ++round) {
    const auto pages = db.integer("PRAGMA page_count");
    if (!pages) return pages.error();
    if (*pages <= most) break;
    if (auto dropped = drop_oldest(); !dropped) return dropped;
    if (auto shrunk = db.run("VACUUM"); !shrunk) return shrunk;
  }
  return db.run("PRAGMA max_page_count = " + std::to_string(most));
}

Result<void> Store::Impl::open_sound(std::int64_t wall_ns) {
  const std::string path = state_file(directory);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (auto kind = check_kind(path); !kind) return kind;
    if (auto opened = db.open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE); !opened) return opened;
    auto why = fault();
    if (!why) return why.error();
    if (why->empty()) {
      if (auto begun = begin_anew(); !begun) return begun;
      return settle();
    }
    const char* word = why->find("newer") != std::string::npos ? "newer" : "damaged";
    if (auto aside = set_aside(*why, word, wall_ns); !aside) return aside;
  }
  return Error{ErrorCode::Io, "a fresh state file is damaged at once", path, 0};
}

/// What was kept is dated by this clock, so it goes on over a restart. Incidents are dated by the wall clock.
Result<void> Store::Impl::start_clock(const Instant& now) {
  const auto newest =
      db.integer("SELECT coalesce((SELECT max(written_ns) FROM kept), (SELECT max(begin_ns) FROM incidents), 0)");
  if (!newest) return newest.error();
  clock.emplace(now, *newest);
  return {};
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

bool Store::is_damage(const Error& error) {
  return error.os_error == EBADMSG;
}

Result<Store> Store::open(const std::string& directory, const StoreLimits& limits, const Instant& now) {
  auto impl = std::make_unique<Impl>();
  impl->directory = directory;
  impl->limits = limits;
  if (auto made = make_directory(directory); !made) return made.error();
  if (auto alone = impl->alone.take(directory); !alone) return alone.error();
  if (auto opened = impl->open_sound(now.wall_ns); !opened) return opened.error();
  if (auto started = impl->start_clock(now); !started) return started.error();
  return Store(std::move(impl));
}

Result<Store> Store::open_for_reading(const std::string& directory) {
  auto impl = std::make_unique<Impl>();
  impl->directory = directory;
  const std::string path = state_file(directory);
  if (auto kind = check_kind(path); !kind) return kind.error();
  std::error_code error;
  if (!fs::exists(path, error))
    return error ? os_error(error.value(), error.message(), path)
                 : Error{ErrorCode::NotFound, "nothing is kept there; does the daemon run with this state.directory?",
                         path, ENOENT};
  if (auto opened = impl->db.open(path, SQLITE_OPEN_READONLY); !opened) return opened.error();
  auto why = impl->fault();
  if (!why) return why.error();
  if (!why->empty()) return Error{ErrorCode::Malformed, "the state file " + *why, path, 0};
  return Store(std::move(impl));
}

const std::vector<std::string>& Store::notes() const {
  return impl_->notes;
}

std::uint64_t Store::file_bytes() const {
  std::error_code error;
  const auto size = fs::file_size(state_file(impl_->directory), error);
  return error ? 0 : size;
}

/// A tenth of the ended incidents, oldest first.
Result<void> Store::Impl::drop_oldest() {
  return db.run(
      "DELETE FROM incidents WHERE id IN (SELECT id FROM incidents WHERE end_ns IS NOT NULL ORDER BY end_ns LIMIT "
      "(SELECT 1 + count(*) / 10 FROM incidents WHERE end_ns IS NOT NULL))");
}

Result<void> Store::Impl::put(const StoreBatch& batch, std::int64_t aged_ns) {
  if (auto begun = db.run("BEGIN IMMEDIATE"); !begun) return begun;
  const auto undo = [&](Error failed) -> Result<void> {
    static_cast<void>(db.run("ROLLBACK"));  // SQLite may have done it already
    return failed;
  };
  {
    Statement statement(db.handle(), "INSERT OR REPLACE INTO incidents (id, begin_ns, end_ns, data) VALUES (?,?,?,?)");
    for (const auto& [id, incident] : batch.incidents) {
      statement.bind(static_cast<std::int64_t>(id)).bind(incident.begin.wall_ns);
      if (incident.state == rules::IncidentState::Ended && incident.end)
        statement.bind(incident.end->wall_ns);
      else
        statement.bind_null();
      const int code = statement.bind_bytes(rules::incident_text(incident)).step();
      if (code != SQLITE_DONE) return undo(db.error(code, "keeping an incident"));
      statement.reset();
    }
  }
  {
    Statement statement(db.handle(), "INSERT OR REPLACE INTO kept (name, written_ns, data) VALUES (?,?,?)");
    for (const auto& [name, data] : batch.kept) {
      const int code = statement.bind_text(name).bind(aged_ns).bind_bytes(data).step();
      if (code != SQLITE_DONE) return undo(db.error(code, "keeping the " + name));
      statement.reset();
    }
  }
  if (auto aged = db.run("DELETE FROM incidents WHERE end_ns IS NOT NULL AND end_ns < " +
                         std::to_string(aged_ns - limits.max_age_ns));
      !aged)
    return undo(aged.error());
  if (auto done = db.run("COMMIT"); !done) return undo(done.error());
  return {};
}

/// Whether it was our own limit that was hit. A disk that others filled is no reason to drop what is kept.
bool Store::Impl::at_limit(std::uint64_t more_bytes) {
  const auto pages = db.integer("PRAGMA page_count"), most = db.integer("PRAGMA max_page_count");
  return pages && most && *pages + static_cast<std::int64_t>(more_bytes / kPageBytes) * 2 + 64 >= *most;
}

Result<void> Store::write(const StoreBatch& batch, const Instant& now) {
  std::uint64_t bytes = 0;
  for (const auto& [name, data] : batch.kept) bytes += data.size();
  if (bytes * 2 > impl_->limits.max_bytes)
    return Error{ErrorCode::Io, "what is to be kept does not fit into state.max_size", impl_->directory, ENOBUFS};
  const std::int64_t aged_ns = impl_->clock->at(now);
  Result<void> done = impl_->put(batch, aged_ns);
  for (int round = 0; round < 8 && !done && done.error().os_error == ENOSPC && impl_->at_limit(bytes); ++round) {
    const auto ended = impl_->db.integer("SELECT count(*) FROM incidents WHERE end_ns IS NOT NULL");
    if (!ended || *ended == 0) break;
    if (auto dropped = impl_->drop_oldest(); !dropped) break;
    done = impl_->put(batch, aged_ns);
  }
  return done;
}

Result<std::optional<std::string>> Store::kept(const std::string& name) const {
  Statement statement(impl_->db.handle(), "SELECT data FROM kept WHERE name = ?");
  const int code = statement.bind_text(name).step();
  if (code == SQLITE_ROW) return std::optional<std::string>(statement.bytes(0));
  if (code == SQLITE_DONE) return std::optional<std::string>();
  return impl_->db.error(code, "reading the kept " + name);
}

Result<std::vector<rules::Incident>> Store::incidents(std::size_t most, std::int64_t since_wall_ns,
                                                      std::vector<std::int64_t>* senseless) const {
  std::vector<rules::Incident> out;
  Statement statement(impl_->db.handle(),
                      "SELECT data, id, end_ns IS NULL FROM incidents WHERE end_ns IS NULL OR end_ns >= ? ORDER BY "
                      "end_ns IS NOT NULL, end_ns DESC, id DESC LIMIT ?");
  statement.bind(since_wall_ns).bind(static_cast<std::int64_t>(most));
  int code = SQLITE_ROW;
  while ((code = statement.step()) == SQLITE_ROW) {
    auto incident = rules::incident_from(statement.bytes(0));
    const bool lasts = statement.integer(2) != 0;
    // One that names another id would be written over that one and never end itself.
    if (incident && static_cast<std::int64_t>(incident->id) == statement.integer(1) &&
        lasts == (incident->state != rules::IncidentState::Ended))
      out.push_back(std::move(*incident));
    else if (senseless != nullptr)
      senseless->push_back(statement.integer(1));
  }
  if (code != SQLITE_DONE) return impl_->db.error(code, "reading incidents");
  std::sort(out.begin(), out.end(), [](const rules::Incident& a, const rules::Incident& b) {
    return std::pair(a.begin.wall_ns, a.id) < std::pair(b.begin.wall_ns, b.id);
  });
  return out;
}

Result<void> Store::end(const std::vector<std::int64_t>& ids, std::int64_t wall_ns) {
  Statement statement(impl_->db.handle(),
                      "UPDATE incidents SET end_ns = ?1 WHERE id = ?2 AND (end_ns IS NULL OR typeof(end_ns) <> "
                      "'integer' OR end_ns > ?1)");
  for (const std::int64_t id : ids) {
    const int code = statement.bind(wall_ns).bind(id).step();
    if (code != SQLITE_DONE) return impl_->db.error(code, "ending an incident that makes no sense");
    statement.reset();
  }
  return {};
}

Result<std::uint64_t> Store::last_id() const {
  const auto id = impl_->db.integer("SELECT max(id) FROM incidents");
  if (!id) return id.error();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, *id));
}

}  // namespace roceready::daemon
