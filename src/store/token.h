// A Token is what is kept of a key that the owner has given away, or of a session of a browser: who
// may do what, and until when. The key itself is nowhere; its SHA-256 is enough to know it again.
#pragma once

#include <string>

#include "base/clock.h"

namespace drover::store {

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

struct TokenIssued {
  Token token;
  WallMs forget_before = 0;  // Those that were over by then are removed.
};
// Refused (`not_found`) if there is no such token. A second time changes nothing.
struct TokenRevoked {
  std::string id;
  WallMs at = 0;
};

}  // namespace drover::store
