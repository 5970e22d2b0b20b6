#include "api/daemon/followers.h"

#include "api/stream/cursor.h"

namespace drover::api {
namespace {

namespace json = boost::json;

json::object describe_one(const follow::Standing& one) {
  const bool stopped = one.stopped_at != 0;
  return {{"name", one.name},
          {"cursor", text_of(one.cursor)},
          {"lag", one.lag},
          {"stopped_at", stopped ? json::value(json::string(text_of(one.stopped_at))) : nullptr},
          {"reason", stopped ? json::value(json::string(one.reason)) : nullptr}};
}

using Change = asio::awaitable<Result<follow::Standing>> (follow::Followers::*)(std::string);

asio::awaitable<Result<Response>> change(Backing& backing, Request& request, Change change) {
  if (backing.followers == nullptr) {
    co_return fail(ErrorCode::not_found, "not_found", "this daemon has no followers", "follower");
  }
  auto standing = co_await (backing.followers->*change)(request.subject);
  if (!standing) co_return std::unexpected(standing.error());
  co_return answer_json(200, describe_one(*standing));
}

}  // namespace

std::vector<follow::Standing> followers_of(const Backing& backing) {
  return backing.followers == nullptr ? std::vector<follow::Standing>{} : backing.followers->list();
}

json::array describe(const std::vector<follow::Standing>& followers) {
  json::array out;
  for (const follow::Standing& one : followers) out.push_back(describe_one(one));
  return out;
}

asio::awaitable<Result<Response>> list_followers(Backing& backing, Request&) {
  co_return answer_json(200, {{"followers", describe(followers_of(backing))}});
}

asio::awaitable<Result<Response>> resume_follower(Backing& backing, Request& request) {
  return change(backing, request, &follow::Followers::resume);
}

asio::awaitable<Result<Response>> skip_follower(Backing& backing, Request& request) {
  return change(backing, request, &follow::Followers::skip);
}

}  // namespace drover::api
