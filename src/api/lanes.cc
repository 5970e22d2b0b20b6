#include "api/lanes.h"

#include <boost/json/array.hpp>

#include "api/fields.h"

namespace drover::api {
namespace {

boost::json::object describe(const store::Lane& lane) {
  return {
      {"name", lane.name}, {"limit", lane.limit}, {"active", lane.active}, {"queued", lane.queued}};
}

}  // namespace

asio::awaitable<Result<Response>> list_lanes(Backing& backing, Request&) {
  auto lanes = backing.store.lanes();
  if (!lanes) co_return std::unexpected(lanes.error());
  boost::json::array list;
  for (const store::Lane& lane : *lanes) list.push_back(describe(lane));
  co_return answer_json(200, {{"lanes", std::move(list)}});
}

asio::awaitable<Result<Response>> set_lane(Backing& backing, Request& request) {
  std::int64_t limit = 0;
  {
    Fields fields(request.body);
    fields.number("limit", limit);
    if (limit < 1 || limit > limits::kLaneLimitMax) {
      fields.refuse("limit",
                    "limit is a number from 1 to " + std::to_string(limits::kLaneLimitMax));
    }
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  if (auto ok = run::validate_lane(request.subject); !ok) co_return std::unexpected(ok.error());
  auto lane = co_await backing.dispatcher.set_lane(request.subject, limit);
  if (!lane) co_return std::unexpected(lane.error());
  co_return answer_json(200, describe(*lane));
}

}  // namespace drover::api
