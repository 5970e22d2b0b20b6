#include "api/runs/cancel.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <map>

#include "api/ask.h"
#include "api/runs/find.h"
#include "api/runs/refused_requests.h"
#include "base/background.h"
#include "queries/evidence.h"
#include "requests/fields.h"

namespace drover::api {
namespace {

namespace json = boost::json;
using dispatch::CancelOutcome;

// An error that also contains the outcome, as an answer does.
Response refused_outcome(const Error& error, const Request& request, const RunId& id) {
  Response response = refuse(error, request.id);
  json::object body = json::parse(response.body).as_object();
  body["run_id"] = id.view();
  body["outcome"] = error.reason;
  response.body = json::serialize(body);
  return response;
}

// Cancels several runs at a time, so that they share commits; only a few, so that other requests
// are not delayed.
class ScopeCancel {
 public:
  ScopeCancel(Services& services, access::Grant grant, std::vector<RunId> ids)
      : services_(services),
        grant_(std::move(grant)),
        ids_(std::move(ids)),
        finished_(services.loop) {
    finished_.expires_at(asio::steady_timer::time_point::max());
  }

  asio::awaitable<void> run() {
    constexpr size_t kAtOnce = 64;
    working_ = std::min(kAtOnce, ids_.size());
    const size_t workers = working_;
    for (size_t i = 0; i < workers; ++i) co_spawn(services_.loop, work(), in_background);
    boost::system::error_code ignored;
    while (working_ > 0) {
      co_await finished_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
  }

  std::map<std::string_view, std::int64_t> outcomes;

 private:
  asio::awaitable<void> work() {
    while (next_ < ids_.size()) {
      const RunId id = ids_[next_++];
      auto outcome = co_await services_.dispatcher.cancel(id, std::nullopt);
      if (outcome) {
        ++outcomes[dispatch::name(*outcome)];
        co_await report_cancel(services_, grant_, id, *outcome);
      } else {
        ++outcomes[outcome.error().code == ErrorCode::not_found ? "not_found" : "failed"];
      }
    }
    if (--working_ == 0) finished_.cancel();
  }

  Services& services_;
  const access::Grant grant_;
  std::vector<RunId> ids_;
  asio::steady_timer finished_;
  size_t next_ = 0;
  size_t working_ = 0;
};

// Queued runs come first: canceling a running one first would start the next queued one.
Result<std::vector<RunId>> active_in(store::Reads& store, const std::string& scope) {
  std::vector<RunId> waiting;
  std::vector<RunId> started;
  store::Query query;
  query.active_only = true;
  query.scope = scope;
  query.limit = limits::kPageMax;
  while (true) {
    auto page = store.list(query);
    if (!page) return std::unexpected(page.error());
    for (const run::Record& record : *page) {
      (record.state == run::State::queued ? waiting : started).push_back(record.id);
    }
    if (page->size() < query.limit) break;
    query.before = page->back().number;
  }
  waiting.insert(waiting.end(), started.begin(), started.end());
  return waiting;
}

}  // namespace

Result<std::optional<std::int64_t>> read_grace(std::string_view body) {
  std::int64_t given = -1;
  requests::Fields fields(body);
  fields.duration_ms("grace", given);
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  return given < 0 ? std::nullopt : std::optional(given);
}

std::unexpected<Error> not_cancellable() {
  return fail(ErrorCode::conflict, "not_cancellable",
              "this run cannot be canceled by itself; stop the run it belongs to", "run_id");
}

asio::awaitable<Result<Response>> cancel_run(Services& services, Request& request) {
  auto grace_ms = read_grace(request.body);
  if (!grace_ms) co_return std::unexpected(grace_ms.error());
  auto id = co_await resolve_run(services, request);
  if (!id) co_return std::unexpected(id.error());
  auto outcome = co_await services.dispatcher.cancel(*id, *grace_ms);
  if (!outcome) {
    if (outcome.error().code != ErrorCode::not_found) co_return std::unexpected(outcome.error());
    co_await report_refused(services, request.grant, *id, run::EventType::cancel_refused,
                            "not_found");
    co_return std::unexpected(co_await missing_run(services, request, *id));
  }
  // Of a retried run, the last attempt was canceled.
  auto asked = co_await find_run(services, request, id->str());
  if (asked && !asked->retried_by.empty()) {
    asked = co_await ask(services, request, [first = std::move(*asked)](store::Reads& store) {
      return queries::last_attempt(store, first);
    });
    if (asked) *id = asked->id;
  }
  co_await report_cancel(services, request.grant, *id, *outcome);
  if (*outcome == CancelOutcome::not_cancellable) {
    co_return refused_outcome(not_cancellable().error(), request, *id);
  }
  const bool requested =
      *outcome == CancelOutcome::cancel_requested || *outcome == CancelOutcome::cancel_repeated;
  json::object body{{"run_id", id->view()}, {"outcome", dispatch::name(*outcome)}};
  if (!requested) {
    const auto record = co_await find_run(services, request, id->str());
    if (record && !record->receipt.empty()) {
      body["receipt"] = json::parse(record->receipt);
    } else {
      body["receipt"] = nullptr;  // It never started, so it has no receipt.
    }
  }
  co_return answer_json(requested ? 202 : 200, body);
}

asio::awaitable<Result<Response>> cancel_scope(Services& services, Request& request) {
  std::string scope;
  {
    requests::Fields fields(request.body);
    fields.text("scope", scope);
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  if (auto ok = run::validate_scope(scope); !ok) co_return std::unexpected(ok.error());
  const auto reached = access::narrowed(request.grant, scope);
  if (!reached) co_return answer_json(200, {{"scope", scope}, {"outcomes", json::object()}});
  auto ids = co_await ask(services, request, [scope = *reached](store::Reads& store) {
    return active_in(store, scope);
  });
  if (!ids) co_return std::unexpected(ids.error());
  ScopeCancel cancels(services, request.grant, std::move(*ids));
  co_await cancels.run();
  json::object outcomes;
  for (const auto& [name, count] : cancels.outcomes) outcomes[name] = count;
  co_return answer_json(200, {{"scope", scope}, {"outcomes", std::move(outcomes)}});
}

asio::awaitable<Result<Response>> delete_run(Services& services, Request& request) {
  auto id = co_await resolve_run(services, request);
  if (!id) co_return std::unexpected(id.error());
  auto removed = co_await services.dispatcher.remove(*id);
  if (removed) {
    co_return answer_json(200, {{"run_id", id->view()}, {"outcome", "deleted"}});
  }
  const ErrorCode code = removed.error().code;
  if (code != ErrorCode::not_found && code != ErrorCode::conflict) {
    co_return std::unexpected(removed.error());
  }
  co_await report_refused(services, request.grant, *id, run::EventType::delete_refused,
                          removed.error().reason);
  if (code == ErrorCode::not_found)
    co_return std::unexpected(co_await missing_run(services, request, *id));
  co_return refused_outcome(removed.error(), request, *id);
}

}  // namespace drover::api
