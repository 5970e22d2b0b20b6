#include "api/play/routes.h"

#include <array>

#include "api/play/play.h"
#include "api/play/play_log.h"
#include "api/play/projects.h"
#include "wire/play/operations.h"

namespace drover::api {
namespace {

asio::awaitable<Result<>> check_project(Services& services, Request& request) {
  auto project = co_await find_project(services, request);
  co_return project ? Result<>{} : std::unexpected(project.error());
}

constexpr auto kRoutes = std::to_array<Route>({
    {&wire::play::list, list_projects},
    {&wire::play::add, add_project},
    {&wire::play::get, show_project, check_project},
    {&wire::play::remove, remove_project},
    {&wire::play::play, play_project, check_project},
    {&wire::play::stop, stop_project, check_project},
    {&wire::play::session, show_session, check_project},
    {&wire::play::feed, show_feed, check_project},
    {&wire::play::log, read_play_log, check_project},
});
constexpr RouteGroup kGroup{&wire::play::kArea, kRoutes};
static_assert(is_whole(kGroup));

}  // namespace

RouteGroup play_routes() {
  return kGroup;
}

}  // namespace drover::api
