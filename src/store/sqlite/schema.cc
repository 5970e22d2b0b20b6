#include "store/sqlite/schema.h"

#include <fmt/format.h>

#include "base/crash_point.h"
#include "base/limits.h"
#include "store/sqlite/history.h"

namespace drover::store::sqlite {
namespace {

// The initial contents of a new database.
std::string seeds() {
  return fmt::format("INSERT INTO lanes VALUES ('default', {}), ('apps', {});",
                     limits::kDefaultLaneLimit, limits::kAppsLaneLimit);
}

std::unexpected<Error> newer(const std::string& path, const std::string& version,
                             std::int64_t known) {
  return fail(ErrorCode::conflict, "database_newer",
              fmt::format("{} has schema {}, but this Drover supports only schemas up to {}; use "
                          "the newer Drover that wrote it, or restore an older copy",
                          path, version, known));
}

std::unexpected<Error> foreign(const std::string& path) {
  return fail(ErrorCode::corrupt, "database_foreign",
              fmt::format("{} is another program's database; it was left unchanged: move it away, "
                          "or set DROVER_HOME to another directory",
                          path));
}

// Runs one migration in one transaction; `after` stores the new version.
Result<> apply(Database& database, std::string_view migration, const std::string& after) {
  crash_point("migration.begun");
  auto ok = database.execute("BEGIN IMMEDIATE;" + std::string(migration) + after);
  if (ok) {
    crash_point("migration.written");
    ok = database.execute("COMMIT");
    crash_point("migration.committed");
  }
  if (!ok && database.in_transaction()) (void)database.execute("ROLLBACK");
  return ok;
}

Result<> apply(Database& database, std::int64_t version) {
  std::string after = fmt::format("PRAGMA user_version = {};", version + 1);
  if (version == 0) after += fmt::format("{}PRAGMA application_id = {};", seeds(), kApplicationId);
  return apply(database, migrations()[static_cast<size_t>(version)], after);
}

Result<> migrate_room(Database& database, const std::string& path, const RoomSchema& tables) {
  // Its name is a constant of ours and needs no quoting.
  const auto version = database.integer(fmt::format(
      "SELECT ifnull(max(version), 0) FROM room_schemas WHERE room = '{}'", tables.room));
  if (!version) return std::unexpected(version.error());
  const auto known = static_cast<std::int64_t>(tables.migrations.size());
  if (*version > known) return newer(path, fmt::format("{} of {}", *version, tables.room), known);
  for (std::int64_t from = *version; from < known; ++from) {
    auto ok = apply(database, tables.migrations[static_cast<size_t>(from)],
                    fmt::format("INSERT INTO room_schemas (room, version) VALUES ('{0}', {1}) "
                                "ON CONFLICT (room) DO UPDATE SET version = {1};",
                                tables.room, from + 1));
    if (!ok) return ok;
  }
  return {};
}

}  // namespace

std::int64_t schema_version() {
  return static_cast<std::int64_t>(migrations().size());
}

Result<> migrate(Database& database, const std::string& path, std::span<const RoomSchema> rooms) {
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  const auto application = database.integer("PRAGMA application_id");
  if (!application) return std::unexpected(application.error());
  const auto tables = database.integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return std::unexpected(tables.error());

  const bool fresh = *tables == 0 && *version == 0 && *application == 0;
  if (!fresh && *application != kApplicationId) return foreign(path);
  if (*version > schema_version()) return newer(path, std::to_string(*version), schema_version());
  if (!fresh && *version < 1) return foreign(path);

  if (auto ok = database.execute("PRAGMA journal_mode = WAL"); !ok) return ok;
  for (std::int64_t from = *version; from < schema_version(); ++from) {
    if (auto ok = apply(database, from); !ok) return ok;
  }
  for (const RoomSchema& room : rooms) {
    if (auto ok = migrate_room(database, path, room); !ok) return ok;
  }
  return {};
}

}  // namespace drover::store::sqlite
