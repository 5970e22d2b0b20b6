#include "api/daemon/followers.h"

#include <string>

namespace drover::api {
namespace {

namespace json = boost::json;

json::object describe_one(const follow::FollowerStatus& one) {
  const bool stopped = one.stopped_at != 0;
  return {
      {"name", one.name},
      {"cursor", std::to_string(one.cursor)},
      {"lag", one.lag},
      {"stopped_at", stopped ? json::value(json::string(std::to_string(one.stopped_at))) : nullptr},
      {"reason", stopped ? json::value(json::string(one.reason)) : nullptr}};
}

using Change = asio::awaitable<Result<follow::FollowerStatus>> (follow::Followers::*)(std::string);

asio::awaitable<Result<Response>> change(Services& services, Request& request, Change change) {
  if (services.followers == nullptr) {
    co_return fail(ErrorCode::not_found, "not_found", "this daemon has no followers", "follower");
  }
  auto standing = co_await (services.followers->*change)(request.subject);
  if (!standing) co_return std::unexpected(standing.error());
  co_return answer_json(200, describe_one(*standing));
}

}  // namespace

std::vector<follow::FollowerStatus> followers_of(const Services& services) {
  return services.followers == nullptr ? std::vector<follow::FollowerStatus>{}
                                       : services.followers->list();
}

json::array describe(const std::vector<follow::FollowerStatus>& followers) {
  json::array out;
  for (const follow::FollowerStatus& one : followers) out.push_back(describe_one(one));
  return out;
}

asio::awaitable<Result<Response>> list_followers(Services& services, Request&) {
  co_return answer_json(200, {{"followers", describe(followers_of(services))}});
}

asio::awaitable<Result<Response>> resume_follower(Services& services, Request& request) {
  return change(services, request, &follow::Followers::resume);
}

asio::awaitable<Result<Response>> skip_follower(Services& services, Request& request) {
  return change(services, request, &follow::Followers::skip);
}

}  // namespace drover::api
