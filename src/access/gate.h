// The gate knows who stands before it: it tells what a token allows, gives tokens away and takes
// them back. What it knows of them is in memory, as it was committed; nothing of it is told before
// it is durable.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "access/grant.h"
#include "access/keys.h"
#include "base/clock.h"
#include "store/store.h"

namespace drover::access {

namespace asio = boost::asio;

// The one writer's `record`.
using Record = std::function<asio::awaitable<Result<store::Written>>(store::Write)>;

class Gate {
 public:
  // `store` and `clock` must outlive it.
  Gate(Keys keys, store::Store& store, const Clock& clock, Record record)
      : keys_(std::move(keys)), store_(store), clock_(clock), record_(std::move(record)) {}

  // Before anybody comes.
  Result<> load();

  // Whoever shows this token. `unauthorized`, in the same words whatever is wrong with it.
  Result<Grant> identify(std::string_view token) const;

  struct Wish {
    std::string label = {};
    std::string scope = {};
    Rights rights = {};
    std::int64_t ttl_ms = 0;
  };
  struct Given {
    store::Token token;
    std::string text;  // Told once, and then known to nobody here.
  };
  asio::awaitable<Result<Given>> give(Wish wish);
  asio::awaitable<Result<Given>> begin_session(std::string label);
  // `not_found`: there is none of this id. A second time is fine.
  asio::awaitable<Result<>> revoke(std::string id);
  std::vector<store::Token> tokens() const;

  // Is told, while it exists, that some token or session has been revoked: for those who go on
  // answering one. `gate` must outlive it.
  class Ear {
   public:
    Ear(Gate& gate, std::function<void()> revoked);
    ~Ear() { gate_.ears_.erase(this); }
    Ear(const Ear&) = delete;
    Ear& operator=(const Ear&) = delete;

   private:
    Gate& gate_;
  };

  // A code that opens one session, soon, once. `exhausted`: too many wait to be used.
  Result<std::string> make_code();
  bool take_code(std::string_view code);

  std::string of_run(const RunId& id) const { return keys_.of_run(id); }

 private:
  asio::awaitable<Result<Given>> add(Given given);
  bool lives(const store::Token& token) const;
  void forget_codes();

  Keys keys_;
  store::Store& store_;
  const Clock& clock_;
  Record record_;
  std::map<std::string, store::Token, std::less<>> tokens_;
  std::map<std::string, std::int64_t> codes_;  // By their hash: until when, in milliseconds.
  std::unordered_map<const Ear*, std::function<void()>> ears_;
};

std::unexpected<Error> unauthorized();

}  // namespace drover::access
