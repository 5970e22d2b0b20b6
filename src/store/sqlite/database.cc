#include "store/sqlite/database.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "base/fd.h"
#include "base/limits.h"

namespace drover::store::sqlite {
namespace {

// `errno` must have been cleared before the call that failed. SQLite stores it for some calls only:
// not for a failed COMMIT.
std::unexpected<Error> fail_with(sqlite3* database, int code) {
  const int system_error = errno;
  return std::unexpected(error_of(code, system_error, sqlite3_errmsg(database)));
}

// SQLite would create the file with the umask's mode, but the records are private. An existing file
// is not opened: closing any descriptor of a file drops all locks that this process has on it, also
// those of SQLite's other connections, and another process would then take the database for unused.
Result<> create_private(const std::string& path) {
  const Fd fd = open_file(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (!fd && errno != EEXIST) return fail_errno("cannot create " + path, errno);
  return {};
}

// SQLite counts its allocations under a lock of the whole process, and the sum is not needed.
void quiet_statistics() {
  static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)once;  // Has no effect if SQLite was used before.
}

}  // namespace

Error error_of(int code, int system_error, std::string_view message) {
  const int primary = code & 0xff;
  if (primary == SQLITE_FULL ||
      (primary == SQLITE_IOERR && (system_error == ENOSPC || system_error == EDQUOT))) {
    return {ErrorCode::unavailable,
            "disk_full",
            "the disk that holds the database is full; free some space and try again",
            {}};
  }
  if (primary == SQLITE_IOERR && system_error == EFBIG) {
    return {ErrorCode::unavailable,
            std::string(kFileLimit),
            "the database cannot grow: the daemon was started with a limit on the size of files "
            "(ulimit -f); restart it without one",
            {}};
  }
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
    return {ErrorCode::unavailable,
            "database_busy",
            "another program has locked the database; close it and try again",
            {}};
  }
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) {
    return {ErrorCode::corrupt,
            "database_corrupt",
            fmt::format("the database is damaged or not a database ({}); it was left unchanged: "
                        "restore a copy, or move it away to start with an empty one",
                        message),
            {}};
  }
  if (primary == SQLITE_CONSTRAINT) {
    return {ErrorCode::conflict, std::string(kAlreadyRecorded),
            fmt::format("this is already recorded ({}); read the run again", message), "run_id"};
  }
  if (primary == SQLITE_ERROR || primary == SQLITE_TOOBIG || primary == SQLITE_RANGE ||
      primary == SQLITE_MISMATCH) {
    return {ErrorCode::invalid,
            std::string(kStatementRefused),
            fmt::format("the database refused the statement ({}, code {})", message, code),
            {}};
  }
  return {ErrorCode::unavailable,
          "database_error",
          fmt::format("the database failed ({}, code {}); try again", message, code),
          {}};
}

void Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL, and an empty view may have one.
  note(sqlite3_bind_text64(statement_.get(), index, text.empty() ? "" : text.data(), text.size(),
                           SQLITE_STATIC, SQLITE_UTF8));
}

int Statement::step() {
  if (code_ != SQLITE_OK) return code_;
  errno = 0;
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    code_ = code;
    system_error_ = errno;
  }
  return code;
}

Result<> Statement::finish() {
  const int code = std::exchange(code_, SQLITE_OK);
  if (code == SQLITE_OK) {
    sqlite3_reset(statement_.get());
    return {};
  }
  errno = system_error_;
  auto failed = fail_with(sqlite3_db_handle(statement_.get()), code);
  sqlite3_reset(statement_.get());
  return failed;
}

Result<Database> Database::open(const std::string& path, const Options& options) {
  if (auto created = create_private(path); !created) return std::unexpected(created.error());
  quiet_statistics();
  sqlite3* raw = nullptr;
  errno = 0;
  const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                   options.vfs.empty() ? nullptr : options.vfs.c_str());
  Database database(raw);
  // A directory in its place, for example: the message must name it.
  if ((code & 0xff) == SQLITE_CANTOPEN && sqlite3_system_errno(raw) != 0) {
    return fail_errno("cannot open " + path, sqlite3_system_errno(raw));
  }
  if (code != SQLITE_OK) return fail_with(raw, code);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, static_cast<int>(limits::kDatabaseBusyMs));
  if (options.keep_wal) sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (options.read_only) {
    if (auto ok = database.execute("PRAGMA query_only = ON"); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return database;
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  errno = 0;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  // Our queries are constant: a database that does not understand one has another schema.
  if (code == SQLITE_ERROR) return fail_with(database_.get(), SQLITE_CORRUPT);
  if (code != SQLITE_OK) return fail_with(database_.get(), code);
  return Statement(raw);
}

Result<> Database::execute(const std::string& sql) {
  errno = 0;
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_ERROR) return fail_with(database_.get(), SQLITE_CORRUPT);  // As in prepare.
  if (code != SQLITE_OK) return fail_with(database_.get(), code);
  return {};
}

Result<> Database::checkpoint(int mode, int& in_wal, int& saved) {
  errno = 0;
  const int code = sqlite3_wal_checkpoint_v2(database_.get(), nullptr, mode, &in_wal, &saved);
  if (code != SQLITE_OK) return fail_with(database_.get(), code);
  return {};
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  std::int64_t value = 0;
  auto ok = statement->each([&](const Row& row) { value = row.integer(0); });
  if (!ok) return std::unexpected(ok.error());
  return value;
}

}  // namespace drover::store::sqlite
