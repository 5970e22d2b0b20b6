// A Token is the stored part of a key that the owner has issued, or of a browser session: who may
// do what, and until when. The key itself is not stored, only its SHA-256.
//
// Tokens are stored in a table of their own (docs/schema.md). They change by a Work
// (store/transaction.h), and each change writes an event: token.issued, token.revoked.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/store.h"
#include "store/transaction.h"

namespace drover::access {

struct Token {
  std::string id;     // Names it in lists and for revocation. Not a secret.
  std::string hash;   // SHA-256 of its text, in hex.
  std::string label;  // For people. Of a browser session: the host and port that it is bound to.
  std::string scope;  // This scope and those below it; empty: all.
  std::string can;    // "read,run,cancel", or "own": a browser session of the owner.
  WallMs created_at = 0;
  WallMs expires_at = 0;
  WallMs revoked_at = 0;  // 0: it is not revoked.

  friend bool operator==(const Token&, const Token&) = default;
};

inline constexpr std::string_view kTokenSort = "token";
inline std::string subject_of_token(std::string_view id) {
  return std::string(kTokenSort) + "/" + std::string(id);
}

// All stored tokens, oldest first.
Result<std::vector<Token>> read_tokens(store::Reads& store);

// Also removes tokens that became invalid before `forget_before`. `already_recorded`: this id
// exists.
store::Work issue_token(Token token, WallMs forget_before);
// `not_found`: there is no token of this id. Revoking it again changes nothing.
store::Work revoke_token(std::string id, WallMs at);

// Moves the end of a browser session that is in use. It may be lost: then the session ends sooner.
store::Work extend_session(std::string id, WallMs expires_at);

std::unexpected<Error> no_such_token(std::string_view id);

extern const store::RoomSchema kTokenTables;

}  // namespace drover::access
