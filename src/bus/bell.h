// The bell is rung after a commit, with what was committed. A subscriber is a cursor and a filter:
// when the bell rings it reads what came after its cursor, from the bell's short memory or, if it
// is further behind, from the store. Nothing is queued for it, so a slow one costs nobody anything
// (R14), and nothing is ever published that a crash could take back (R13).
//
// Everything here lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "store/store.h"

namespace drover::bus {

namespace asio = boost::asio;

class Subscription;
using EventPtr = std::shared_ptr<const run::Event>;

class Bell {
 public:
  // `store` must outlive the bell; `last_seq` is where its log ends now.
  Bell(store::Store& store, std::int64_t last_seq) : store_(store), last_seq_(last_seq) {}

  // Called once per commit, with its events in order of seq.
  void ring(std::vector<run::Event> events);
  // After a commit of which nobody knew whether it landed: there may be events up to `seq`.
  void catch_up(std::int64_t seq);

  std::int64_t last_seq() const { return last_seq_; }

 private:
  friend class Subscription;
  // Whether it is one that the rare ones may have asked for.
  bool wake_for(const run::Event& event, std::vector<Subscription*>& awake);

  store::Store& store_;
  std::int64_t last_seq_ = 0;
  std::deque<EventPtr> recent_;  // The newest events, without gaps; at most kRecentEvents.
  std::unordered_set<Subscription*> all_;
  std::unordered_multimap<RunId, Subscription*> by_run_;
  std::unordered_multimap<std::string, Subscription*> by_subject_;  // Those with a waker.
  std::unordered_set<Subscription*>
      rare_;  // Those that most events do not concern (Filter::is_rare).
};

struct Filter {
  std::optional<RunId> run;
  std::string scope;  // This scope and those below it; empty: all.
  // Topics: of what passes the above, only what is of one of these runs or scopes. None: all of it.
  std::vector<RunId> runs = {};
  std::vector<std::string> scopes = {};
  // A subject whose events do not pass for that, and wake the subscriber all the same: the token of
  // its reader, say, or its own run, with whose end it may read no more. "token/…", "run/…".
  std::string waker = {};
  std::string about = {};  // Of subjects of this sort alone: "token" of token/…; empty: all.
  bool of_rooms =
      false;  // Only what is no run.… event: what rooms tell of their runs, and of others.
  bool of_owner = true;  // Also what only the owner may see: events of no scope.

  // Most events are no business of whoever asks for these, and do not wake them.
  bool is_rare() const { return !about.empty() || of_rooms; }
  bool has_topics() const { return !runs.empty() || !scopes.empty(); }
  bool passes(const run::Event& event) const;
};

// The first events after `after` that pass the filter, at most `limit`; or the last. Each topic is
// looked up by itself, so that what lies between costs nothing.
Result<std::vector<run::Event>> read_events(store::Store& store, const Filter& filter,
                                            std::int64_t after, size_t limit, bool last = false);

struct Page {
  std::vector<EventPtr> events;
  // Set when a subscriber that had kept up fell too far behind: how many it would have to read.
  // It should say so and let its reader resume from `cursor()` (R14).
  std::int64_t lagged = 0;
  bool waker = false;  // The filter's waker had an event, or may have had one.
};

class Subscription {
 public:
  // `bell` must outlive it. Sees every event after `after` that passes the filter.
  Subscription(Bell& bell, asio::any_io_executor executor, Filter filter, std::int64_t after);
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  // The next events, at most a page. Empty when `deadline` passes first, or when woken.
  asio::awaitable<Result<Page>> next(std::chrono::steady_clock::time_point deadline);

  // What is there now, without waiting.
  Result<Page> poll();

  // Ends a wait in `next` early: something else to look at, such as output that has grown.
  void wake();

  std::int64_t cursor() const { return cursor_; }
  // How many events of the log it has not looked at. 0: none of them can pass its filter.
  std::int64_t behind() const;

 private:
  friend class Bell;

  Bell& bell_;
  asio::steady_timer timer_;
  Filter filter_;
  std::int64_t cursor_ = 0;
  bool kept_up_ = false;
  bool woken_ = false;
};

}  // namespace drover::bus
