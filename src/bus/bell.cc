#include "bus/bell.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iterator>

#include "base/limits.h"
#include "store/read_pool.h"
#include "store/scopes.h"

namespace drover::bus {
namespace {

bool is_of_plain_run(const run::Event& event) {
  return event.is_of_run() && event.type.starts_with("run.");
}

}  // namespace

void Bell::ring(std::vector<run::Event> events) {
  std::vector<Subscription*> awake;
  const std::int64_t before = last_seq_;
  // After a gap are events of a commit without an answer (`catch_up`): they may concern any
  // subscriber.
  const bool gap = !events.empty() && events.front().seq != before + 1;
  bool rare = gap;
  for (run::Event& event : events) {
    // The recent events have no gaps: after a lost answer they start again.
    if (!recent_.empty() && event.seq != recent_.back()->seq + 1) recent_.clear();
    last_seq_ = std::max(last_seq_, event.seq);
    rare |= wake_for(event, awake);
    recent_.push_back(std::make_shared<const run::Event>(std::move(event)));
  }
  while (recent_.size() > limits::kRecentEvents) recent_.pop_front();
  if (!events.empty()) awake.insert(awake.end(), all_.begin(), all_.end());
  if (rare) awake.insert(awake.end(), rare_.begin(), rare_.end());
  if (gap) {
    for (const auto& [run, subscription] : by_run_) awake.push_back(subscription);
    for (const auto& [subject, subscription] : by_subject_) awake.push_back(subscription);
  }
  for (Subscription* subscription : rare_) {
    // None of the new events passes their filter: advance their cursors without waking them.
    if (!rare && subscription->cursor_ >= before) subscription->cursor_ = last_seq_;
  }
  for (Subscription* subscription : awake) subscription->wake();
}

bool Bell::wake_for(const run::Event& event, std::vector<Subscription*>& awake) {
  const auto add = [&](const auto& range) {
    for (auto it = range.first; it != range.second; ++it) awake.push_back(it->second);
  };
  if (event.is_of_run()) add(by_run_.equal_range(event.run_id));
  if (!by_subject_.empty()) add(by_subject_.equal_range(event.subject()));
  return !is_of_plain_run(event);
}

void Bell::catch_up(std::int64_t seq) {
  if (seq <= last_seq_) return;
  last_seq_ = seq;
  recent_.clear();
  for (Subscription* subscription : all_) subscription->wake();
  for (Subscription* subscription : rare_) subscription->wake();
  for (const auto& [run, subscription] : by_run_) subscription->wake();
  for (const auto& [subject, subscription] : by_subject_) subscription->wake();
}

Subscription::Subscription(Bell& bell, asio::any_io_executor executor, Filter filter,
                           std::int64_t after)
    : bell_(bell), timer_(std::move(executor)), filter_(std::move(filter)), cursor_(after) {
  if (filter_.run) {
    bell_.by_run_.emplace(*filter_.run, this);
  } else if (filter_.is_rare()) {
    bell_.rare_.insert(this);
  } else {
    bell_.all_.insert(this);
  }
  if (!filter_.waker.empty()) bell_.by_subject_.emplace(filter_.waker, this);
}

Subscription::~Subscription() {
  const auto leave = [this](auto& map, const auto& key) {
    const auto [begin, end] = map.equal_range(key);
    const auto own = std::find_if(begin, end, [this](const auto& i) { return i.second == this; });
    if (own != end) map.erase(own);
  };
  if (filter_.run) leave(bell_.by_run_, *filter_.run);
  if (!filter_.waker.empty()) leave(bell_.by_subject_, filter_.waker);
  bell_.rare_.erase(this);
  bell_.all_.erase(this);
}

bool Filter::passes(const run::Event& event) const {
  if (run && event.run_id != *run) return false;
  if (!of_owner && event.scope.empty()) return false;
  if (!about.empty() && !event.other.starts_with(about + "/")) return false;
  if (of_rooms && is_of_plain_run(event)) return false;
  if (!store::within_scope(event.scope, scope)) return false;
  if (!has_topics()) return true;
  return std::ranges::find(runs, event.run_id) != runs.end() ||
         std::ranges::any_of(scopes, [&](const std::string& topic) {
           return store::within_scope(event.scope, topic);
         });
}

Result<std::vector<run::Event>> read_events(store::Reads& store, const Filter& filter,
                                            std::int64_t after, size_t limit, bool last) {
  if (!filter.has_topics()) {
    return store.events({.after = after,
                         .run = filter.run,
                         .scope = filter.scope,
                         .about = filter.about,
                         .of_owner = filter.of_owner,
                         .limit = limit,
                         .last = last});
  }
  std::vector<run::Event> all;
  const auto add = [&](const store::EventQuery& query) -> Result<> {
    auto events = store.events(query);
    if (!events) return std::unexpected(events.error());
    std::ranges::move(*events, std::back_inserter(all));
    return {};
  };
  for (const RunId& id : filter.runs) {
    auto ok = add({.after = after, .run = id, .scope = filter.scope, .limit = limit, .last = last});
    if (!ok) return std::unexpected(ok.error());
  }
  for (const std::string& topic : filter.scopes) {
    // Of a scope and a topic, one inside the other, the narrower one counts.
    const bool inside = store::within_scope(topic, filter.scope);
    if (!inside && !store::within_scope(filter.scope, topic)) continue;
    auto ok =
        add({.after = after, .scope = inside ? topic : filter.scope, .limit = limit, .last = last});
    if (!ok) return std::unexpected(ok.error());
  }
  std::ranges::sort(all, {}, &run::Event::seq);
  const auto doubles = std::ranges::unique(all, {}, &run::Event::seq);
  all.erase(doubles.begin(), doubles.end());
  // Every topic returned its first (or last) events, so the overall first (or last) are among
  // these.
  if (all.size() > limit && last) {
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(limit));
  }
  if (all.size() > limit) all.resize(limit);
  return all;
}

struct Subscription::StoreRead {
  Filter filter;
  std::int64_t after;
  std::int64_t end;  // Of the log, when the read was requested.
};

struct Subscription::Found {
  std::int64_t end;
  bool compacted = false;  // Events after the cursor are missing.
  std::vector<run::Event> events = {};
};

std::optional<Page> Subscription::from_memory() {
  Page page;
  if (cursor_ >= bell_.last_seq_) {
    kept_up_ = true;
    return page;
  }
  const std::int64_t behind = bell_.last_seq_ - cursor_;
  // A filter for one run, or for one sort of subjects, reads only their few events, however many
  // others there are.
  if (!filter_.run && filter_.about.empty() && kept_up_ &&
      behind > static_cast<std::int64_t>(limits::kSubscriberLagMax)) {
    page.lagged = behind;
    return page;
  }
  if (bell_.recent_.empty() || bell_.recent_.back()->seq <= cursor_) return std::nullopt;
  // The recent events have no gaps, so they are complete from the first one on. They may end before
  // the log does, after a catch-up that read ahead of the answers.
  if (bell_.recent_.front()->seq > cursor_ + 1) {
    if (!add_own_events(page)) return std::nullopt;
    return page;
  }
  auto it = std::ranges::upper_bound(bell_.recent_, cursor_, {},
                                     [](const EventPtr& e) { return e->seq; });
  for (; it != bell_.recent_.end() && page.events.size() < limits::kSubscriberPage; ++it) {
    cursor_ = (*it)->seq;
    page.waker |= !filter_.waker.empty() && filter_.waker == (*it)->subject();
    if (filter_.passes(**it)) page.events.push_back(*it);
  }
  return page;
}

// Of a new run, the recent events are all there are. False: it is older, or not about one run.
bool Subscription::add_own_events(Page& page) {
  if (!filter_.run) return false;
  const auto& recent = bell_.recent_;
  bool whole = false;
  const size_t looked_at = std::min(recent.size(), limits::kSubscriberPage);
  for (auto it = recent.rbegin(); it != recent.rbegin() + static_cast<std::ptrdiff_t>(looked_at);
       ++it) {
    if ((*it)->run_id != *filter_.run) continue;
    if ((*it)->seq > cursor_ && filter_.passes(**it)) page.events.push_back(*it);
    whole = (*it)->run_seq == 1 || (*it)->seq <= cursor_ + 1;
    if (whole) break;
  }
  if (!whole) {
    page.events.clear();
    return false;
  }
  std::ranges::reverse(page.events);
  page.waker = !filter_.waker.empty();  // The events before were not looked at.
  cursor_ = recent.back()->seq;
  return true;
}

Subscription::StoreRead Subscription::next_read() const {
  return {.filter = filter_, .after = cursor_, .end = bell_.last_seq_};
}

Result<Subscription::Found> Subscription::answer(store::Reads& store, const StoreRead& read) {
  Found found{.end = read.end};
  const Filter& filter = read.filter;
  // Of a single run nothing is missing: its final event stays.
  const bool of_runs = filter.run || (!filter.runs.empty() && filter.scopes.empty());
  if (filter.notices_compaction && !of_runs) {
    const auto through = store.compacted_through();
    if (!through) return std::unexpected(through.error());
    found.compacted = read.after < *through;
    if (found.compacted) return found;
  }
  auto events = read_events(store, filter, read.after, limits::kSubscriberPage);
  if (!events) return std::unexpected(events.error());
  found.events = std::move(*events);
  return found;
}

Page Subscription::take(Found found) {
  Page page;
  if (found.compacted) {
    page.lagged = found.end - cursor_;
    return page;
  }
  const bool whole = found.events.size() < limits::kSubscriberPage;
  page.waker = !filter_.waker.empty();  // The waker's events are not among those read.
  for (run::Event& event : found.events) {
    cursor_ = event.seq;
    if (!filter_.passes(event)) continue;  // The store does not apply the whole filter.
    page.events.push_back(std::make_shared<const run::Event>(std::move(event)));
  }
  // No other event up to here passes the filter.
  if (whole) cursor_ = std::max(cursor_, found.end);
  return page;
}

Result<Page> Subscription::poll() {
  if (auto page = from_memory()) return std::move(*page);
  auto found = answer(bell_.store_, next_read());
  if (!found) return std::unexpected(found.error());
  return take(std::move(*found));
}

asio::awaitable<Result<Page>> Subscription::now() {
  if (bell_.reads_ == nullptr) co_return poll();
  if (auto page = from_memory()) co_return std::move(*page);
  work::Caller reader = filter_.reader;
  reader.stop = left_.get_token();
  auto found = co_await bell_.reads_->ask(
      std::move(reader), [read = next_read()](store::Reads& store) { return answer(store, read); });
  if (!found) co_return std::unexpected(found.error());
  co_return take(std::move(*found));
}

asio::awaitable<Result<Page>> Subscription::next(std::chrono::steady_clock::time_point deadline) {
  while (true) {
    auto page = co_await now();
    if (!page || !page->events.empty() || page->lagged != 0 || page->waker) co_return page;
    if (cursor_ < bell_.last_seq_) continue;
    if (!woken_) {
      timer_.expires_at(deadline);
      boost::system::error_code canceled;
      co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, canceled));
    }
    const bool woken = std::exchange(woken_, false);
    page = co_await now();
    const bool something = !page || !page->events.empty() || page->lagged != 0;
    if (something || woken || std::chrono::steady_clock::now() >= deadline) co_return page;
  }
}

void Subscription::leave() {
  left_.request_stop();
  wake();
}

void Subscription::wake() {
  woken_ = true;
  timer_.cancel();
}

}  // namespace drover::bus
