#include "api/runs/why.h"

#include <boost/json/array.hpp>

#include "api/ask.h"
#include "api/runs/diagnosis.h"
#include "api/runs/find.h"
#include "queries/why.h"
#include "run/kind.h"
#include "run/record_json.h"

namespace drover::api {
namespace {

namespace json = boost::json;

asio::awaitable<Result<queries::WhyQueued>> why_queued(Services& services, const Request& request,
                                                       run::Record record) {
  auto context =
      co_await ask(services, request, [grant = request.grant, record](store::Reads& store) {
        return queries::read_queue_context(store, grant, record);
      });
  if (!context) co_return std::unexpected(context.error());
  co_return queries::why_queued(std::move(*context), services.dispatcher, services.clock, record);
}

json::array describe(const std::vector<queries::Obstacle>& obstacles) {
  json::array out;
  for (const queries::Obstacle& obstacle : obstacles) {
    json::object one{{"kind", obstacle.kind}, {"text", obstacle.text}};
    json::array runs;
    for (const RunId& id : obstacle.runs) runs.emplace_back(id.view());
    if (!runs.empty()) one["runs"] = std::move(runs);
    if (obstacle.time != 0) {
      one[obstacle.kind == "backoff" ? "until" : "since"] = rfc3339(obstacle.time);
    }
    out.push_back(std::move(one));
  }
  return out;
}

// This daemon does nothing about a run of a kind that it does not know, whatever state it is in.
void add_unknown_kind(json::object& body, const run::Record& record) {
  auto& obstacles = body.emplace("obstacles", json::array()).first->value().as_array();
  obstacles.push_back({{"kind", "unknown_kind"},
                       {"text", "this daemon does not know runs of kind " + record.kind +
                                    ", and leaves them alone; stop it, and start one that does"}});
}

// A composite has no process of its own, so `why` describes its current child.
asio::awaitable<Result<json::value>> describe_child(Services& services, const Request& request,
                                                    run::Record composite) {
  auto child = co_await current_child(services, request, std::move(composite));
  if (!child) co_return std::unexpected(child.error());
  if (!*child) co_return json::value(nullptr);
  json::object out{{"run_id", (*child)->id.view()},
                   {"kind", (*child)->kind},
                   {"state", run::name((*child)->state)}};
  if ((*child)->state == run::State::queued) {
    auto obstacles = co_await obstacles_of(services, request, **child);
    if (!obstacles) co_return std::unexpected(obstacles.error());
    out["obstacles"] = std::move(*obstacles);
  }
  co_return json::value(std::move(out));
}

}  // namespace

asio::awaitable<Result<json::array>> obstacles_of(Services& services, const Request& request,
                                                  run::Record record) {
  const auto why = co_await why_queued(services, request, std::move(record));
  if (!why) co_return std::unexpected(why.error());
  co_return describe(why->obstacles);
}

asio::awaitable<Result<std::optional<run::Record>>> current_child(Services& services,
                                                                  const Request& request,
                                                                  run::Record composite) {
  using Found = Result<std::optional<run::Record>>;
  const run::Kind* kind = services.kinds.find(composite.kind);
  if (kind == nullptr || kind->current_child == nullptr) co_return Found(std::nullopt);
  const auto id = RunId::parse(kind->current_child(composite));
  if (!id || !run::is_active(composite.state)) co_return Found(std::nullopt);
  auto child =
      co_await ask(services, request, [id = *id](store::Reads& store) { return store.find(id); });
  if (child && *child && run::is_finished((*child)->state)) child->reset();
  co_return child;
}

asio::awaitable<Result<Response>> why_run(Services& services, Request& request) {
  auto record = co_await find_run(services, request);
  if (!record) co_return std::unexpected(record.error());
  json::object body{{"run_id", record->id.view()},
                    {"state", run::name(record->state)},
                    {"lane", record->lane},
                    {"priority", record->priority}};
  const run::Kind* kind = services.kinds.find(record->kind);
  const bool composite = kind != nullptr && kind->composite;
  if (composite) body[kind->phase_field] = run::describe_phase(*record);
  if (record->state == run::State::queued) {
    const auto why = co_await why_queued(services, request, *record);
    if (!why) co_return std::unexpected(why.error());
    body["ahead"] = why->ahead ? json::value(*why->ahead) : json::value(nullptr);
    body["obstacles"] = describe(why->obstacles);
  } else if (run::is_finished(record->state)) {
    body["end"] = run::describe_end(*record);
  } else if (composite) {
    auto child = co_await describe_child(services, request, *record);
    if (!child) co_return std::unexpected(child.error());
    body["child"] = std::move(*child);
  } else {
    if (!record->progress.empty()) body["progress"] = run::describe_progress(*record);
    auto diagnosis = co_await diagnose(services, request, *record);
    if (!diagnosis) co_return std::unexpected(diagnosis.error());
    body["diagnosis"] = std::move(*diagnosis);
  }
  if (kind == nullptr && run::is_active(record->state)) add_unknown_kind(body, *record);
  co_return answer_json(200, body);
}

}  // namespace drover::api
