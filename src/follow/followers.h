// The Followers of a daemon: each reads the log behind its cursor, one event at a time, and waits
// for the next when it has seen them all.
//
// While the store is unavailable a follower tries again, for as long as it takes. If an event's
// Work is refused for any other reason, the follower stops at that event, also for the next daemon;
// the others go on. A person then resumes it, which tries the same event again, or has it skip the
// event.
//
// An event that a follower does not want is not written down: its cursor moves with its next Work,
// or past kCursorStride such events at once. The next daemon reads no more than those again.
//
// Lives on the daemon's loop. It must outlive every turn of the loop, and what it borrows must
// outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bus/bell.h"
#include "follow/follower.h"
#include "spine/spine.h"
#include "store/store.h"

namespace drover::follow {

namespace asio = boost::asio;

inline constexpr std::int64_t kCursorStride = 10'000;
inline constexpr std::chrono::milliseconds kTryAgain{500};  // For a store that is unavailable.

struct FollowerStatus {
  std::string name;
  std::int64_t cursor = 0;      // The last event that it has dealt with.
  std::int64_t lag = 0;         // Events of the log behind which it is; 0: it has seen them all.
  std::int64_t stopped_at = 0;  // The event at which it stopped; 0: it goes on.
  std::string reason = {};      // Why it stopped.
};

class Followers {
 public:
  Followers(asio::any_io_executor loop, store::Store& store, bus::Bell& bell,
            spine::Recorder record, std::chrono::milliseconds try_again = kTryAgain);
  ~Followers();

  // Reads the cursors and starts all of them. Once, after recovery and before the doors open: a
  // follower that begins now then misses nothing that anybody is told of.
  asio::awaitable<Result<>> begin(std::vector<Follower> followers);

  // In the order in which they were given.
  std::vector<FollowerStatus> list() const;
  // `not_found`: there is none of this name. `not_stopped`: it goes on already.
  asio::awaitable<Result<FollowerStatus>> resume(std::string name);
  asio::awaitable<Result<FollowerStatus>> skip(std::string name);

 private:
  struct ActiveFollower;  // One follower at its place in the log.

  void start(ActiveFollower& seat);
  asio::awaitable<void> follow(ActiveFollower& seat);
  // False: the follower has stopped. The same below.
  asio::awaitable<bool> read_page(ActiveFollower& seat);
  asio::awaitable<bool> deal_with(ActiveFollower& seat, const run::Event& event);
  asio::awaitable<void> stop(ActiveFollower& seat, std::int64_t seq, const Error& why);
  // Tries until the store answers with anything but `unavailable`.
  asio::awaitable<Result<store::Written>> insist(store::Work work);
  asio::awaitable<void> wait_to_try_again();
  asio::awaitable<Result<FollowerStatus>> go_on(std::string name, store::Work (*work)(std::string));
  ActiveFollower* find(const std::string& name);
  FollowerStatus standing_of(const ActiveFollower& seat) const;

  asio::any_io_executor loop_;
  store::Store& store_;
  bus::Bell& bell_;
  spine::Recorder record_;
  const std::chrono::milliseconds try_again_;
  std::vector<std::unique_ptr<ActiveFollower>> seats_;
};

}  // namespace drover::follow
