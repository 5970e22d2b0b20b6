// The schema is the structure of the database: numbered migrations (history.h, and those of each
// room). Each is applied in one transaction that also stores the new version. docs/schema.md
// describes it, with the reason for every index.
//
// A database of a newer Drover is refused with `database_newer`, one of another program with
// `database_foreign`; neither is changed.
#pragma once

#include <span>
#include <string>

#include "store/sqlite/database.h"
#include "store/transaction.h"

namespace drover::store::sqlite {

inline constexpr std::int64_t kApplicationId = 0x44525652;  // "DRVR", as `file` shows it.

// Of the core's own tables.
std::int64_t schema_version();

// Migrates an empty or older database, with the tables of `rooms`, and switches it to WAL. Tables
// of other rooms are left as they are. `path` is for messages.
Result<> migrate(Database& database, const std::string& path, std::span<const RoomSchema> rooms);

}  // namespace drover::store::sqlite
