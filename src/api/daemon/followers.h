// The followers of the log: where each is, and whether it has stopped (follow/followers.h).
#pragma once

#include <boost/json/array.hpp>

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> list_followers(Backing& backing, Request& request);
asio::awaitable<Result<Response>> resume_follower(Backing& backing, Request& request);
asio::awaitable<Result<Response>> skip_follower(Backing& backing, Request& request);

// Empty: the daemon has none.
std::vector<follow::Standing> followers_of(const Backing& backing);
boost::json::array describe(const std::vector<follow::Standing>& followers);

}  // namespace drover::api
