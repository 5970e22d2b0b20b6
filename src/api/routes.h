// From a request to its route, and from the route to an answer. Whatever is wrong with a request
// before its handler is asked is answered here, in the one envelope (H5).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <span>
#include <string>
#include <string_view>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/route.h"
#include "api/services.h"

namespace drover::api {

struct Match {
  const Route* route = nullptr;  // Null: nothing listens there for this method.
  std::string allow;             // The methods that path knows; empty: there is no such path.
  std::string subject;
};
Match match(std::span<const RouteGroup> groups, std::string_view method, std::string_view path);

// Always an answer; never throws for anything a client can send.
asio::awaitable<Response> answer(Services& services, Request& request);

}  // namespace drover::api
