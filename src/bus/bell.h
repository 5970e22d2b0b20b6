// The Bell is rung after each commit, with its events. A Subscription is a cursor and a filter:
// when the bell rings it reads the events after its cursor, from the bell's short memory or, if it
// is further behind, from the store, which it awaits. Nothing is queued for it, so a slow
// subscriber costs the others nothing (R14); and only committed events are published, so a crash
// cannot undo one (R13).
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
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "store/store.h"
#include "work/caller.h"

namespace drover::store {
class ReadPool;
}

namespace drover::bus {

namespace asio = boost::asio;

class Subscription;
using EventPtr = std::shared_ptr<const run::Event>;

class Bell {
 public:
  // `store` must outlive the bell; `last_seq` is the current end of its event log.
  Bell(store::Store& store, std::int64_t last_seq) : store_(store), last_seq_(last_seq) {}

  // Called once per commit, with its events in order of seq.
  void ring(std::vector<run::Event> events);
  // After a commit of unknown fate: there may be events up to `seq`.
  void catch_up(std::int64_t seq);

  // From now on, subscriptions read older events beside the loop. `reads` must outlive the bell.
  void read_with(store::ReadPool& reads) { reads_ = &reads; }

  std::int64_t last_seq() const { return last_seq_; }
  // Whether a subscription is about this run alone: somebody reads it, or waits for it.
  bool has_subscriber(const RunId& run) const { return by_run_.contains(run); }

 private:
  friend class Subscription;
  // Whether rare subscriptions may want the event.
  bool wake_for(const run::Event& event, std::vector<Subscription*>& awake);

  store::Store& store_;
  store::ReadPool* reads_ = nullptr;
  std::int64_t last_seq_ = 0;
  std::deque<EventPtr> recent_;  // The newest events, without gaps; at most kRecentEvents.
  std::unordered_set<Subscription*> all_;
  std::unordered_multimap<RunId, Subscription*> by_run_;
  std::unordered_multimap<std::string, Subscription*> by_subject_;  // Subscriptions with a waker.
  std::unordered_set<Subscription*> rare_;  // Subscriptions that want few events (Filter::is_rare).
};

struct Filter {
  std::optional<RunId> run;
  std::string scope;  // This scope and those below it; empty: all.
  // Further filter: only events of these runs or scopes. Empty: all.
  std::vector<RunId> runs = {};
  std::vector<std::string> scopes = {};
  // A subject whose events wake the subscriber but do not pass the filter: "token/…", "run/…". For
  // example the token of its reader, or the reader's own run, after whose finish it may read no
  // more.
  std::string waker = {};
  work::Caller reader = {};  // The client for which it reads the store.
  std::string about = {};    // Only subjects of this sort: "token" for token/…; empty: all.
  // Without run.… events: only the events of rooms, about runs or other things.
  bool of_rooms = false;
  bool of_owner = true;  // Also events without a scope, which only the owner may see.
  // If compaction has removed events after its cursor, it lagged (Page). Otherwise it reads what is
  // left, as followers do: compaction removes nothing that they have not handled.
  bool notices_compaction = false;

  // Most events do not pass such a filter, and do not wake its subscriber.
  bool is_rare() const { return !about.empty() || of_rooms; }
  bool has_topics() const { return !runs.empty() || !scopes.empty(); }
  bool passes(const run::Event& event) const;
};

// The first events after `after` that pass the filter, at most `limit`; or the last. Each topic is
// looked up by itself, so the events between cost nothing.
Result<std::vector<run::Event>> read_events(store::Reads& store, const Filter& filter,
                                            std::int64_t after, size_t limit, bool last = false);

struct Page {
  std::vector<EventPtr> events;
  // Set when a subscriber that had kept up fell too far behind: the number of events it would have
  // to read. It should report that and let its reader resume from `cursor()` (R14).
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

  // The next events without waiting for new ones: empty if there are none. Awaits the store if the
  // subscription is behind.
  asio::awaitable<Result<Page>> now();
  // The same, but reads the store on the loop. For tests, and for a bell without a ReadPool.
  Result<Page> poll();

  // Ends a wait in `next` early, for example because output has grown.
  void wake();
  // Its reader is gone: ends a wait, and a read of the store.
  void leave();

  // Every event up to this one was returned, or does not pass the filter.
  std::int64_t cursor() const { return cursor_; }

 private:
  friend class Bell;
  // The input of a read of the store, and its result.
  struct StoreRead;
  struct Found;

  // The next page if it can be answered from memory.
  std::optional<Page> from_memory();
  bool add_own_events(Page& page);
  StoreRead next_read() const;
  static Result<Found> answer(store::Reads& store, const StoreRead& read);
  Page take(Found found);

  Bell& bell_;
  asio::steady_timer timer_;
  std::stop_source left_;
  Filter filter_;
  std::int64_t cursor_ = 0;
  bool kept_up_ = false;
  bool woken_ = false;
};

}  // namespace drover::bus
