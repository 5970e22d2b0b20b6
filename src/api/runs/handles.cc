#include "api/runs/handles.h"

#include <array>
#include <boost/json/serialize.hpp>

#include "api/http/target.h"
#include "api/runs/cancel.h"
#include "api/stream/cursor.h"
#include "api/stream/event_text.h"
#include "queries/evidence.h"
#include "run/handle.h"

namespace drover::api {
namespace {

namespace json = boost::json;

// H2: the scopes `app/NAME` and `session/ID` name the program that launched the run.
constexpr auto kScopeOwners = std::to_array<std::string_view>({"app", "session"});

std::unexpected<Error> already_finished(std::string_view id, std::string_view status) {
  std::string message(id);
  message.append(" has already finished (").append(status).append("): there is nothing to cancel");
  return fail(ErrorCode::conflict, "run_already_terminal", std::move(message), "run_id");
}

}  // namespace

asio::awaitable<Result<Response>> resolve_handle(Services& services, Request& request) {
  auto handle = queries::read_handle(services.store, request.subject);
  if (!handle) co_return std::unexpected(handle.error());
  json::object body = handle->describe(kScopeOwners);
  body["links"] = {{"timeline", "/_ref/runs/" + request.subject + "/timeline"}};
  co_return answer_json(200, body);
}

asio::awaitable<Result<Response>> show_timeline(Services& services, Request& request) {
  auto limit = number_in(request.query, "limit", 1, limits::kTimelineMax);
  if (!limit) co_return std::unexpected(limit.error());
  auto text = text_in(request.query, "cursor");
  if (!text) co_return std::unexpected(text.error());
  auto after = *text ? parse_cursor(**text, "cursor") : Cursor{};
  if (!after) co_return std::unexpected(after.error());
  // Reads all events, whichever page is asked for: the status must not depend on the page (H8).
  auto handle = queries::read_handle(services.store, request.subject);
  if (!handle) co_return std::unexpected(handle.error());
  const size_t page = limit->value_or(limits::kTimelineDefault);
  auto events = services.store.events(
      {.after = after->seq, .run = *RunId::parse(request.subject), .limit = page + 1});
  if (!events) co_return std::unexpected(events.error());
  json::value next = nullptr;
  if (events->size() > page) {
    events->pop_back();
    next = text_of(events->back().seq);
  }
  const json::value status = handle->ended() ? json::value(handle->status()) : nullptr;

  Response response;
  std::string& body = response.body;
  body.append(R"({"object":"run_timeline","run_id":")").append(request.subject);
  body.append(R"(","terminal_status":)").append(json::serialize(status));
  body.append(R"(,"next_cursor":)").append(json::serialize(next)).append(R"(,"events":[)");
  for (const run::Event& event : *events) {
    if (body.back() != '[') body += ',';
    append_json(body, event, text_of(event.seq));
  }
  body += "]}";
  co_return response;
}

asio::awaitable<Result<Response>> cancel_handle(Services& services, Request& request) {
  auto grace_ms = read_grace(request.body);
  if (!grace_ms) co_return std::unexpected(grace_ms.error());
  auto handle = queries::read_handle(services.store, request.subject);
  if (!handle) co_return std::unexpected(handle.error());
  if (handle->ended()) co_return already_finished(request.subject, handle->status());
  auto outcome = co_await services.dispatcher.cancel(*RunId::parse(request.subject), *grace_ms);
  if (!outcome) co_return std::unexpected(outcome.error());
  switch (*outcome) {
    case dispatch::CancelOutcome::already_finished:  // Finished after we looked.
      co_return already_finished(request.subject, "just now");
    case dispatch::CancelOutcome::not_cancellable:
      co_return not_cancellable();
    case dispatch::CancelOutcome::canceled:  // It was still queued, so it is canceled already.
    case dispatch::CancelOutcome::cancel_requested:
      break;
  }
  co_return answer_json(202, {{"run_id", request.subject}, {"outcome", "cancel_requested"}});
}

}  // namespace drover::api
