#include "api/why.h"

#include <boost/json/array.hpp>

#include "api/diagnosis.h"
#include "api/resolve.h"
#include "dispatch/why.h"
#include "run/evidence.h"
#include "run/kind.h"
#include "session/session.h"
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

// A play does nothing itself: what there is to know is known of the run that it is at.
Result<json::value> describe_child(const Backing& backing, const access::Grant& grant,
                                   const run::Record& play) {
  auto child = current_child(backing.store, play);
  if (!child) return std::unexpected(child.error());
  if (!*child) return json::value(nullptr);
  json::object out{{"run_id", (*child)->id.view()},
                   {"kind", (*child)->kind},
                   {"state", run::name((*child)->state)}};
  if ((*child)->state == run::State::queued) {
    auto obstacles = obstacles_of(backing, grant, **child);
    if (!obstacles) return std::unexpected(obstacles.error());
    out["obstacles"] = std::move(*obstacles);
  }
  return out;
}

}  // namespace

Result<json::array> obstacles_of(const Backing& backing, const access::Grant& grant,
                                 const run::Record& record) {
  auto around = look_around(backing, grant, record);
  if (!around) return std::unexpected(around.error());
  return describe(dispatch::obstacles(record, *around));
}

Result<std::optional<run::Record>> current_child(store::Store& store, const run::Record& play) {
  const auto session = session::parse_session(play.session);
  if (!session) return std::unexpected(session.error());
  const auto id = RunId::parse(session::current_run(*session));
  if (!id || !run::is_active(play.state)) return std::nullopt;
  auto child = store.find(*id);
  if (!child) return std::unexpected(child.error());
  if (*child && run::is_terminal((*child)->state)) child->reset();
  return child;
}

asio::awaitable<Result<Response>> why_run(Backing& backing, Request& request) {
  auto record = find_run(backing.store, request.subject);
  if (!record) co_return std::unexpected(record.error());
  json::object body{{"run_id", record->id.view()},
                    {"state", run::name(record->state)},
                    {"lane", record->lane},
                    {"priority", record->priority}};
  if (run::is_composite(record->kind)) body["session"] = run::describe_session(*record);
  if (record->state == run::State::queued) {
    auto obstacles = obstacles_of(backing, request.grant, *record);
    if (!obstacles) co_return std::unexpected(obstacles.error());
    const auto ahead = backing.dispatcher.ahead_of(*record);
    body["ahead"] = ahead ? json::value(*ahead) : json::value(nullptr);
    body["obstacles"] = std::move(*obstacles);
  } else if (run::is_terminal(record->state)) {
    body["end"] = run::describe_end(*record);
  } else if (run::is_composite(record->kind)) {
    auto child = describe_child(backing, request.grant, *record);
    if (!child) co_return std::unexpected(child.error());
    body["child"] = std::move(*child);
  } else {
    body["diagnosis"] = co_await diagnose(backing, *record);
  }
  co_return answer_json(200, body);
}

}  // namespace drover::api
