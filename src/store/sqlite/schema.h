// The schema is the shape of the database: numbered migrations (history.h, and those of each
// room), each applied in one transaction that also notes the version it leads to. Its document,
// with the reason of every index, is docs/schema.md.
//
// A database of a newer Drover is refused with `database_newer`, one of another program with
// `database_foreign`; neither is touched.
#pragma once

#include <span>
#include <string>

#include "store/sqlite/database.h"
#include "store/transaction.h"

namespace drover::store::sqlite {

inline constexpr std::int64_t kApplicationId = 0x44525652;  // "DRVR", as `file` shows it.

// Of the foundations' own tables.
std::int64_t schema_version();

// Brings an empty or older database up to date, with the tables of `rooms`, and switches it to WAL.
// Tables of rooms that are not named are left as they are. `path` is for messages.
Result<> migrate(Database& database, const std::string& path, std::span<const RoomSchema> rooms);

}  // namespace drover::store::sqlite
