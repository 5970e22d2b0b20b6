#include "api/daemon/openapi.h"

#include <boost/json/serialize.hpp>

#include "wire/openapi.h"

namespace drover::api {

asio::awaitable<Result<Response>> describe_api(Services& services, Request&) {
  if (services.description.empty()) {
    std::vector<const wire::Area*> areas;
    for (const RouteGroup& group : services.routes) areas.push_back(group.area);
    services.description = boost::json::serialize(wire::openapi(areas));
  }
  Response response;
  response.body = services.description;
  co_return response;
}

}  // namespace drover::api
