// A Token is what is kept of a key that the owner has given away, or of a session of a browser: who
// may do what, and until when. The key itself is nowhere; its SHA-256 is enough to know it again.
//
// Tokens stand in a table of their own (docs/schema.md). They change by a Work
// (store/transaction.h), and the log tells of each change: token.issued, token.revoked.
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
  std::string id;     // Names it in lists, and when it is revoked. No secret.
  std::string hash;   // SHA-256 of its text, in hex.
  std::string label;  // For people.
  std::string scope;  // This scope and those below it; empty: all.
  std::string can;    // "read,run,cancel", or "own": a session of the owner's.
  WallMs created_at = 0;
  WallMs expires_at = 0;
  WallMs revoked_at = 0;  // 0: it is not.

  friend bool operator==(const Token&, const Token&) = default;
};

inline constexpr std::string_view kTokenSort = "token";
inline std::string subject_of_token(std::string_view id) {
  return std::string(kTokenSort) + "/" + std::string(id);
}

// All that are kept, oldest first.
Result<std::vector<Token>> read_tokens(store::Store& store);

// Those that were over before `forget_before` are removed with it. `already_recorded`: there is one
// of this id.
store::Work issue_token(Token token, WallMs forget_before);
// `not_found`: there is none of this id. A second time changes nothing.
store::Work revoke_token(std::string id, WallMs at);

std::unexpected<Error> no_such_token(std::string_view id);

extern const store::RoomSchema kTokenTables;

}  // namespace drover::access
