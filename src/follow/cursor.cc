#include "follow/cursor.h"

#include <fmt/format.h>

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace drover::follow {
namespace {

constexpr auto kMigrations = std::to_array<std::string_view>({
    R"sql(
CREATE TABLE followers (
  name TEXT PRIMARY KEY,
  cursor INTEGER NOT NULL,
  stopped_at INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)sql",
});

constexpr auto kFind = "SELECT cursor, stopped_at, reason FROM followers WHERE name = $1";

Cursor cursor_in(const store::Values& row, size_t first) {
  return {.seq = row[first].integer(),
          .stopped_at = row[first + 1].integer(),
          .reason = row[first + 2].text()};
}

Result<Cursor> find(store::Transaction& transaction, const std::string& name) {
  const auto rows = transaction.query(kFind, {name});
  if (!rows) return std::unexpected(rows.error());
  return rows->empty() ? Cursor{} : cursor_in(rows->front(), 0);
}

Result<> move(store::Transaction& transaction, const std::string& name, std::int64_t seq) {
  return transaction.execute_without_event(
      "INSERT INTO followers (name, cursor, stopped_at, reason) VALUES ($1, $2, 0, '') "
      "ON CONFLICT (name) DO UPDATE SET cursor = excluded.cursor",
      {name, seq});
}

Result<> tell(store::Transaction& transaction, const std::string& name, std::string type,
              const boost::json::object& data) {
  return transaction.append({.subject = "follower/" + name,
                             .type = std::move(type),
                             .data = boost::json::serialize(data)});
}

// Shared by resume and skip: the follower continues after `after(cursor)`.
template <class After>
store::Work continue_after(std::string name, std::string type, After after) {
  return [name = std::move(name), type = std::move(type),
          after](store::Transaction& transaction) -> Result<> {
    const auto cursor = find(transaction, name);
    if (!cursor) return std::unexpected(cursor.error());
    if (!cursor->is_stopped()) {
      return fail(ErrorCode::conflict, "not_stopped",
                  fmt::format("follower {} is not stopped; `drover follower ls` lists them", name),
                  "follower");
    }
    auto moved = transaction.execute(
        "UPDATE followers SET cursor = $2, stopped_at = 0, reason = '' WHERE name = $1",
        {name, after(*cursor)});
    if (!moved) return moved;
    return tell(transaction, name, type, {{"seq", cursor->stopped_at}});
  };
}

}  // namespace

const store::RoomSchema kTables{.room = "follow", .migrations = kMigrations};

Result<std::map<std::string, Cursor>> read_cursors(store::Reads& store) {
  const auto rows = store.query("SELECT name, cursor, stopped_at, reason FROM followers", {});
  if (!rows) return std::unexpected(rows.error());
  std::map<std::string, Cursor> out;
  for (const store::Values& row : *rows) out[row[0].text()] = cursor_in(row, 1);
  return out;
}

store::Work place_cursor(std::string name, std::int64_t seq) {
  return [name = std::move(name), seq](store::Transaction& transaction) -> Result<> {
    return transaction.execute_without_event(
        "INSERT INTO followers (name, cursor, stopped_at, reason) VALUES ($1, $2, 0, '') "
        "ON CONFLICT (name) DO NOTHING",
        {name, seq});
  };
}

store::Work work_and_move(std::string name, std::int64_t seq, store::Work work) {
  return [name = std::move(name), seq,
          work = std::move(work)](store::Transaction& transaction) -> Result<> {
    const auto cursor = find(transaction, name);
    if (!cursor) return std::unexpected(cursor.error());
    if (cursor->seq >= seq) return {};  // Committed before, but the answer was lost.
    if (work) {
      if (auto done = work(transaction); !done) return done;
    }
    return move(transaction, name, seq);
  };
}

store::Work move_cursor_back(std::string name, std::int64_t seq) {
  return [name = std::move(name), seq](store::Transaction& transaction) -> Result<> {
    return transaction.execute_without_event("UPDATE followers SET cursor = $2 WHERE name = $1",
                                             {name, seq});
  };
}

store::Work stop_at(std::string name, std::int64_t seq, std::string reason) {
  return [name = std::move(name), seq,
          reason = std::move(reason)](store::Transaction& transaction) -> Result<> {
    const auto cursor = find(transaction, name);
    if (!cursor) return std::unexpected(cursor.error());
    if (cursor->stopped_at == seq) return {};
    auto stopped = transaction.execute(
        "INSERT INTO followers (name, cursor, stopped_at, reason) VALUES ($1, 0, $2, $3) "
        "ON CONFLICT (name) DO UPDATE SET stopped_at = excluded.stopped_at, "
        "reason = excluded.reason",
        {name, seq, reason});
    if (!stopped) return stopped;
    return tell(transaction, name, "follower.stopped", {{"seq", seq}, {"reason", reason}});
  };
}

store::Work resume(std::string name) {
  return continue_after(std::move(name), "follower.resumed",
                        [](const Cursor& cursor) { return cursor.seq; });
}

store::Work skip(std::string name) {
  return continue_after(std::move(name), "follower.skipped",
                        [](const Cursor& cursor) { return cursor.stopped_at; });
}

}  // namespace drover::follow
