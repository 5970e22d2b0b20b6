#include "access/token.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace drover::access {
namespace {

// This is the table of the first databases: an existing one is kept unchanged.
constexpr auto kMigrations = std::to_array<std::string_view>({
    R"sql(
CREATE TABLE IF NOT EXISTS tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  label TEXT NOT NULL,
  scope TEXT NOT NULL,
  can TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql",
    // Quotas (quota.h): the lanes that callers of a scope have created, and indexes to count the
    // unfinished runs of a scope and the output of its runs.
    R"sql(
CREATE TABLE lanes_by_scope (
  scope TEXT NOT NULL,
  lane TEXT NOT NULL,
  PRIMARY KEY (scope, lane)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_unfinished_scope ON runs (scope) WHERE state < 3;
CREATE INDEX runs_output_scope ON runs (scope, stdout_bytes, stderr_bytes)
  WHERE stdout_bytes + stderr_bytes >= 65536;
)sql",
});

constexpr auto kFind = "SELECT revoked_at FROM tokens WHERE id = $1";

store::SubjectEvent subject_event(const std::string& id, std::string type,
                                  boost::json::object data) {
  return {.subject = subject_of_token(id),
          .type = std::move(type),
          .data = boost::json::serialize(data)};
}

}  // namespace

const store::RoomSchema kTokenTables{.room = "access", .migrations = kMigrations};

std::unexpected<Error> no_such_token(std::string_view id) {
  return fail(ErrorCode::not_found, "not_found",
              fmt::format("there is no token {}; `drover token ls` lists them", id), "token");
}

Result<std::vector<Token>> read_tokens(store::Reads& store) {
  const auto rows = store.query(
      "SELECT id, hash, label, scope, can, created_at, expires_at, revoked_at FROM tokens "
      "ORDER BY created_at, id",
      {});
  if (!rows) return std::unexpected(rows.error());
  std::vector<Token> tokens;
  for (const store::Values& row : *rows) {
    tokens.push_back({.id = row[0].text(),
                      .hash = row[1].text(),
                      .label = row[2].text(),
                      .scope = row[3].text(),
                      .can = row[4].text(),
                      .created_at = row[5].integer(),
                      .expires_at = row[6].integer(),
                      .revoked_at = row[7].integer()});
  }
  return tokens;
}

store::Work issue_token(Token token, WallMs forget_before) {
  return [t = std::move(token), forget_before](store::Transaction& transaction) -> Result<> {
    const auto known = transaction.query(kFind, {t.id});
    if (!known) return std::unexpected(known.error());
    if (!known->empty()) {
      return fail(ErrorCode::conflict, "already_recorded", "a token with this id already exists");
    }
    auto forgotten = transaction.execute(
        "DELETE FROM tokens WHERE expires_at < $1 OR (revoked_at != 0 AND revoked_at < $1)",
        {forget_before});
    if (!forgotten) return forgotten;
    auto added = transaction.execute(
        "INSERT INTO tokens (id, hash, label, scope, can, created_at, expires_at, revoked_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        {t.id, t.hash, t.label, t.scope, t.can, t.created_at, t.expires_at, t.revoked_at});
    if (!added) return added;
    return transaction.append(subject_event(
        t.id, "token.issued", {{"label", t.label}, {"scope", t.scope}, {"can", t.can}}));
  };
}

store::Work revoke_token(std::string id, WallMs at) {
  return [id = std::move(id), at](store::Transaction& transaction) -> Result<> {
    const auto known = transaction.query(kFind, {id});
    if (!known) return std::unexpected(known.error());
    if (known->empty()) return no_such_token(id);
    if (known->front()[0].integer() != 0) return {};
    auto revoked = transaction.execute("UPDATE tokens SET revoked_at = $2 WHERE id = $1", {id, at});
    if (!revoked) return revoked;
    return transaction.append(subject_event(id, "token.revoked", {}));
  };
}

store::Work extend_session(std::string id, WallMs expires_at) {
  return [id = std::move(id), expires_at](store::Transaction& transaction) -> Result<> {
    return transaction.execute_without_event(
        "UPDATE tokens SET expires_at = $2 WHERE id = $1 AND expires_at < $2 AND revoked_at = 0",
        {id, expires_at});
  };
}

}  // namespace drover::access
