#include "api/runs/lanes.h"

#include <boost/json/array.hpp>

#include "access/quota.h"
#include "api/ask.h"
#include "api/runs/find.h"
#include "requests/fields.h"
#include "run/record_json.h"

namespace drover::api {
namespace {

boost::json::object describe(const store::Lane& lane) {
  const auto since = [](WallMs time) {
    return time == 0 ? boost::json::value(nullptr) : boost::json::value(rfc3339(time));
  };
  return {{"name", lane.name},
          {"limit", lane.limit},
          {"active", lane.active},
          {"queued", lane.queued},
          {"paused_at", since(lane.paused_at)},
          {"draining_at", since(lane.draining_at)}};
}

// A move may create a lane.
asio::awaitable<Result<run::Record>> move_within_quota(Services& services,
                                                       const access::Grant& grant,
                                                       run::Moved wish) {
  store::Work check =
      access::quota_check(grant, {.adds_run = false, .lane = wish.lane.value_or("")});
  if (!check || !wish.lane) co_return co_await services.dispatcher.lanes().move(std::move(wish));
  auto written = co_await services.record(
      store::Work([first = std::move(check),
                   fact = run::Fact(std::move(wish))](store::Transaction& transaction) -> Result<> {
        if (auto ok = first(transaction); !ok) return ok;
        const auto moved = transaction.record(fact);
        return moved ? Result<>{} : std::unexpected(moved.error());
      }));
  if (!written) co_return std::unexpected(written.error());
  co_return std::move(written->record);
}

}  // namespace

asio::awaitable<Result<Response>> list_lanes(Services& services, Request& request) {
  auto lanes = co_await ask(services, request, [](store::Reads& store) { return store.lanes(); });
  if (!lanes) co_return std::unexpected(lanes.error());
  boost::json::array list;
  for (const store::Lane& lane : *lanes) list.push_back(describe(lane));
  co_return answer_json(200, {{"lanes", std::move(list)}});
}

asio::awaitable<Result<Response>> set_lane(Services& services, Request& request) {
  store::LaneSet wish{.name = request.subject};
  {
    requests::Fields fields(request.body);
    std::int64_t limit = -1;
    fields.number("limit", limit);
    for (auto [name, to] :
         {std::pair("paused", &wish.paused), std::pair("draining", &wish.draining)}) {
      bool wanted = false;
      const bool given = fields.has(name);
      fields.flag(name, wanted);
      if (given) *to = wanted;
    }
    if (fields.has("limit")) wish.limit = limit;
    const bool nothing = !wish.limit && !wish.paused && !wish.draining;
    if (nothing || (wish.limit && (limit < 1 || limit > limits::kLaneLimitMax))) {
      fields.refuse("limit", "limit must be a number from 1 to " +
                                 std::to_string(limits::kLaneLimitMax) +
                                 "; to start no more runs, pause the lane");
    }
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  if (auto ok = run::validate_lane(request.subject); !ok) co_return std::unexpected(ok.error());
  auto lane = co_await services.dispatcher.lanes().set(std::move(wish));
  if (!lane) co_return std::unexpected(lane.error());
  co_return answer_json(200, describe(*lane));
}

asio::awaitable<Result<Response>> remove_lane(Services& services, Request& request) {
  if (auto ok = run::validate_lane(request.subject); !ok) co_return std::unexpected(ok.error());
  auto removed = co_await services.dispatcher.lanes().remove(request.subject);
  if (!removed) co_return std::unexpected(removed.error());
  co_return answer_json(200, {{"name", request.subject}, {"outcome", "removed"}});
}

asio::awaitable<Result<Response>> move_run(Services& services, Request& request) {
  run::Moved wish;
  {
    requests::Fields fields(request.body);
    std::string lane;
    std::int64_t priority = 0;
    fields.text("lane", lane);
    fields.number("priority", priority);
    if (fields.has("lane")) wish.lane = lane;
    if (fields.has("priority")) {
      if (auto ok = run::validate_priority(priority); !ok) co_return std::unexpected(ok.error());
      wish.priority = static_cast<int>(priority);
      if (auto ok = access::check_priority(request.grant, *wish.priority); !ok) {
        co_return std::unexpected(ok.error());
      }
    }
    if (!wish.lane && !wish.priority) fields.refuse("lane", "give a lane, a priority, or both");
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  if (wish.lane) {
    if (auto ok = run::validate_lane(*wish.lane); !ok) co_return std::unexpected(ok.error());
  }
  auto id = co_await resolve_run(services, request);
  if (!id) co_return std::unexpected(id.error());
  wish.id = *id;
  auto record = co_await move_within_quota(services, request.grant, std::move(wish));
  if (!record && record.error().code == ErrorCode::not_found)
    co_return std::unexpected(co_await missing_run(services, request, *id));
  if (!record) co_return std::unexpected(record.error());
  co_return answer_json(200, run::describe(*record, services.kinds));
}

}  // namespace drover::api
