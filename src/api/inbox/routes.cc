#include "api/inbox/routes.h"

#include <array>
#include <boost/asio/awaitable.hpp>

#include "api/inbox/entries.h"
#include "api/inbox/memory.h"
#include "api/runs/find.h"
#include "wire/inbox/operations.h"

namespace drover::api {
namespace {

constexpr auto kRoutes = std::to_array<Route>({
    {&wire::inbox::list, list_inbox},
    {&wire::inbox::get, show_entry, check_entry},
    {&wire::inbox::answer, answer_question, check_entry},
    {&wire::inbox::dismiss, dismiss_question, check_entry},
    {&wire::inbox::withdraw, withdraw_question, check_entry},
    {&wire::inbox::ask, ask_question, check_run},
    {&wire::inbox::report, make_report, check_run},
    {&wire::memory::list, list_memories},
    {&wire::memory::get, read_memory, check_memory},
    {&wire::memory::put, write_memory, check_memory},
    {&wire::memory::log, show_memory_log, check_memory},
});
constexpr RouteGroup kGroup{&wire::inbox::kArea, kRoutes};
static_assert(is_whole(kGroup));

}  // namespace

RouteGroup inbox_routes() {
  return kGroup;
}

}  // namespace drover::api
