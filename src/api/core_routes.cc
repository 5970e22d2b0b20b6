#include "api/core_routes.h"

#include <algorithm>
#include <array>

#include "api/ask.h"
#include "api/daemon/followers.h"
#include "api/daemon/health.h"
#include "api/daemon/metrics.h"
#include "api/daemon/openapi.h"
#include "api/daemon/status.h"
#include "api/daemon/tokens.h"
#include "api/http/front.h"
#include "api/runs/cancel.h"
#include "api/runs/events.h"
#include "api/runs/find.h"
#include "api/runs/handles.h"
#include "api/runs/input.h"
#include "api/runs/lanes.h"
#include "api/runs/logs.h"
#include "api/runs/progress.h"
#include "api/runs/retry.h"
#include "api/runs/runs.h"
#include "api/runs/terminal.h"
#include "api/runs/why.h"
#include "queries/resolve.h"
#include "wire/core_areas.h"

namespace drover::api {
namespace {

// A handle needs a complete id, so the subject stays as it was sent, and the handlers refuse
// anything else.
asio::awaitable<Result<>> check_handle(Services& services, Request& request) {
  auto id = co_await ask(services, request,
                         [grant = request.grant, text = request.subject](store::Reads& store) {
                           return queries::resolve_within(store, grant, text);
                         });
  co_return id ? Result<>{} : std::unexpected(id.error());
}

constexpr auto kRuns = std::to_array<Route>({
    {&wire::runs::create, create_run},
    {&wire::runs::list, list_runs},
    {&wire::runs::get, get_run, check_run},
    {&wire::runs::cancel, cancel_run, check_run},
    {&wire::runs::remove, delete_run, check_run},
    {&wire::runs::logs, read_logs, check_run},
    {&wire::runs::input, send_input, check_run},
    {&wire::runs::signal, send_signal, check_run},
    {&wire::runs::resize, resize_run, check_run},
    {&wire::runs::progress, say_progress, check_run},
    {&wire::runs::screen, show_screen, check_run},
    {&wire::runs::events, run_events, check_run},
    {&wire::runs::move, move_run, check_run},
    {&wire::runs::retry, retry_run, check_run},
    {&wire::runs::why, why_run, check_run},
    {&wire::runs::cancel_scope, cancel_scope},
});
constexpr auto kEvents = std::to_array<Route>({{&wire::events::list, all_events}});
constexpr auto kLanes = std::to_array<Route>({
    {&wire::lanes::list, list_lanes},
    {&wire::lanes::set, set_lane},
    {&wire::lanes::remove, remove_lane},
});
constexpr auto kDaemon = std::to_array<Route>({
    {&wire::daemon::status, show_status},
    {&wire::daemon::stop, stop_daemon},
    {&wire::daemon::probe, probe_daemon},
});
constexpr auto kFollowers = std::to_array<Route>({
    {&wire::followers::list, list_followers},
    {&wire::followers::resume, resume_follower},
    {&wire::followers::skip, skip_follower},
});
constexpr auto kHandles = std::to_array<Route>({
    {&wire::handles::status, resolve_handle, check_handle},
    {&wire::handles::timeline, show_timeline, check_handle},
    {&wire::handles::cancel, cancel_handle, check_handle},
});
constexpr auto kHealth = std::to_array<Route>({
    {&wire::health::live, show_health},
    {&wire::health::ready, show_readiness},
    {&wire::health::metrics, show_metrics},
    {&wire::health::openapi, describe_api},
});
constexpr auto kAccess = std::to_array<Route>({
    {&wire::access::create_token, create_token},
    {&wire::access::list_tokens, list_tokens},
    {&wire::access::revoke_token, revoke_token},
    {&wire::access::open_ui, open_ui},
    {&wire::access::log_in, log_in},
    {&wire::access::log_out, log_out},
    {&wire::access::front, show_front},
});

constexpr auto kBeforeRooms = std::to_array<RouteGroup>({
    {&wire::runs::kArea, kRuns},
    {&wire::events::kArea, kEvents},
    {&wire::lanes::kArea, kLanes},
});
constexpr auto kBehindRooms = std::to_array<RouteGroup>({
    {&wire::daemon::kArea, kDaemon},
    {&wire::followers::kArea, kFollowers},
    {&wire::handles::kArea, kHandles},
    {&wire::health::kArea, kHealth},
    {&wire::access::kArea, kAccess},
});
static_assert(std::ranges::all_of(kBeforeRooms, is_whole));
static_assert(std::ranges::all_of(kBehindRooms, is_whole));
static_assert(std::ranges::equal(kBeforeRooms, wire::kAreasBeforeRooms, {}, &RouteGroup::area));
static_assert(std::ranges::equal(kBehindRooms, wire::kAreasBehindRooms, {}, &RouteGroup::area));

}  // namespace

std::vector<RouteGroup> routes_with(std::span<const RouteGroup> rooms) {
  std::vector<RouteGroup> out(kBeforeRooms.begin(), kBeforeRooms.end());
  out.insert(out.end(), rooms.begin(), rooms.end());
  out.insert(out.end(), kBehindRooms.begin(), kBehindRooms.end());
  return out;
}

}  // namespace drover::api
