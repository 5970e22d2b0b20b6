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

// The route of this request if it needs no authentication, otherwise null. Only then is the body of
// a request read that came without. Sets the request's subject.
const Route* route_for_anyone(const Services& services, Request& request);

// Always returns an answer; never throws, whatever a client sends.
asio::awaitable<Response> answer(Services& services, Request& request);

}  // namespace drover::api
