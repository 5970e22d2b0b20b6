// The gate authenticates callers: it maps a token to a grant, and issues and revokes tokens. It
// keeps the tokens in memory and follows the event log, so it also learns of tokens that another
// writer issued or revoked. It announces a token only once the token is durable.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "access/grant.h"
#include "access/keys.h"
#include "access/token.h"
#include "base/clock.h"
#include "bus/bell.h"
#include "store/store.h"

namespace drover::access {

namespace asio = boost::asio;

// As spine::Recorder; access may not include spine.
using Recorder = std::function<asio::awaitable<Result<store::Written>>(store::Write)>;

class Gate {
 public:
  // `store`, `bell` and `clock` must outlive it.
  Gate(Keys keys, asio::any_io_executor loop, store::Store& store, bus::Bell& bell,
       const Clock& clock, Recorder record);

  // Reads the stored tokens. Call it before the first request.
  Result<> load();

  // The grant of this token. The error is always the same `unauthorized`, whatever is wrong with
  // it.
  Result<Grant> identify(std::string_view token);

  struct TokenRequest {
    std::string label = {};
    std::string scope = {};
    Rights rights = {};
    std::int64_t ttl_ms = 0;
  };
  struct IssuedToken {
    Token token;
    std::string text;  // Returned once, and stored nowhere.
  };
  asio::awaitable<Result<IssuedToken>> issue(TokenRequest request);
  asio::awaitable<Result<IssuedToken>> begin_session(std::string label);
  // `not_found`: there is no token of this id. Revoking it again succeeds.
  asio::awaitable<Result<>> revoke(std::string id);
  std::vector<Token> tokens();

  // A login code that opens one browser session, once, within a short time. `exhausted`: too many
  // codes are unused.
  Result<std::string> make_code();
  bool take_code(std::string_view code);

  std::string of_run(const RunId& id) const { return keys_.of_run(id); }

 private:
  asio::awaitable<Result<IssuedToken>> add(IssuedToken given);
  // Reads the log's new events about tokens.
  void learn();
  bool lives(const Token& token) const;
  void forget_codes();

  Keys keys_;
  store::Store& store_;
  const Clock& clock_;
  Recorder record_;
  std::map<std::string, Token, std::less<>> tokens_;
  std::map<std::string, std::int64_t> codes_;  // Hash of a code → its expiry, in milliseconds.
  bus::Subscription news_;
  bool stale_ = false;  // A token was issued, and the table was unreadable.
};

std::unexpected<Error> unauthorized();

}  // namespace drover::access
