#include "api/openapi.h"

#include <boost/json/serialize.hpp>

#include "wire/openapi.h"

namespace drover::api {

asio::awaitable<Result<Response>> describe_api(Backing&, Request&) {
  static const std::string kDescription = boost::json::serialize(wire::openapi());
  Response response;
  response.body = kDescription;
  co_return response;
}

}  // namespace drover::api
