#include "triggers/poll/poller.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "log/log.h"
#include "triggers/events/accept_event.h"
#include "triggers/events/event_digest.h"
#include "triggers/events/event_producer.h"
#include "triggers/firing/firing_steps.h"
#include "triggers/limits.h"
#include "triggers/poll/feed.h"
#include "triggers/poll/known_items.h"
#include "triggers/poll/page.h"
#include "triggers/poll/poll_plan.h"
#include "triggers/poll/selector.h"

namespace drover::triggers {

namespace json = boost::json;

struct Poller::Poll {
  PollState state;
  std::vector<EventEnvelope> events = {};
};

namespace {

std::string payload_of(const FeedItem& item, const std::string& feed) {
  json::object out{{"feed", feed},      {"id", item.id},           {"title", item.title},
                   {"link", item.link}, {"summary", item.summary}, {"time", nullptr}};
  if (item.time) out["time"] = rfc3339(*item.time);
  return json::serialize(out);
}

using Wanted = std::vector<std::pair<WantedBy, EventEnvelope>>;

Result<> accept(store::Transaction& t, const StoredTrigger& trigger, const Wanted& events) {
  const auto now = find_trigger(t, trigger.name);
  if (!now) return std::unexpected(now.error());
  if (now->revision != trigger.revision) {
    return fail(ErrorCode::conflict, "trigger_changed", "the trigger was changed meanwhile",
                "trigger");
  }
  for (const auto& [wanted, event] : events) {
    if (auto ok = accept_event(t, wanted, event); !ok) return ok;
  }
  return {};
}

}  // namespace

EventEnvelope Poller::event_of(const TriggerSpec& spec, std::string id, std::string dedup_key,
                               std::string payload) {
  return {.id = std::move(id),
          .type = std::string(event_type_of(spec.source)),
          .producer = producer_of(spec.source, spec.name),
          .time = clock_.wall_ms(),
          .dedup_key = std::move(dedup_key),
          .chain = {},
          .payload = std::move(payload)};
}

asio::awaitable<Result<>> Poller::poll(StoredTrigger trigger, TriggerSpec spec) {
  const auto stored = co_await reads_.ask(
      {}, [name = trigger.name](store::Reads& store) { return state_of(store, name); });
  if (!stored) co_return std::unexpected(stored.error());
  PollState state;
  if (!stored->empty()) {
    auto parsed = parse_poll_state(stored->front().state);
    if (parsed) {
      state = std::move(*parsed);
    } else {
      log::warn("trigger {}: {}; it starts anew", trigger.name, parsed.error().message);
    }
  }
  Poll found = co_await ask(trigger, spec, std::move(state));
  co_return co_await write(std::move(trigger), std::move(spec), std::move(found));
}

asio::awaitable<Poller::Poll> Poller::ask(const StoredTrigger& trigger, const TriggerSpec& spec,
                                          PollState state) {
  const auto& source = std::get<PollSource>(spec.source);
  const PollPlan plan{
      .interval_ms = source.interval_ms == 0 ? std::nullopt : std::optional(source.interval_ms),
      .seed = seed_of(trigger)};
  const auto failed = [&](const Error& error) {
    Poll out{.state = after_error(state, plan, clock_.wall_ms(), retry_after_ms_of(error))};
    out.state.error = error.reason + ": " + error.message;
    return out;
  };
  auto fetched = co_await fetch_({.url = source.url,
                                  .etag = state.etag,
                                  .last_modified = state.last_modified,
                                  .allow_private = source.allow_private});
  if (!fetched) co_return failed(fetched.error());
  Poll out;
  if (fetched->not_modified) {
    out.state = after_poll(std::move(state), plan, clock_.wall_ms());
    co_return out;
  }
  std::optional<std::int64_t> ttl_ms;
  if (source.is_page()) {
    auto page = co_await pool_.run(
        {}, [body = std::move(fetched->body), text = source.selector](const work::Turn&) {
          const auto selector = parse_selector(text);
          return selector ? select(body, *selector)
                          : Result<PageText>(std::unexpected(selector.error()));
        });
    if (!page) co_return failed(page.error());
    if (page_changed(state.hash, *page)) {
      out.events.push_back(
          event_of(spec, "evt_" + ids_.next().str().substr(4), page->hash.substr(0, 32),
                   json::serialize(json::object{
                       {"url", source.url}, {"text", page->text}, {"matches", page->matches}})));
    }
    state.hash = page->hash;
  } else {
    auto feed = co_await pool_.run(
        {}, [body = std::move(fetched->body)](const work::Turn&) { return parse_feed(body); });
    if (!feed) co_return failed(feed.error());
    NewItems fresh = new_items(state.known, *feed);
    for (const FeedItem& item : fresh.items) {
      // Of several commits some may be lost, and the next poll finds their items again.
      out.events.push_back(event_of(
          spec, event_id_of(spec.name, source.url + "\n" + item_key(item.id)),
          digest_of(item.link.empty() ? item.id : item.link), payload_of(item, feed->title)));
    }
    state.known = std::move(fresh.known);
    ttl_ms = feed->ttl_ms;
  }
  state.etag = std::move(fetched->etag);
  state.last_modified = std::move(fetched->last_modified);
  out.state = after_poll(std::move(state), plan, clock_.wall_ms(), ttl_ms);
  co_return out;
}

asio::awaitable<Result<>> Poller::write(StoredTrigger trigger, TriggerSpec spec, Poll found) {
  if (!found.state.error.empty()) log::warn("trigger {}: {}", trigger.name, found.state.error);
  // Expressions may take long: beside the loop, and not in the store.
  auto accepted = co_await pool_.run(
      {}, [spec, events = std::move(found.events)](const work::Turn&) -> Result<Wanted> {
        Wanted out;
        for (const EventEnvelope& event : events) out.emplace_back(wanted_by(spec, event), event);
        return out;
      });
  if (!accepted) co_return std::unexpected(accepted.error());
  const size_t events = accepted->size();
  size_t from = 0;
  for (; events - from > kAcceptedPerWork; from += kAcceptedPerWork) {
    const auto first = accepted->begin() + static_cast<std::ptrdiff_t>(from);
    const auto kept = co_await record_(
        store::Work([trigger, part = Wanted(first, first + kAcceptedPerWork)](
                        store::Transaction& t) { return accept(t, trigger, part); }));
    if (!kept) co_return std::unexpected(kept.error());
  }
  const auto written = co_await record_(
      store::Work([trigger, state = std::move(found.state), events,
                   part = Wanted(accepted->begin() + static_cast<std::ptrdiff_t>(from),
                                 accepted->end())](store::Transaction& t) -> Result<> {
        if (auto ok = accept(t, trigger, part); !ok) return ok;
        if (auto ok = set_state(t, trigger.name, {0, to_json(state)}); !ok) return ok;
        if (auto ok = set_next(t, trigger.name, std::nullopt, state.next_at); !ok) return ok;
        json::object data{{"trigger", trigger.name}, {"events", events}};
        if (!state.error.empty()) data["error"] = state.error;
        return t.append({.subject = "trigger/" + trigger.name,
                         .type = "trigger.polled",
                         .scope = scope_of(trigger.name),
                         .data = json::serialize(data)});
      }));
  co_return written ? Result<>{} : std::unexpected(written.error());
}

}  // namespace drover::triggers
