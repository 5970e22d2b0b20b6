#include "api/triggers/routes.h"

#include <array>
#include <boost/asio/awaitable.hpp>

#include "api/triggers/hooks.h"
#include "api/triggers/triggers.h"
#include "api/triggers/why.h"
#include "wire/triggers/operations.h"

namespace drover::api {
namespace {

// The signature decides, not the caller's token.
asio::awaitable<Result<>> any_hook(Services&, Request&) {
  co_return Result<>{};
}

constexpr auto kRoutes = std::to_array<Route>({
    {&wire::triggers::list, list_triggers},
    {&wire::triggers::add, add_trigger},
    {&wire::triggers::get, show_trigger, check_trigger},
    {&wire::triggers::edit, edit_trigger},
    {&wire::triggers::remove, remove_trigger},
    {&wire::triggers::pause, pause_trigger},
    {&wire::triggers::resume, resume_trigger},
    {&wire::triggers::fire, fire_trigger},
    {&wire::triggers::next, next_times, check_trigger},
    {&wire::triggers::history, show_ledger, check_trigger},
    {&wire::triggers::test, test_trigger, check_trigger},
    {&wire::triggers::why, why_trigger, check_trigger},
    {&wire::triggers::emit, post_event},
    {&wire::triggers::hook, receive_hook, any_hook, check_hook_head},
});
constexpr RouteGroup kGroup{&wire::triggers::kArea, kRoutes};
static_assert(is_whole(kGroup));

}  // namespace

RouteGroup triggers_routes() {
  return kGroup;
}

}  // namespace drover::api
