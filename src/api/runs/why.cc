#include "api/runs/why.h"

#include <boost/json/array.hpp>

#include "api/runs/diagnosis.h"
#include "queries/resolve.h"
#include "queries/why.h"
#include "run/kind.h"
#include "run/record_json.h"

namespace drover::api {
namespace {

namespace json = boost::json;

queries::WhySources sources_of(const Services& services) {
  return {.store = services.store, .dispatcher = services.dispatcher, .clock = services.clock};
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
Result<json::value> describe_child(const Services& services, const access::Grant& grant,
                                   const run::Record& composite) {
  auto child = current_child(services.kinds, services.store, composite);
  if (!child) return std::unexpected(child.error());
  if (!*child) return json::value(nullptr);
  json::object out{{"run_id", (*child)->id.view()},
                   {"kind", (*child)->kind},
                   {"state", run::name((*child)->state)}};
  if ((*child)->state == run::State::queued) {
    auto obstacles = obstacles_of(services, grant, **child);
    if (!obstacles) return std::unexpected(obstacles.error());
    out["obstacles"] = std::move(*obstacles);
  }
  return out;
}

}  // namespace

Result<json::array> obstacles_of(const Services& services, const access::Grant& grant,
                                 const run::Record& record) {
  const auto why = queries::why_queued(sources_of(services), grant, record);
  if (!why) return std::unexpected(why.error());
  return describe(why->obstacles);
}

Result<std::optional<run::Record>> current_child(const run::Kinds& kinds, store::Store& store,
                                                 const run::Record& composite) {
  const run::Kind* kind = kinds.find(composite.kind);
  if (kind == nullptr || kind->current_child == nullptr) return std::nullopt;
  const auto id = RunId::parse(kind->current_child(composite));
  if (!id || !run::is_active(composite.state)) return std::nullopt;
  auto child = store.find(*id);
  if (!child) return std::unexpected(child.error());
  if (*child && run::is_finished((*child)->state)) child->reset();
  return child;
}

asio::awaitable<Result<Response>> why_run(Services& services, Request& request) {
  auto record = queries::find_run(services.store, request.subject);
  if (!record) co_return std::unexpected(record.error());
  json::object body{{"run_id", record->id.view()},
                    {"state", run::name(record->state)},
                    {"lane", record->lane},
                    {"priority", record->priority}};
  const run::Kind* kind = services.kinds.find(record->kind);
  const bool composite = kind != nullptr && kind->composite;
  if (composite) body[kind->phase_field] = run::describe_phase(*record);
  if (record->state == run::State::queued) {
    const auto why = queries::why_queued(sources_of(services), request.grant, *record);
    if (!why) co_return std::unexpected(why.error());
    body["ahead"] = why->ahead ? json::value(*why->ahead) : json::value(nullptr);
    body["obstacles"] = describe(why->obstacles);
  } else if (run::is_finished(record->state)) {
    body["end"] = run::describe_end(*record);
  } else if (composite) {
    auto child = describe_child(services, request.grant, *record);
    if (!child) co_return std::unexpected(child.error());
    body["child"] = std::move(*child);
  } else {
    if (!record->progress.empty()) body["progress"] = run::describe_progress(*record);
    body["diagnosis"] = co_await diagnose(services, *record);
  }
  if (kind == nullptr && run::is_active(record->state)) add_unknown_kind(body, *record);
  co_return answer_json(200, body);
}

}  // namespace drover::api
