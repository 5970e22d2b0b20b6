#include "api/daemon/openapi.h"

#include <boost/json/serialize.hpp>

#include "wire/openapi.h"

namespace drover::api {

asio::awaitable<Result<Response>> describe_api(Backing& backing, Request&) {
  if (backing.description.empty()) {
    std::vector<const wire::Area*> areas;
    for (const RouteGroup& group : backing.routes) areas.push_back(group.area);
    backing.description = boost::json::serialize(wire::openapi(areas));
  }
  Response response;
  response.body = backing.description;
  co_return response;
}

}  // namespace drover::api
