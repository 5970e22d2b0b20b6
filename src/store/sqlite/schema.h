// The schema is the shape of the database: numbered migrations, each applied in one transaction
// that also raises `user_version`. Its document, with the reason of every index, is docs/schema.md.
//
// A database of a newer Drover is refused with `database_newer`, one of another program with
// `database_foreign`; neither is touched.
#pragma once

#include <span>
#include <string_view>

#include "store/sqlite/database.h"

namespace drover::store::sqlite {

inline constexpr std::int64_t kApplicationId = 0x44525652;  // "DRVR", as `file` shows it.

// Migration n leads from version n to n + 1.
std::span<const std::string_view> migrations();
std::int64_t schema_version();

// Brings an empty or older database up to date and switches it to WAL. `path` is for messages.
Result<> migrate(Database& database, const std::string& path);

}  // namespace drover::store::sqlite
