#include "api/runs/handles.h"

#include <boost/json/serialize.hpp>

#include "api/ask.h"
#include "api/http/target.h"
#include "api/runs/cancel.h"
#include "api/runs/refused_requests.h"
#include "api/stream/cursor.h"
#include "api/stream/event_text.h"
#include "queries/evidence.h"
#include "run/permanent_status.h"

namespace drover::api {
namespace {

namespace json = boost::json;

std::unexpected<Error> already_finished(std::string_view id, std::string_view status) {
  std::string message(id);
  message.append(" has already finished (").append(status).append("): there is nothing to cancel");
  return fail(ErrorCode::conflict, "run_already_terminal", std::move(message), "run_id");
}

asio::awaitable<Result<run::PermanentStatus>> read_status(Services& services,
                                                          const Request& request) {
  return ask(services, request, [id = request.subject](store::Reads& store) {
    return queries::read_permanent_status(store, id);
  });
}

}  // namespace

asio::awaitable<Result<Response>> resolve_handle(Services& services, Request& request) {
  auto found = co_await read_status(services, request);
  if (!found) co_return std::unexpected(found.error());
  co_return answer_json(200, queries::describe_status(*found));
}

asio::awaitable<Result<Response>> show_timeline(Services& services, Request& request) {
  auto limit = number_in(request.query, "limit", 1, limits::kTimelineMax);
  if (!limit) co_return std::unexpected(limit.error());
  auto text = text_in(request.query, "cursor");
  if (!text) co_return std::unexpected(text.error());
  auto after = *text ? parse_cursor(**text, "cursor") : Cursor{};
  if (!after) co_return std::unexpected(after.error());
  // Reads all events, whichever page is asked for: the status must not depend on the page (H8).
  auto found = co_await read_status(services, request);
  if (!found) co_return std::unexpected(found.error());
  const size_t page = limit->value_or(limits::kTimelineDefault);
  const store::Epochs& epochs = services.store.epochs();
  const CursorVerdict verdict = judge(*after, services.bell.last_seq(), epochs);
  const store::EventQuery query{
      .after = verdict.resume_at.seq, .run = *RunId::parse(request.subject), .limit = page + 1};
  const json::value status = found->ended() ? json::value(found->status()) : nullptr;
  // The whole answer is made beside the loop. `epochs` never change.
  co_return co_await ask(
      services, request,
      [query, page, verdict, status, &epochs,
       id = request.subject](store::Reads& store) -> Result<Response> {
        auto events = store.events(query);
        if (!events) return std::unexpected(events.error());
        json::value next = nullptr;
        if (events->size() > page) {
          events->pop_back();
          next = text_of(events->back().seq, epochs);
        }
        Response response;
        std::string& body = response.body;
        body.append(R"({"object":"run_timeline","run_id":")").append(id);
        body.append(R"(","terminal_status":)").append(json::serialize(status));
        body.append(R"(,"next_cursor":)").append(json::serialize(next)).append(R"(,"events":[)");
        for (const run::Event& event : *events) {
          if (body.back() != '[') body += ',';
          append_json(body, event, text_of(event.seq, epochs));
        }
        body += "]";
        if (verdict.lagged) {
          body.append(",\"lagged\":")
              .append(lagged_text(verdict.missed, text_of(verdict.resume_at.seq, epochs)));
        }
        body += "}";
        return response;
      });
}

asio::awaitable<Result<Response>> cancel_handle(Services& services, Request& request) {
  auto grace_ms = read_grace(request.body);
  if (!grace_ms) co_return std::unexpected(grace_ms.error());
  auto found = co_await read_status(services, request);
  if (!found) co_return std::unexpected(found.error());
  const RunId id = *RunId::parse(request.subject);
  if (found->ended()) {
    co_await report_cancel(services, request.grant, id, dispatch::CancelOutcome::already_finished);
    co_return already_finished(request.subject, found->status());
  }
  auto outcome = co_await services.dispatcher.cancel(id, *grace_ms);
  if (!outcome) co_return std::unexpected(outcome.error());
  co_await report_cancel(services, request.grant, id, *outcome);
  switch (*outcome) {
    case dispatch::CancelOutcome::already_finished:  // Finished after we looked.
      co_return already_finished(request.subject, "just now");
    case dispatch::CancelOutcome::not_cancellable:
      co_return not_cancellable();
    case dispatch::CancelOutcome::canceled:  // It was still queued, so it is canceled already.
    case dispatch::CancelOutcome::cancel_requested:
    case dispatch::CancelOutcome::cancel_repeated:
      break;
  }
  co_return answer_json(202, {{"run_id", request.subject}, {"outcome", "cancel_requested"}});
}

}  // namespace drover::api
