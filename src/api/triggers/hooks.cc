#include "api/triggers/hooks.h"

#include "api/share.h"
#include "api/triggers/view.h"
#include "triggers/hooks/hook_triggers.h"

namespace drover::api {

namespace {

triggers::HookRequest hook_of(Services& services, const Request& request) {
  return {.headers = request.headers, .body = request.body, .now = services.clock.wall_ms()};
}

}  // namespace

Result<> check_hook_head(Services& services, const Request& request) {
  return services.rooms.get<triggers::HookTriggers>().check_head(request.subject,
                                                                 hook_of(services, request));
}

asio::awaitable<Result<Response>> receive_hook(Services& services, Request& request) {
  auto delivery = co_await services.rooms.get<triggers::HookTriggers>().deliver(
      request.subject, hook_of(services, request), share_for(request.grant));
  if (!delivery) co_return std::unexpected(delivery.error());
  co_return answer_json(delivery->is_repeated ? 200 : 202, view_of(delivery->occurrence));
}

}  // namespace drover::api
