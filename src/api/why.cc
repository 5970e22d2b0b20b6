#include "api/why.h"

#include <boost/json/array.hpp>

#include "api/diagnosis.h"
#include "api/resolve.h"
#include "dispatch/why.h"
#include "run/evidence.h"
#include "store/dependencies.h"

namespace drover::api {
namespace {

namespace json = boost::json;

constexpr size_t kHoldersShown = 8;

Result<store::Standing> standing_of(store::Store& store, const RunId& id) {
  auto record = store.find(id);
  if (!record) return std::unexpected(record.error());
  if (*record) {
    return store::Standing{
        .known = true, .state = (*record)->state, .retried_by = (*record)->retried_by};
  }
  auto event = store.terminal_event(id);
  if (!event) return std::unexpected(event.error());
  return *event ? store::standing_of(**event) : store::Standing{};
}

Result<dispatch::Surroundings> look_around(const Backing& backing, const access::Grant& grant,
                                           const run::Record& record) {
  dispatch::Surroundings around;
  around.ahead = backing.dispatcher.ahead_of(record);
  around.now = backing.clock.wall_ms();
  auto lanes = backing.store.lanes();
  if (!lanes) return std::unexpected(lanes.error());
  for (store::Lane& lane : *lanes) {
    if (lane.name == record.lane) around.lane = std::move(lane);
  }
  for (const run::State state : {run::State::running, run::State::starting}) {
    auto holders = backing.store.list(
        {.state = state, .lane = record.lane, .oldest_first = true, .limit = kHoldersShown});
    if (!holders) return std::unexpected(holders.error());
    for (const run::Record& holder : *holders) {
      if (!access::reaches(grant, {holder.id, holder.scope})) continue;
      if (around.slot_holders.size() < kHoldersShown) around.slot_holders.push_back(holder.id);
    }
  }
  auto dependencies = store::dependencies_of(
      record, [&](const RunId& id) { return standing_of(backing.store, id); });
  if (!dependencies) return std::unexpected(dependencies.error());
  around.dependencies = std::move(*dependencies);
  return around;
}

json::array describe(const std::vector<dispatch::Obstacle>& obstacles) {
  json::array out;
  for (const dispatch::Obstacle& obstacle : obstacles) {
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

}  // namespace

asio::awaitable<Result<Response>> why_run(Backing& backing, Request& request) {
  auto record = find_run(backing.store, request.subject);
  if (!record) co_return std::unexpected(record.error());
  json::object body{{"run_id", record->id.view()},
                    {"state", run::name(record->state)},
                    {"lane", record->lane},
                    {"priority", record->priority}};
  if (record->state == run::State::queued) {
    auto around = look_around(backing, request.grant, *record);
    if (!around) co_return std::unexpected(around.error());
    body["ahead"] = around->ahead ? json::value(*around->ahead) : json::value(nullptr);
    body["obstacles"] = describe(dispatch::obstacles(*record, *around));
  } else if (run::is_terminal(record->state)) {
    body["end"] = run::describe_end(*record);
  } else {
    body["diagnosis"] = co_await diagnose(backing, *record);
  }
  co_return answer_json(200, body);
}

}  // namespace drover::api
