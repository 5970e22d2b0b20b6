// A Database is one open connection to an SQLite file; a Statement is one prepared statement of it.
// Both wrap the C library with ownership and errors as types. They know nothing about runs.
//
// A connection and its statements are used by one thread at a time. A statement must not outlive
// its database. Every failure is an Error that says what to do: `disk_full` and `database_busy`
// (try again), `database_corrupt` (a person has to look), `already_recorded` (a constraint).
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace drover::store::sqlite {

// The current row of a statement; valid until the next step.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  bool is_integer(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string_view blob(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
  }
  std::string_view text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_, column);
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? std::string_view() : std::string_view(to_chars(bytes), size);
  }

 private:
  static const char* to_chars(const unsigned char* bytes) {
    return reinterpret_cast<const char*>(bytes);
  }
  sqlite3_stmt* statement_;
};

// A value that is stored as bytes, not as text.
struct Blob {
  std::string_view bytes;
};

class Statement {
 public:
  Statement() = default;

  // Binds `args` to ?1, ?2 …, calls `on_row(const Row&)` for every row, and resets the statement,
  // so that no read transaction stays open. `on_row` may return false to stop early.
  template <class OnRow, class... Args>
  Result<> each(OnRow&& on_row, const Args&... args) {
    bind_all(args...);
    while (step() == SQLITE_ROW) {
      if constexpr (std::same_as<std::invoke_result_t<OnRow, Row>, bool>) {
        if (!on_row(Row(statement_.get()))) break;
      } else {
        on_row(Row(statement_.get()));
      }
    }
    return finish();
  }

  // A write, or a query whose result is not needed.
  template <class... Args>
  Result<> run(const Args&... args) {
    return each([](const Row&) {}, args...);
  }

  // Texts are borrowed: they must live until the statement has run.
  void bind(int index, std::string_view text);
  void bind(int index, const Blob& blob) {
    note(sqlite3_bind_blob64(statement_.get(), index, blob.bytes.data(), blob.bytes.size(),
                             SQLITE_STATIC));
  }
  template <std::integral T>
  void bind(int index, T value) {
    note(sqlite3_bind_int64(statement_.get(), index, static_cast<std::int64_t>(value)));
  }
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    if (value) {
      bind(index, *value);
    } else {
      note(sqlite3_bind_null(statement_.get(), index));
    }
  }

  sqlite3_stmt* raw() const { return statement_.get(); }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  template <class... Args>
  void bind_all(const Args&... args) {
    int index = 0;
    (bind(++index, args), ...);
  }
  void note(int code) {
    if (code != SQLITE_OK) code_ = code;
  }
  int step();
  Result<> finish();  // Resets, and returns the error since the last reset.

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int code_ = SQLITE_OK;
  int system_error_ = 0;
};

class Database {
 public:
  struct Options {
    bool read_only = false;  // Refuses writes; the file itself must still be writable (WAL).
    bool keep_wal = false;   // Leaves the WAL alone when it closes, even as the last connection.
    std::string vfs;         // Empty: the default. Tests inject faults with their own.
  };

  // Opens `path`, creating it empty and private (0600) if it is missing.
  static Result<Database> open(const std::string& path, const Options& options);

  Result<Statement> prepare(std::string_view sql);
  // Executes several statements without parameters or results.
  Result<> execute(const std::string& sql);
  Result<std::int64_t> integer(std::string_view sql);
  // Sets the number of pages in the WAL, and how many of them are now saved in the file.
  Result<> checkpoint(int mode, int& in_wal, int& saved);

  std::int64_t last_number() const { return sqlite3_last_insert_rowid(database_.get()); }
  // SQLite ends a transaction by itself after some failures.
  bool in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

  sqlite3* raw() const { return database_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

// The Error for a result code of SQLite.
Error error_of(int code, int system_error, std::string_view message);
inline constexpr std::string_view kAlreadyRecorded = "already_recorded";
inline constexpr std::string_view kStatementRefused = "statement_refused";
inline constexpr std::string_view kFileLimit = "file_limit";

}  // namespace drover::store::sqlite
