#include "api/stream/long_poll.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "api/runs/find.h"
#include "api/share.h"

namespace drover::api {
namespace {

using std::chrono::steady_clock;

// Waits until the run has finished, the time is over, the client is gone, or its token is invalid.
asio::awaitable<Result<>> wait_once(Services& services, const Request& request, RunId id,
                                    steady_clock::time_point deadline) {
  bus::Subscription subscription(services.bell, services.loop,
                                 {.run = id,
                                  .scope = {},
                                  .waker = request.grant.subject(),
                                  .reader = share_for(request.grant)},
                                 services.bell.last_seq());
  // The caller's record was read beside the loop, and may be older than the bell. From here on an
  // end rings, so a record that is read now is enough.
  const auto now = co_await find_run(services, request, id.str());
  if (!now || !run::is_active(now->state)) co_return Result<>{};
  const ClientWatch watch(request.client, [&] {
    request.client.may_return() ? subscription.wake() : subscription.leave();
  });
  while (!request.client.gone()) {
    if (auto still = co_await check_credential(services, request); !still) co_return still;
    auto page = co_await subscription.next(deadline);
    if (!page) co_return std::unexpected(page.error());
    const bool ended = std::ranges::any_of(
        page->events, [](const bus::EventPtr& event) { return event->is_final; });
    // If the subscription lagged, read the record again and wait from there.
    if (ended || page->lagged != 0 || steady_clock::now() >= deadline) break;
  }
  co_return co_await check_credential(services, request);
}

}  // namespace

asio::awaitable<Result<>> check_credential(const Services& services, const Request& request) {
  if (request.credential.empty()) co_return Result<>{};
  const auto grant = co_await services.gate.identify(std::string(request.credential));
  co_return grant ? Result<>{} : std::unexpected(grant.error());
}

Result<std::int64_t> wait_ms(const Query& query) {
  auto text = text_in(query, "wait");
  if (!text) return std::unexpected(text.error());
  if (!*text) return 0;
  auto ms = parse_duration_ms(**text, "wait");
  if (!ms) return ms;
  return std::min(*ms, limits::kWaitMaxMs);
}

asio::awaitable<Result<run::Record>> wait_for_end(Services& services, const Request& request,
                                                  Result<run::Record> record, std::int64_t ms) {
  const auto deadline = steady_clock::now() + std::chrono::milliseconds(ms);
  while (ms > 0 && record && run::is_active(record->state) && !request.client.gone() &&
         steady_clock::now() < deadline) {
    const RunId id = record->id;
    if (auto waited = co_await wait_once(services, request, id, deadline); !waited) {
      co_return std::unexpected(waited.error());
    }
    record = co_await find_run(services, request, id.str());
  }
  co_return record;
}

}  // namespace drover::api
