// The handlers for followers of the log: each one's position, and whether it has stopped
// (follow/followers.h).
#pragma once

#include <boost/json/array.hpp>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> list_followers(Services& services, Request& request);
asio::awaitable<Result<Response>> resume_follower(Services& services, Request& request);
asio::awaitable<Result<Response>> skip_follower(Services& services, Request& request);

// Empty: the daemon has no followers.
std::vector<follow::FollowerStatus> followers_of(const Services& services);
boost::json::array describe(const std::vector<follow::FollowerStatus>& followers);

}  // namespace drover::api
