// The gate authenticates callers: it maps a token to a grant, and issues and revokes tokens. It
// keeps the tokens in memory and follows the event log, so it also learns of tokens that another
// writer issued or revoked. It announces a token only once the token is durable. The token of a run
// is checked against its record, which is nearly always in memory; otherwise the store is awaited.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
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
#include "store/read_pool.h"

namespace drover::access {

namespace asio = boost::asio;

// As spine::Recorder; access may not include spine.
using Recorder = std::function<asio::awaitable<Result<store::Written>>(store::Write)>;

class Gate {
 public:
  // `reads`, `bell` and `clock` must outlive it.
  Gate(Keys keys, asio::any_io_executor loop, store::ReadPool& reads, bus::Bell& bell,
       const Clock& clock, Recorder record);

  // Reads the stored tokens. Call it before the first request: `store` is read on the loop.
  Result<> load(store::Reads& store);

  // The grant of this token or browser session. The error is always the same `unauthorized`,
  // whatever is wrong with it. Each call extends the browser session.
  asio::awaitable<Result<Grant>> identify(std::string token);

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
  // For a browser that calls the daemon `host`, as in the Host header. It ends when it is not used
  // for limits::kBrowserSessionIdleMs, and after limits::kBrowserSessionMs.
  asio::awaitable<Result<IssuedToken>> begin_session(std::string host);
  std::string page_key_of(std::string_view session) const { return keys_.page_key_of(session); }
  // `not_found`: there is no token of this id. Revoking it again succeeds.
  asio::awaitable<Result<>> revoke(std::string id);
  asio::awaitable<std::vector<Token>> tokens();

  // A login code that opens one browser session, once, within a short time. `exhausted`: too many
  // codes are unused.
  Result<std::string> make_code();
  bool take_code(std::string_view code);

  std::string of_run(const RunId& id) const { return keys_.of_run(id); }

 private:
  asio::awaitable<Result<IssuedToken>> add(IssuedToken given);
  // Reads the log's new events about tokens.
  asio::awaitable<void> learn();
  asio::awaitable<void> load_again();
  void take(std::vector<Token> stored);
  bool lives(const Token& token) const;
  void use(Token& session);
  void forget_codes();

  Keys keys_;
  asio::any_io_executor loop_;
  store::ReadPool& reads_;
  const Clock& clock_;
  Recorder record_;
  std::map<std::string, Token, std::less<>> tokens_;
  std::map<std::string, std::int64_t> codes_;  // Hash of a code → its expiry, in milliseconds.
  bus::Subscription news_;
  // How often the log named a token that is not known, and how much of that a read of the table has
  // answered since.
  std::uint64_t named_ = 0;
  std::uint64_t answered_ = 0;
};

std::unexpected<Error> unauthorized();

}  // namespace drover::access
