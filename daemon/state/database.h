// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inner header of state/: SQLite behind results, for the .cpp files here.

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace roceready::daemon {

/// A prepared statement. Errors surface at step().
class Statement {
 public:
  Statement(sqlite3* db, const char* sql) { code_ = ::sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr); }
  ~Statement() { ::sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value) {
    note(::sqlite3_bind_int64(statement_, ++bound_, value));
    return *this;
  }
  Statement& bind_null() {
    note(::sqlite3_bind_null(statement_, ++bound_));
    return *this;
  }
  Statement& bind_text(std::string_view value) {
    note(::sqlite3_bind_text64(statement_, ++bound_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
  }
  Statement& bind_bytes(std::string_view value) {
    note(::sqlite3_bind_blob64(statement_, ++bound_, value.data(), value.size(), SQLITE_TRANSIENT));
    return *this;
  }
  /// SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return code_ == SQLITE_OK ? ::sqlite3_step(statement_) : code_; }
  void reset() {
    ::sqlite3_reset(statement_);
    bound_ = 0;
  }
  [[nodiscard]] std::int64_t integer(int column) const { return ::sqlite3_column_int64(statement_, column); }
  [[nodiscard]] std::string bytes(int column) const {
    const void* data = ::sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement_, column));
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
  }

 private:
  void note(int code) {
    if (code_ == SQLITE_OK) code_ = code;
  }
  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_OK;
  int bound_ = 0;
};

/// One connection.
class Database {
 public:
  Database() = default;
  ~Database() { close(); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<void> open(const std::string& path, int flags);
  void close();
  Result<void> run(const std::string& sql);
  /// First column of the first row.
  Result<std::int64_t> integer(const std::string& sql);
  Result<std::string> text(const std::string& sql);
  [[nodiscard]] Error error(int code, const std::string& what) const;
  [[nodiscard]] sqlite3* handle() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
  std::string path_;
};

}  // namespace roceready::daemon
