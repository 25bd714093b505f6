// SPDX-License-Identifier: Apache-2.0
#include "daemon/state/database.h"

#include <cerrno>

namespace roceready::daemon {
namespace {

/// A reader beside us holds its lock for milliseconds.
constexpr int kBusyMs = 2000;

int errno_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return ENOSPC;
    case SQLITE_READONLY:
      return EROFS;
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return EACCES;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return EBUSY;
    case SQLITE_NOMEM:
      return ENOMEM;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return EBADMSG;
    default:
      return EIO;
  }
}

}  // namespace

Error Database::error(int code, const std::string& what) const {
  std::string why = db_ != nullptr ? ::sqlite3_errmsg(db_) : ::sqlite3_errstr(code);
  const int system = db_ != nullptr ? ::sqlite3_system_errno(db_) : 0;
  if ((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_IOERR) {
    if (system != 0) return os_error(system, what + ": " + why, path_);
  }
  if (code == SQLITE_READONLY_ROLLBACK) why = "a write was cut off in it; the daemon repairs that when it starts";
  return os_error(errno_of(code), what + ": " + why, path_);
}

Result<void> Database::open(const std::string& path, int flags) {
  path_ = path;
  const int code = ::sqlite3_open_v2(path.c_str(), &db_, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code != SQLITE_OK) {
    Error failed = error(code, "opening the state file");
    close();
    return failed;
  }
  ::sqlite3_busy_timeout(db_, kBusyMs);
  // What a damaged or planted file may not do: run its own triggers' functions, or be trusted in its schema.
  ::sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  ::sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, 64 << 20);
  return {};
}

void Database::close() {
  ::sqlite3_close_v2(db_);
  db_ = nullptr;
}

Result<void> Database::run(const std::string& sql) {
  const int code = ::sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code, "state file");
  return {};
}

Result<std::int64_t> Database::integer(const std::string& sql) {
  Statement statement(db_, sql.c_str());
  const int code = statement.step();
  if (code == SQLITE_ROW) return statement.integer(0);
  if (code == SQLITE_DONE) return std::int64_t{0};
  return error(code, "reading the state file");
}

Result<std::string> Database::text(const std::string& sql) {
  Statement statement(db_, sql.c_str());
  const int code = statement.step();
  if (code == SQLITE_ROW) return statement.bytes(0);
  if (code == SQLITE_DONE) return std::string();
  return error(code, "reading the state file");
}

}  // namespace roceready::daemon
