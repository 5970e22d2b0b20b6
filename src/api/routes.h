// Finds the route of a request and produces the answer. Every error before the handler is answered
// here, in the envelope (H5).
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
  const Route* route = nullptr;  // Null: the path does not have this method.
  std::string allow;             // The methods of that path; empty: there is no such path.
  std::string subject;
};
Match match(std::span<const RouteGroup> groups, std::string_view method, std::string_view path);

// Always returns an answer; never throws, whatever a client sends.
asio::awaitable<Response> answer(Services& services, Request& request);

}  // namespace drover::api
