#include "follow/followers.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <limits>
#include <optional>

#include "base/background.h"
#include "base/crash_point.h"
#include "follow/cursor.h"
#include "log/log.h"

namespace drover::follow {
namespace {

constexpr std::chrono::minutes kWait{5};  // Then it checks the end of the log.

std::unexpected<Error> no_such_follower(std::string_view name) {
  return fail(ErrorCode::not_found, "not_found",
              fmt::format("there is no follower {}; `drover follower ls` lists them", name),
              "follower");
}

// Asks the follower for its Works; none: there is nothing to do. An exception counts as a refusal.
Result<std::vector<store::Work>> decide(const Follower& follower, const run::Event& event) {
  try {
    if (follower.parts) return follower.parts(event);
    std::vector<store::Work> out;
    if (store::Work work = follower.on(event)) out.push_back(std::move(work));
    return out;
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::conflict, "follower_failed", thrown.what());
  }
}

}  // namespace

struct Followers::ActiveFollower {
  Follower follower = {};
  Cursor cursor = {};         // As stored, or perhaps stored.
  std::int64_t position = 0;  // Every event up to this one is handled; may be ahead of the cursor.
  bool waiting = false;       // Until the next events.
  std::optional<bus::Subscription> news = {};

  // The last event of which every one up to it is handled, or does not concern the follower. While
  // it waits, the bell moves its subscription past events that do not pass the filter.
  std::int64_t handled_through() const { return waiting ? news->cursor() : position; }
};

Followers::Followers(asio::any_io_executor loop, store::ReadPool& reads, bus::Bell& bell,
                     spine::Recorder record, std::chrono::milliseconds try_again)
    : loop_(std::move(loop)),
      reads_(reads),
      bell_(bell),
      record_(std::move(record)),
      try_again_(try_again) {}

Followers::~Followers() = default;

asio::awaitable<Result<>> Followers::begin(std::vector<Follower> followers) {
  const auto known_cursors = co_await cursors();
  if (!known_cursors) co_return std::unexpected(known_cursors.error());
  for (Follower& follower : followers) {
    const auto known = known_cursors->find(follower.name);
    Cursor cursor = known == known_cursors->end() ? Cursor{} : known->second;
    if (cursor.seq > bell_.last_seq()) {
      // The log is an older one than the follower has read. The numbers after its end will be of
      // other events, and must not be skipped.
      log::warn("follower {} had read event {}, but the log ends with {}; it continues from there",
                follower.name, cursor.seq, bell_.last_seq());
      cursor.seq = bell_.last_seq();
      auto moved = co_await record_(move_cursor_back(follower.name, cursor.seq));
      if (!moved) co_return std::unexpected(moved.error());
    }
    if (known == known_cursors->end() && follower.begins == StartFrom::now) {
      cursor.seq = bell_.last_seq();
      auto placed = co_await record_(place_cursor(follower.name, cursor.seq));
      if (!placed) co_return std::unexpected(placed.error());
    }
    active_.push_back(std::make_unique<ActiveFollower>());
    active_.back()->follower = std::move(follower);
    active_.back()->cursor = std::move(cursor);
  }
  for (const auto& active : active_) {
    active->position = active->cursor.seq;
    if (active->cursor.is_stopped()) {
      log::warn("follower {} is stopped at event {}: {}", active->follower.name,
                active->cursor.stopped_at, active->cursor.reason);
    } else {
      start(*active);
    }
  }
  co_return Result<>{};
}

void Followers::start(ActiveFollower& active) {
  active.position = active.cursor.seq;
  active.news.emplace(bell_, loop_, active.follower.filter, active.position);
  asio::co_spawn(loop_, follow(active), in_background);
}

asio::awaitable<void> Followers::follow(ActiveFollower& active) {
  while (co_await read_page(active)) {
    if (active.position - active.cursor.seq < kCursorStride) continue;
    // Only a bug refuses this; the next stride tries again.
    (void)co_await write_until_answered(work_and_move(active.follower.name, active.position, {}));
    active.cursor.seq = active.position;
  }
}

asio::awaitable<bool> Followers::read_page(ActiveFollower& active) {
  active.waiting = true;
  const auto page = co_await active.news->next(std::chrono::steady_clock::now() + kWait);
  active.waiting = false;
  if (!page) {
    co_await wait_to_try_again();
    co_return true;
  }
  if (page->lagged != 0) {  // It still reads all of them.
    active.news.emplace(bell_, loop_, active.follower.filter, active.news->cursor());
    co_return true;
  }
  for (const bus::EventPtr& event : page->events) {
    if (active.follower.wants(*event) && !co_await handle(active, *event)) co_return false;
    active.position = event->seq;
  }
  active.position = active.news->cursor();
  co_return true;
}

asio::awaitable<bool> Followers::handle(ActiveFollower& active, const run::Event& event) {
  auto works = decide(active.follower, event);
  if (works && works->empty()) co_return true;
  crash_point("follow.decided");
  Result<store::Written> written = std::unexpected(works ? Error{} : works.error());
  for (size_t i = 0; works && i < works->size(); ++i) {
    store::Work& work = (*works)[i];
    const bool is_last = i + 1 == works->size();
    written = co_await write_until_answered(
        is_last ? work_and_move(active.follower.name, event.seq, std::move(work))
                : std::move(work));
    if (!written) break;
  }
  if (!written) {
    co_await stop(active, event.seq, written.error());
    co_return false;
  }
  crash_point("follow.recorded");
  active.cursor.seq = event.seq;
  co_return true;
}

asio::awaitable<void> Followers::stop(ActiveFollower& active, std::int64_t seq, const Error& why) {
  const std::string reason = why.reason + ": " + why.message;
  log::error("follower {} stops at event {}: {}", active.follower.name, seq, reason);
  if (auto stopped = co_await write_until_answered(stop_at(active.follower.name, seq, reason));
      !stopped) {
    log::error("follower {}: cannot record that it stopped: {}", active.follower.name,
               stopped.error().message);
  }
  active.cursor.stopped_at = seq;
  active.cursor.reason = reason;
}

asio::awaitable<Result<store::Written>> Followers::write_until_answered(store::Work work) {
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
      std::ranges::find(active_, name, [](const auto& s) { return s->follower.name; });
  return found == active_.end() ? nullptr : found->get();
}

FollowerStatus Followers::status_of(const ActiveFollower& active) const {
  return {.name = active.follower.name,
          .cursor = active.handled_through(),
          .lag = bell_.last_seq() - active.handled_through(),
          .stopped_at = active.cursor.stopped_at,
          .reason = active.cursor.reason};
}

std::vector<FollowerStatus> Followers::list() const {
  std::vector<FollowerStatus> out;
  for (const auto& active : active_) out.push_back(status_of(*active));
  return out;
}

asio::awaitable<Result<std::map<std::string, Cursor>>> Followers::cursors() {
  return reads_.ask(store::daemon_itself(),
                    [](store::Reads& store) { return read_cursors(store); });
}

// The positions of this daemon's followers are as of now: they only grow.
asio::awaitable<Result<std::int64_t>> Followers::read_by_all() {
  auto all = co_await cursors();
  if (!all) co_return std::unexpected(all.error());
  for (const auto& active : active_) {
    (*all)[active->follower.name].seq =
        active->cursor.is_stopped() ? active->cursor.seq : active->handled_through();
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& [name, cursor] : *all) least = std::min(least, cursor.seq);
  co_return least;
}

asio::awaitable<Result<FollowerStatus>> Followers::resume(std::string name) {
  return restart(std::move(name), &follow::resume);
}

asio::awaitable<Result<FollowerStatus>> Followers::skip(std::string name) {
  return restart(std::move(name), &follow::skip);
}

// The store may have carried it out without being able to say so. So the stored cursor counts, and
// repeating the request is harmless.
asio::awaitable<Result<FollowerStatus>> Followers::restart(std::string name,
                                                           store::Work (*work)(std::string)) {
  ActiveFollower* const active = find(name);
  if (active == nullptr) co_return no_such_follower(name);
  const auto written = co_await record_(work(name));
  if (!written && written.error().reason != "not_stopped") {
    co_return std::unexpected(written.error());
  }
  auto all = co_await cursors();
  if (!all) co_return std::unexpected(all.error());
  Cursor& stored = (*all)[name];
  const bool was_stopped = active->cursor.is_stopped();
  if (was_stopped && !stored.is_stopped()) {
    active->cursor = std::move(stored);
    start(*active);
  }
  if (!written && !was_stopped) co_return std::unexpected(written.error());
  co_return status_of(*active);
}

}  // namespace drover::follow
