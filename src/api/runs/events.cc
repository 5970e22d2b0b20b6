#include "api/runs/events.h"

#include "api/http/target.h"
#include "api/stream/cursor.h"
#include "api/stream/event_text.h"
#include "api/stream/sse.h"
#include "queries/evidence.h"
#include "queries/resolve.h"
#include "store/scopes.h"

namespace drover::api {
namespace {

struct EventRequest {
  std::optional<Cursor> after;
  std::string scope;
  std::vector<RunId> runs = {};  // Topics; `scope` is then one of `scopes`.
  std::vector<std::string> scopes = {};
  bool follow = false;
  bool output = false;
  bool last = false;
  size_t limit = limits::kPageDefault;
  bool of_owner = true;
};

Result<EventRequest> read_wanted(const Request& request) {
  EventRequest wanted;
  wanted.of_owner = request.grant.is_owner;
  auto after = text_in(request.query, "after");
  if (!after) return std::unexpected(after.error());
  // A reconnecting browser repeats its first URL: its Last-Event-ID counts.
  const bool resumed = !request.last_event_id.empty();
  if (*after || resumed) {
    auto cursor = resumed ? parse_cursor(request.last_event_id, "Last-Event-ID")
                          : parse_cursor(**after, "after");
    if (!cursor) return std::unexpected(cursor.error());
    wanted.after = *cursor;
  }
  for (const auto& [name, value] : request.query) {
    if (name != "scope") continue;
    if (auto ok = run::validate_scope(value); !ok) return std::unexpected(ok.error());
    wanted.scopes.push_back(value);
  }
  auto follow = flag_in(request.query, "follow");
  if (!follow) return std::unexpected(follow.error());
  wanted.follow = *follow || request.accept.starts_with("text/event-stream");
  auto output = flag_in(request.query, "output");
  if (!output) return std::unexpected(output.error());
  wanted.output = *output;
  if (wanted.output && !wanted.follow) {
    return fail_invalid("output", "output is only available in a stream; add follow=true");
  }
  auto limit = number_in(request.query, "limit", 1, limits::kPageMax);
  if (!limit) return std::unexpected(limit.error());
  if (*limit && wanted.follow)
    return fail_invalid("limit", "limit cannot be used with a stream; remove it");
  wanted.limit = limit->value_or(limits::kPageDefault);
  auto last = flag_in(request.query, "last");
  if (!last) return std::unexpected(last.error());
  if (*last && wanted.follow) {
    return fail_invalid("last", "last cannot be used with a stream; a stream starts at `after`");
  }
  wanted.last = *last;
  return wanted;
}

// Restricts the topics to what the caller may see. One scope narrows the stream; several scopes, or
// runs, are topics: an event of any of them is sent.
Result<> sort_topics(EventRequest& wanted, const Request& request, store::Store& store) {
  for (const auto& [name, value] : request.query) {
    if (name != "run") continue;
    auto id = queries::resolve_within(store, request.grant, value);
    if (!id) return std::unexpected(id.error());
    auto events = store.events({.run = *id, .limit = 1});
    if (!events) return std::unexpected(events.error());
    if (events->empty()) return queries::no_such_run(value);
    wanted.runs.push_back(*id);
  }
  if (wanted.runs.size() + wanted.scopes.size() > limits::kTopicsMax) {
    return fail(ErrorCode::exhausted, "too_many_topics",
                "too many runs and scopes: one stream follows at most " +
                    std::to_string(limits::kTopicsMax) + "; open another stream",
                wanted.runs.empty() ? "scope" : "run");
  }
  for (std::string& scope : wanted.scopes) {
    auto reached = access::narrowed(request.grant, scope);
    if (!reached) {
      return fail(ErrorCode::invalid, "forbidden", "this token may not read that scope", "scope");
    }
    scope = std::move(*reached);
  }
  if (wanted.runs.empty() && wanted.scopes.empty()) {
    wanted.scope = *access::narrowed(request.grant, "");
  }
  if (wanted.runs.empty() && wanted.scopes.size() == 1) {
    wanted.scope = std::move(wanted.scopes.front());
    wanted.scopes.clear();
  }
  return {};
}

Result<Response> page_of(Services& services, const EventRequest& wanted, std::optional<RunId> run) {
  const std::int64_t after = wanted.after ? wanted.after->seq : 0;
  auto events = bus::read_events(services.store,
                                 {.run = run,
                                  .scope = wanted.scope,
                                  .runs = wanted.runs,
                                  .scopes = wanted.scopes,
                                  .of_owner = wanted.of_owner},
                                 after, wanted.limit, wanted.last);
  if (!events) return std::unexpected(events.error());
  Response response;
  std::string& body = response.body;
  body = "{\"events\":[";
  for (const run::Event& event : *events) {
    if (body.back() != '[') body += ',';
    append_json(body, event, text_of(event.seq));
  }
  const std::int64_t next = events->empty() ? after : events->back().seq;
  body.append("],\"next\":\"").append(text_of(next)).append("\"}");
  return response;
}

Response stream_of(Services& services, Request& request, Follow follow) {
  Response response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("Cache-Control", "no-store");
  follow.reader = request.grant.subject();
  follow.of_owner = request.grant.is_owner;
  follow.credential = request.credential;
  response.stream = follow_events(services, request.caller, std::move(follow));
  return response;
}

}  // namespace

asio::awaitable<Result<Response>> run_events(Services& services, Request& request) {
  auto wanted = read_wanted(request);
  if (!wanted) co_return std::unexpected(wanted.error());
  if (wanted->scopes.size() > 1) co_return fail_invalid("scope", "scope is given twice");
  if (!wanted->scopes.empty()) wanted->scope = std::move(wanted->scopes.front());
  wanted->scopes.clear();
  const auto found = queries::find_evidence(services.store, request.subject);
  if (!found) co_return std::unexpected(found.error());
  const RunId id = found->record.id;
  // The run is not visible in this scope, so its end would never arrive.
  if (!store::within_scope(found->record.scope, wanted->scope)) {
    co_return queries::no_such_run(request.subject);
  }
  if (!wanted->follow) co_return page_of(services, *wanted, id);
  const Cursor after = wanted->after.value_or(Cursor{});
  const auto end = services.store.terminal_event(id);
  if (!end) co_return std::unexpected(end.error());
  if (*end && (*end)->seq <= after.seq) {
    // The client has read the end. 204 tells a browser not to reconnect.
    Response response;
    response.status = 204;
    co_return response;
  }
  co_return stream_of(services, request,
                      {.run = id,
                       .scope = wanted->scope,
                       .after = after,
                       .output = wanted->output && !found->deleted});
}

asio::awaitable<Result<Response>> all_events(Services& services, Request& request) {
  auto wanted = read_wanted(request);
  if (!wanted) co_return std::unexpected(wanted.error());
  if (wanted->output) {
    co_return fail_invalid(
        "output", "output is only available in the stream of one run: /api/runs/{id}/events");
  }
  if (auto ok = sort_topics(*wanted, request, services.store); !ok) {
    co_return std::unexpected(ok.error());
  }
  if (!wanted->follow) co_return page_of(services, *wanted, std::nullopt);
  // Without a cursor, a follower of all runs gets new events only.
  const Cursor now{.seq = services.bell.last_seq(), .offset = 0};
  co_return stream_of(services, request,
                      {.run = std::nullopt,
                       .scope = wanted->scope,
                       .runs = wanted->runs,
                       .scopes = wanted->scopes,
                       .after = wanted->after.value_or(now),
                       .output = false});
}

}  // namespace drover::api
