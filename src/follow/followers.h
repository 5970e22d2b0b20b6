// The Followers of a daemon: each reads the event log after its cursor, one event at a time, and
// waits for the next when it has read them all.
//
// While the store is unavailable, a follower keeps trying. If an event's Work is refused for any
// other reason, the follower stops at that event, also for the next daemon; the others continue. A
// person then resumes it, which tries the same event again, or makes it skip the event.
//
// An event that a follower does not want causes no write: the cursor moves with the next Work, or
// past kCursorStride such events at once. The next daemon reads at most those again.
//
// Lives on the daemon's loop. It must outlive every turn of the loop, and what it borrows must
// outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bus/bell.h"
#include "follow/cursor.h"
#include "follow/follower.h"
#include "spine/spine.h"
#include "store/read_pool.h"

namespace drover::follow {

namespace asio = boost::asio;

inline constexpr std::int64_t kCursorStride = 10'000;
inline constexpr std::chrono::milliseconds kTryAgain{500};  // While the store is unavailable.

struct FollowerStatus {
  std::string name;
  std::int64_t cursor = 0;      // The last event that it has handled.
  std::int64_t lag = 0;         // How many events of the log it has not read yet.
  std::int64_t stopped_at = 0;  // The event at which it stopped; 0: it is not stopped.
  std::string reason = {};      // Why it stopped.
};

class Followers {
 public:
  Followers(asio::any_io_executor loop, store::ReadPool& reads, bus::Bell& bell,
            spine::Recorder record, std::chrono::milliseconds try_again = kTryAgain);
  ~Followers();

  // Reads the cursors and starts all followers. Call it once, after recovery and before the doors
  // open: so a new follower misses no event that a client has heard of.
  asio::awaitable<Result<>> begin(std::vector<Follower> followers);

  // In the given order.
  std::vector<FollowerStatus> list() const;
  // The last event that all followers have handled: later ones must stay in the log. A follower
  // that this daemon does not know counts with its stored cursor.
  asio::awaitable<Result<std::int64_t>> read_by_all();
  // `not_found`: no follower has this name. `not_stopped`: it is not stopped.
  asio::awaitable<Result<FollowerStatus>> resume(std::string name);
  asio::awaitable<Result<FollowerStatus>> skip(std::string name);

 private:
  struct ActiveFollower;  // One follower and its position in the log.

  void start(ActiveFollower& active);
  asio::awaitable<void> follow(ActiveFollower& active);
  // False: the follower has stopped. The same for handle.
  asio::awaitable<bool> read_page(ActiveFollower& active);
  asio::awaitable<bool> handle(ActiveFollower& active, const run::Event& event);
  asio::awaitable<void> stop(ActiveFollower& active, std::int64_t seq, const Error& why);
  // Tries until the store answers with anything but `unavailable`.
  asio::awaitable<Result<store::Written>> write_until_answered(store::Work work);
  asio::awaitable<void> wait_to_try_again();
  asio::awaitable<Result<FollowerStatus>> restart(std::string name,
                                                  store::Work (*work)(std::string));
  asio::awaitable<Result<std::map<std::string, Cursor>>> cursors();
  ActiveFollower* find(const std::string& name);
  FollowerStatus status_of(const ActiveFollower& active) const;

  asio::any_io_executor loop_;
  store::ReadPool& reads_;
  bus::Bell& bell_;
  spine::Recorder record_;
  const std::chrono::milliseconds try_again_;
  std::vector<std::unique_ptr<ActiveFollower>> active_;
};

}  // namespace drover::follow
