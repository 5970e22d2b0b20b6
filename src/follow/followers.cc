#include "follow/followers.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <optional>

#include "base/background.h"
#include "base/crash_point.h"
#include "follow/cursor.h"
#include "log/log.h"

namespace drover::follow {
namespace {

constexpr std::chrono::minutes kWait{5};  // Then it looks how far the log has come.

std::unexpected<Error> no_such_follower(std::string_view name) {
  return fail(ErrorCode::not_found, "not_found",
              fmt::format("there is no follower {}; `drover follower ls` lists them", name),
              "follower");
}

// What the follower wants done about an event. What it throws is a refusal.
Result<store::Work> decide(const Follower& follower, const run::Event& event) {
  try {
    return follower.on(event);
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::conflict, "follower_failed", thrown.what());
  }
}

}  // namespace

struct Followers::ActiveFollower {
  Follower follower = {};
  Cursor cursor = {};         // As it is stored, or may be stored.
  std::int64_t position = 0;  // Every event up to this one is dealt with; ahead of the cursor.
  bool waiting = false;       // For the next events.
  std::optional<bus::Subscription> news = {};
};

Followers::Followers(asio::any_io_executor loop, store::Store& store, bus::Bell& bell,
                     spine::Recorder record, std::chrono::milliseconds try_again)
    : loop_(std::move(loop)),
      store_(store),
      bell_(bell),
      record_(std::move(record)),
      try_again_(try_again) {}

Followers::~Followers() = default;

asio::awaitable<Result<>> Followers::begin(std::vector<Follower> followers) {
  const auto cursors = read_cursors(store_);
  if (!cursors) co_return std::unexpected(cursors.error());
  for (Follower& follower : followers) {
    const auto known = cursors->find(follower.name);
    Cursor cursor = known == cursors->end() ? Cursor{} : known->second;
    if (known == cursors->end() && follower.begins == StartFrom::now) {
      cursor.seq = bell_.last_seq();
      auto placed = co_await record_(place_cursor(follower.name, cursor.seq));
      if (!placed) co_return std::unexpected(placed.error());
    }
    seats_.push_back(std::make_unique<ActiveFollower>());
    seats_.back()->follower = std::move(follower);
    seats_.back()->cursor = std::move(cursor);
  }
  for (const auto& seat : seats_) {
    seat->position = seat->cursor.seq;
    if (seat->cursor.is_stopped()) {
      log::warn("follower {} is stopped at event {}: {}", seat->follower.name,
                seat->cursor.stopped_at, seat->cursor.reason);
    } else {
      start(*seat);
    }
  }
  co_return Result<>{};
}

void Followers::start(ActiveFollower& seat) {
  seat.position = seat.cursor.seq;
  seat.news.emplace(bell_, loop_, seat.follower.filter, seat.position);
  asio::co_spawn(loop_, follow(seat), in_background);
}

asio::awaitable<void> Followers::follow(ActiveFollower& seat) {
  while (co_await read_page(seat)) {
    if (seat.position - seat.cursor.seq < kCursorStride) continue;
    // Only a bug refuses this, and the next stride tries again.
    (void)co_await insist(work_and_move(seat.follower.name, seat.position, {}));
    seat.cursor.seq = seat.position;
  }
}

asio::awaitable<bool> Followers::read_page(ActiveFollower& seat) {
  seat.waiting = true;
  const auto page = co_await seat.news->next(std::chrono::steady_clock::now() + kWait);
  seat.waiting = false;
  if (!page) {
    co_await wait_to_try_again();
    co_return true;
  }
  if (page->lagged != 0) {  // It reads all of it all the same.
    seat.news.emplace(bell_, loop_, seat.follower.filter, seat.news->cursor());
    co_return true;
  }
  for (const bus::EventPtr& event : page->events) {
    if (seat.follower.wants(*event) && !co_await deal_with(seat, *event)) co_return false;
    seat.position = event->seq;
  }
  seat.position = seat.news->cursor();
  co_return true;
}

asio::awaitable<bool> Followers::deal_with(ActiveFollower& seat, const run::Event& event) {
  auto work = decide(seat.follower, event);
  if (work && !*work) co_return true;
  crash_point("follow.decided");
  Result<store::Written> written = std::unexpected(work ? Error{} : work.error());
  if (work) {
    written = co_await insist(work_and_move(seat.follower.name, event.seq, std::move(*work)));
  }
  if (!written) {
    co_await stop(seat, event.seq, written.error());
    co_return false;
  }
  crash_point("follow.recorded");
  seat.cursor.seq = event.seq;
  co_return true;
}

asio::awaitable<void> Followers::stop(ActiveFollower& seat, std::int64_t seq, const Error& why) {
  const std::string reason = why.reason + ": " + why.message;
  log::error("follower {} stops at event {}: {}", seat.follower.name, seq, reason);
  if (auto stopped = co_await insist(stop_at(seat.follower.name, seq, reason)); !stopped) {
    log::error("follower {}: its stop is not on record: {}", seat.follower.name,
               stopped.error().message);
  }
  seat.cursor.stopped_at = seq;
  seat.cursor.reason = reason;
}

asio::awaitable<Result<store::Written>> Followers::insist(store::Work work) {
  while (true) {
    auto written = co_await record_(work);
    if (written || written.error().code != ErrorCode::unavailable) co_return written;
    co_await wait_to_try_again();
  }
}

asio::awaitable<void> Followers::wait_to_try_again() {
  asio::steady_timer timer(loop_, try_again_);
  boost::system::error_code canceled;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, canceled));
}

Followers::ActiveFollower* Followers::find(const std::string& name) {
  const auto found =
      std::ranges::find(seats_, name, [](const auto& s) { return s->follower.name; });
  return found == seats_.end() ? nullptr : found->get();
}

FollowerStatus Followers::standing_of(const ActiveFollower& seat) const {
  return {.name = seat.follower.name,
          .cursor = seat.position,
          .lag = seat.waiting ? seat.news->behind() : bell_.last_seq() - seat.position,
          .stopped_at = seat.cursor.stopped_at,
          .reason = seat.cursor.reason};
}

std::vector<FollowerStatus> Followers::list() const {
  std::vector<FollowerStatus> out;
  for (const auto& seat : seats_) out.push_back(standing_of(*seat));
  return out;
}

asio::awaitable<Result<FollowerStatus>> Followers::resume(std::string name) {
  return go_on(std::move(name), &follow::resume);
}

asio::awaitable<Result<FollowerStatus>> Followers::skip(std::string name) {
  return go_on(std::move(name), &follow::skip);
}

// The store may have done it although it could not say so. So the stored cursor counts, and asking
// again is fine.
asio::awaitable<Result<FollowerStatus>> Followers::go_on(std::string name,
                                                         store::Work (*work)(std::string)) {
  ActiveFollower* const seat = find(name);
  if (seat == nullptr) co_return no_such_follower(name);
  const auto written = co_await record_(work(name));
  if (!written && written.error().reason != "not_stopped") {
    co_return std::unexpected(written.error());
  }
  auto cursors = read_cursors(store_);
  if (!cursors) co_return std::unexpected(cursors.error());
  Cursor& stored = (*cursors)[name];
  const bool was_stopped = seat->cursor.is_stopped();
  if (was_stopped && !stored.is_stopped()) {
    seat->cursor = std::move(stored);
    start(*seat);
  }
  if (!written && !was_stopped) co_return std::unexpected(written.error());
  co_return standing_of(*seat);
}

}  // namespace drover::follow
