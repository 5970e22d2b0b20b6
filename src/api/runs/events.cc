#include "api/runs/events.h"

#include "api/ask.h"
#include "api/http/target.h"
#include "api/runs/exact_reader.h"
#include "api/stream/cursor.h"
#include "api/stream/event_text.h"
#include "api/stream/sse.h"
#include "queries/evidence.h"
#include "queries/resolve.h"
#include "store/scopes.h"
#include "wire/frames.h"

namespace drover::api {
namespace {

struct EventRequest {
  std::optional<Cursor> after;
  std::string scope;
  std::vector<RunId> runs = {};  // Topics; `scope` is then one of `scopes`.
  std::vector<std::string> scopes = {};
  bool follow = false;
  bool output = false;
  bool frames = false;
  bool exact = false;
  bool last = false;
  size_t limit = limits::kPageDefault;
  bool of_owner = true;
};

Result<> read_format(EventRequest& wanted, const Query& query) {
  auto format = text_in(query, "format");
  if (!format) return std::unexpected(format.error());
  if (*format && **format != "sse" && **format != "frames") {
    return fail_invalid("format", "format must be sse or frames");
  }
  wanted.frames = *format && **format == "frames";
  auto exact = flag_in(query, "exact");
  if (!exact) return std::unexpected(exact.error());
  wanted.exact = *exact;
  if (wanted.frames && !wanted.output) {
    return fail_invalid("format", "frames are only available for a stream with output=true");
  }
  if (wanted.exact && !wanted.frames) {
    return fail_invalid("exact", "exact is only available with format=frames");
  }
  return {};
}

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
  if (auto ok = read_format(wanted, request.query); !ok) return std::unexpected(ok.error());
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

std::unexpected<Error> too_many_topics(std::string param) {
  return fail(ErrorCode::exhausted, "too_many_topics",
              "too many runs and scopes: one stream follows at most " +
                  std::to_string(limits::kTopicsMax) + "; open another stream",
              std::move(param));
}

Result<std::vector<RunId>> resolve_topics(store::Reads& store, const access::Grant& grant,
                                          const std::vector<std::string>& texts) {
  std::vector<RunId> out;
  for (const std::string& text : texts) {
    auto id = queries::resolve_within(store, grant, text);
    if (!id) return std::unexpected(id.error());
    auto events = store.events({.run = *id, .limit = 1});
    if (!events) return std::unexpected(events.error());
    if (events->empty()) return queries::no_such_run(text);
    out.push_back(*id);
  }
  return out;
}

asio::awaitable<Result<>> find_topics(Services& services, const Request& request,
                                      EventRequest& wanted) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : request.query) {
    if (name == "run") texts.push_back(value);
  }
  if (texts.empty()) co_return Result<>{};
  if (texts.size() > limits::kTopicsMax) co_return too_many_topics("run");
  auto runs = co_await ask(services, request,
                           [texts = std::move(texts), grant = request.grant](store::Reads& store) {
                             return resolve_topics(store, grant, texts);
                           });
  if (!runs) co_return std::unexpected(runs.error());
  wanted.runs = std::move(*runs);
  co_return Result<>{};
}

// Restricts the topics to what the caller may see. One scope narrows the stream; several scopes, or
// runs, are topics: an event of any of them is sent.
Result<> sort_topics(EventRequest& wanted, const Request& request) {
  if (wanted.runs.size() + wanted.scopes.size() > limits::kTopicsMax) {
    return too_many_topics(wanted.runs.empty() ? "scope" : "run");
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

// The newest compacted event that may concern this reader; 0: none. Of a single run nothing is
// missing: its final event stays for ever. Without a cursor, a reader starts with what is there.
Result<std::int64_t> compacted_before(store::Reads& store, const EventRequest& wanted,
                                      const std::optional<RunId>& run) {
  const bool of_runs = run || (!wanted.runs.empty() && wanted.scopes.empty());
  if (!wanted.after || of_runs) return 0;
  return store.compacted_through();
}

// Runs beside the loop. `epochs` never change.
Result<Response> page_of(store::Reads& store, const store::Epochs& epochs, std::int64_t last_seq,
                         const EventRequest& wanted, std::optional<RunId> run) {
  const auto through = compacted_before(store, wanted, run);
  if (!through) return std::unexpected(through.error());
  const CursorVerdict verdict = judge(wanted.after.value_or(Cursor{}), last_seq, epochs, *through);
  const std::int64_t after = verdict.resume_at.seq;
  auto events = bus::read_events(store,
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
    append_json(body, event, text_of(event.seq, epochs));
  }
  const std::int64_t next = events->empty() ? after : events->back().seq;
  body.append("],\"next\":\"").append(text_of(next, epochs)).append("\"");
  if (verdict.lagged) {
    body.append(",\"lagged\":").append(lagged_text(verdict.missed, text_of(after, epochs)));
  }
  body += "}";
  return response;
}

asio::awaitable<Result<Response>> answer_page(Services& services, const Request& request,
                                              EventRequest wanted, std::optional<RunId> run) {
  return ask(services, request,
             [&epochs = services.store.epochs(), last_seq = services.bell.last_seq(),
              wanted = std::move(wanted),
              run](store::Reads& store) { return page_of(store, epochs, last_seq, wanted, run); });
}

// The first events of a stream of one run.
struct Subject {
  store::StoredRun evidence;
  std::optional<std::int64_t> end_seq = {};  // Of the final event.
};

Result<Subject> find_subject(store::Reads& store, const std::string& text) {
  auto found = queries::find_evidence(store, text);
  if (!found) return std::unexpected(found.error());
  const auto end = store.final_event(found->record.id);
  if (!end) return std::unexpected(end.error());
  return Subject{.evidence = std::move(*found),
                 .end_seq = *end ? std::optional((*end)->seq) : std::nullopt};
}

asio::awaitable<Result<Subject>> find_subject(Services& services, const Request& request) {
  // An active run that changed lately is at hand, and has no end yet.
  if (const auto id = RunId::parse(request.subject)) {
    auto record = services.store.at_hand(*id);
    if (record && run::is_active(record->state)) {
      co_return Subject{.evidence = {.record = std::move(*record)}};
    }
  }
  co_return co_await ask(services, request, [text = request.subject](store::Reads& store) {
    return find_subject(store, text);
  });
}

Response stream_of(Services& services, Request& request, Follow follow) {
  Response response;
  response.content_type = follow.frames ? wire::kFrames : "text/event-stream";
  response.headers.emplace_back("Cache-Control", "no-store");
  follow.reader = request.grant.subject();
  follow.share = share_for(request.grant);
  follow.of_owner = request.grant.is_owner;
  follow.credential = request.credential;
  response.stream = follow_events(services, request.client, std::move(follow));
  return response;
}

}  // namespace

asio::awaitable<Result<Response>> run_events(Services& services, Request& request) {
  auto wanted = read_wanted(request);
  if (!wanted) co_return std::unexpected(wanted.error());
  if (wanted->scopes.size() > 1) co_return fail_invalid("scope", "scope is given twice");
  if (!wanted->scopes.empty()) wanted->scope = std::move(wanted->scopes.front());
  wanted->scopes.clear();
  const auto subject_of_stream = co_await find_subject(services, request);
  if (!subject_of_stream) co_return std::unexpected(subject_of_stream.error());
  const store::StoredRun* found = &subject_of_stream->evidence;
  const RunId id = found->record.id;
  // The run is not visible in this scope, so its end would never arrive.
  if (!store::within_scope(found->record.scope, wanted->scope)) {
    co_return queries::no_such_run(request.subject);
  }
  if (wanted->exact) {
    const access::TargetRun target{.id = id, .scope = found->record.scope};
    if (auto ok = check_exact_reader(request.grant, target, services.home); !ok) {
      co_return std::unexpected(ok.error());
    }
  }
  if (!wanted->follow) co_return co_await answer_page(services, request, *wanted, id);
  const Cursor given = wanted->after.value_or(Cursor{});
  const Cursor after{.seq = given.seq, .offset = given.offset_of(id)};
  const auto& end_seq = subject_of_stream->end_seq;
  const bool lagged = judge(after, services.bell.last_seq(), services.store.epochs()).lagged;
  if (end_seq && *end_seq <= after.seq && !lagged) {
    // The client has read the end. 204 tells a browser not to reconnect.
    Response response;
    response.status = 204;
    co_return response;
  }
  co_return stream_of(services, request,
                      {.run = id,
                       .scope = wanted->scope,
                       .after = after,
                       .output = wanted->output && !found->deleted,
                       .frames = wanted->frames,
                       .exact = wanted->exact && !found->deleted});
}

asio::awaitable<Result<Response>> all_events(Services& services, Request& request) {
  auto wanted = read_wanted(request);
  if (!wanted) co_return std::unexpected(wanted.error());
  if (auto ok = co_await find_topics(services, request, *wanted); !ok) {
    co_return std::unexpected(ok.error());
  }
  if (auto ok = sort_topics(*wanted, request); !ok) co_return std::unexpected(ok.error());
  if (!wanted->follow) co_return co_await answer_page(services, request, *wanted, std::nullopt);
  const auto through = co_await ask(services, request, [wanted = *wanted](store::Reads& store) {
    return compacted_before(store, wanted, std::nullopt);
  });
  if (!through) co_return std::unexpected(through.error());
  // Without a cursor, a subscriber of all runs gets new events only.
  const Cursor now{.seq = services.bell.last_seq(), .offset = 0};
  co_return stream_of(services, request,
                      {.run = std::nullopt,
                       .scope = wanted->scope,
                       .runs = wanted->runs,
                       .scopes = wanted->scopes,
                       .after = wanted->after.value_or(now),
                       .compacted_through = *through,
                       .output = wanted->output,
                       .from_now = !wanted->after});
}

}  // namespace drover::api
