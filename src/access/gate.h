// The gate knows who stands before it: it tells what a token allows, gives tokens away and takes
// them back. What it knows of them is in memory, and follows the log: whoever issues or revokes a
// token, the gate learns of it from the event. Nothing is told before it is durable.
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

// The one writer's `record`.
using Record = std::function<asio::awaitable<Result<store::Written>>(store::Write)>;

class Gate {
 public:
  // `store`, `bell` and `clock` must outlive it.
  Gate(Keys keys, asio::any_io_executor loop, store::Store& store, bus::Bell& bell,
       const Clock& clock, Record record);

  // Before anybody comes.
  Result<> load();

  // Whoever shows this token. `unauthorized`, in the same words whatever is wrong with it.
  Result<Grant> identify(std::string_view token);

  struct TokenRequest {
    std::string label = {};
    std::string scope = {};
    Rights rights = {};
    std::int64_t ttl_ms = 0;
  };
  struct IssuedToken {
    Token token;
    std::string text;  // Told once, and then known to nobody here.
  };
  asio::awaitable<Result<IssuedToken>> give(TokenRequest wish);
  asio::awaitable<Result<IssuedToken>> begin_session(std::string label);
  // `not_found`: there is none of this id. A second time is fine.
  asio::awaitable<Result<>> revoke(std::string id);
  std::vector<Token> tokens();

  // A code that opens one session, soon, once. `exhausted`: too many wait to be used.
  Result<std::string> make_code();
  bool take_code(std::string_view code);

  std::string of_run(const RunId& id) const { return keys_.of_run(id); }

 private:
  asio::awaitable<Result<IssuedToken>> add(IssuedToken given);
  // Reads what the log says of tokens since the last time.
  void learn();
  bool lives(const Token& token) const;
  void forget_codes();

  Keys keys_;
  store::Store& store_;
  const Clock& clock_;
  Record record_;
  std::map<std::string, Token, std::less<>> tokens_;
  std::map<std::string, std::int64_t> codes_;  // By their hash: until when, in milliseconds.
  bus::Subscription news_;
  bool stale_ = false;  // A token was issued, and the table could not be read.
};

std::unexpected<Error> unauthorized();

}  // namespace drover::access
