// The Fetcher gets feeds and pages over HTTP(S), with libcurl on the daemon's loop. Everything that
// a server can do is bounded (limits.h): size, time, speed, redirects, and which addresses its
// names and redirects may lead to (transfer.h).
//
// At most kFetchesMax fetches run at once, and kFetchesPerHostMax to one host of a URL; the others
// wait for their turn, in order. The time of a fetch begins with its turn.
//
// Lives on the daemon's loop. If it is destroyed, the fetches in progress return `canceled`.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "triggers/poll/address.h"
#include "triggers/poll/transfer.h"

namespace drover::triggers {

namespace asio = boost::asio;

class Fetcher {
 public:
  static Result<std::unique_ptr<Fetcher>> open(asio::any_io_executor loop, FetchLimits limits = {},
                                               AddressRule rule = is_public);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  // If the calling coroutine is canceled, so is the fetch. Reasons of errors:
  //   invalid_value          the URL (fetch_url.h)
  //   address_not_allowed    it leads to a private or special address
  //   redirect_not_allowed   to another scheme, or with a user
  //   too_many_redirects, too_large, too_slow, unresolvable, unreachable, tls
  //   http_status            neither 200 nor 304; details: {"status":503,"retry_after_ms":120000}
  //   broken_response        not HTTP, a wrong length, a damaged encoding
  //   too_many_fetches       kFetchesWaitingMax wait already
  //   canceled
  asio::awaitable<Result<Fetched>> get(FetchRequest request);

 private:
  struct State;
  class Turn;
  explicit Fetcher(std::shared_ptr<State> state);
  static asio::awaitable<Result<Fetched>> get(std::shared_ptr<State> state, FetchRequest request);

  std::shared_ptr<State> state_;  // The other owners are the fetches in progress.
};

// Read from the details of an `http_status`; nothing for other errors.
std::optional<int> status_of(const Error& error);
std::optional<std::int64_t> retry_after_ms_of(const Error& error);

}  // namespace drover::triggers
