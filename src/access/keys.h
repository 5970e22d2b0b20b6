// Keys derives tokens from one secret of the home, the owner's token: a private file that the
// daemon creates at its first start. A caller with that token is the owner. The token of each run
// and the seal of each browser session are derived from it and stored nowhere, so a new owner's
// token invalidates them all.
//
//   dro_owner_<64 hex>             the file's one line
//   dro_run_<run's ulid>_<mac>     in the environment of that run, as DROVER_TOKEN
//   dro_ses_<12 hex>_<mac>         a browser session's cookie
//   dro_tok_<12 hex>_<64 hex>      issued by the owner; only its SHA-256 is stored
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/result.h"

namespace drover::access {

class Keys {
 public:
  // `owner` is the owner's token.
  explicit Keys(std::string owner);

  // Reads the file, or creates it. Replaces a file that others could read or that is incomplete, so
  // that a token which somebody may have seen is worth nothing.
  static Result<Keys> open(const std::string& path);

  const std::string& owner() const { return owner_; }
  bool is_owner(std::string_view token) const;

  std::string of_run(const RunId& id) const;
  // The run in this token, whether or not that run exists. Empty: the token is not a run's, or is
  // forged.
  std::optional<RunId> run_of(std::string_view token) const;

  // `id` as in the store: ses_….
  std::string of_session(std::string_view id) const;
  // The second secret of that browser session, which a page sends in a header. A browser sends
  // cookies to every port of a host; a page's local storage is private to its port.
  std::string page_key_of(std::string_view session) const;

 private:
  std::string owner_;
  std::string key_;
};

// The id in a token's text, tok_… or ses_…, as in the store. Empty: a token of another kind.
std::string id_in(std::string_view token);
// A new id, and a new text for it.
std::string new_token_id();
std::string new_session_id();
std::string new_token_text(std::string_view id);

}  // namespace drover::access
