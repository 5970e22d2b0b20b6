// Keys are made from one secret of the home, the owner's token: a private file that the daemon
// makes at its first start. Whoever shows it is the owner. From it follow, without anything being
// stored, the token of each run and the seal of each session; so a new owner's token ends them all.
//
//   dro_owner_<64 hex>             the file's one line
//   dro_run_<run's ulid>_<mac>     in the environment of that run, as DROVER_TOKEN
//   dro_ses_<12 hex>_<mac>         a browser's cookie
//   dro_tok_<12 hex>_<64 hex>      given away by the owner; only its SHA-256 is kept
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

  // Reads the file, or makes it. One that others could read, or that is not whole, is replaced:
  // nobody who has seen it is to have anything.
  static Result<Keys> open(const std::string& path);

  const std::string& owner() const { return owner_; }
  bool is_owner(std::string_view token) const;

  std::string of_run(const RunId& id) const;
  // The run whose token this is, whether there is such a run or not. Nothing: it is none of ours.
  std::optional<RunId> run_of(std::string_view token) const;

  // `id` as in the store: ses_….
  std::string of_session(std::string_view id) const;

 private:
  std::string owner_;
  std::string key_;
};

// tok_… or ses_… of a token's text, as it stands in the store. Empty: it is of another kind.
std::string id_in(std::string_view token);
// A new one, and the text that goes with it.
std::string new_token_id();
std::string new_session_id();
std::string new_token_text(std::string_view id);

}  // namespace drover::access
