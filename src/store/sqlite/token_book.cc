#include "store/sqlite/token_book.h"

#include "store/refusals.h"

namespace drover::store::sqlite {

Result<> TokenBook::prepare(Database& database) {
  for (auto [statement, sql] :
       {std::pair(&add_,
                  "INSERT INTO tokens (id, hash, label, scope, can, created_at, expires_at, "
                  "revoked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
        std::pair(&find_, "SELECT revoked_at FROM tokens WHERE id = ?1"),
        std::pair(&revoke_, "UPDATE tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at = 0"),
        std::pair(&forget_,
                  "DELETE FROM tokens WHERE expires_at < ?1 OR (revoked_at != 0 AND "
                  "revoked_at < ?1)")}) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<std::optional<WallMs>> TokenBook::revoked_at(const std::string& id) {
  std::optional<WallMs> found;
  auto asked = find_.each([&](const Row& row) { found = row.integer(0); }, id);
  if (!asked) return std::unexpected(asked.error());
  return found;
}

Result<Result<Written>> TokenBook::write(const TokenIssued& wish) {
  const Token& t = wish.token;
  auto known = revoked_at(t.id);
  if (!known) return std::unexpected(known.error());
  if (*known) return Result<Written>(token_exists());
  if (auto ok = forget_.run(wish.forget_before); !ok) return std::unexpected(ok.error());
  auto added =
      add_.run(t.id, t.hash, t.label, t.scope, t.can, t.created_at, t.expires_at, t.revoked_at);
  if (!added) return std::unexpected(added.error());
  return Result<Written>(Written{});
}

Result<Result<Written>> TokenBook::write(const TokenRevoked& wish) {
  auto known = revoked_at(wish.id);
  if (!known) return std::unexpected(known.error());
  if (!*known) return Result<Written>(no_such_token(wish.id));
  if (auto ok = revoke_.run(wish.id, wish.at); !ok) return std::unexpected(ok.error());
  return Result<Written>(Written{});
}

Result<bool> TokenBook::landed(const TokenIssued& wish) {
  auto known = revoked_at(wish.token.id);
  if (!known) return std::unexpected(known.error());
  return known->has_value();
}

Result<bool> TokenBook::landed(const TokenRevoked& wish) {
  auto known = revoked_at(wish.id);
  if (!known) return std::unexpected(known.error());
  return *known && **known != 0;
}

}  // namespace drover::store::sqlite
