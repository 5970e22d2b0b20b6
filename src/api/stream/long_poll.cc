#include "api/stream/long_poll.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "queries/resolve.h"

namespace drover::api {
namespace {

using std::chrono::steady_clock;

// The token may be revoked, expire or end with its run while the answer is delayed.
Result<> check_credential(const Services& services, const Request& request) {
  if (request.credential.empty()) return {};
  const auto grant = services.gate.identify(request.credential);
  return grant ? Result<>{} : std::unexpected(grant.error());
}

// Waits until the run has finished, the time is over, the caller is gone, or its token is invalid.
asio::awaitable<Result<>> wait_once(Services& services, const Request& request, RunId id,
                                    steady_clock::time_point deadline) {
  // The bell may be behind the record that we read, never ahead of it: an end committed since will
  // still ring.
  bus::Subscription subscription(services.bell, services.loop,
                                 {.run = id, .scope = {}, .waker = request.grant.subject()},
                                 services.bell.last_seq());
  const Watch watch(request.caller, [&] { subscription.wake(); });
  while (!request.caller.gone()) {
    if (auto still = check_credential(services, request); !still) co_return still;
    auto page = co_await subscription.next(deadline);
    if (!page) co_return std::unexpected(page.error());
    const bool ended = std::ranges::any_of(
        page->events, [](const bus::EventPtr& event) { return event->terminal; });
    // If the subscription lagged, read the record again and wait from there.
    if (ended || page->lagged != 0 || steady_clock::now() >= deadline) break;
  }
  co_return check_credential(services, request);
}

}  // namespace

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
  while (ms > 0 && record && run::is_active(record->state) && !request.caller.gone() &&
         steady_clock::now() < deadline) {
    const RunId id = record->id;
    if (auto waited = co_await wait_once(services, request, id, deadline); !waited) {
      co_return std::unexpected(waited.error());
    }
    record = queries::find_run(services.store, id.view());
  }
  co_return record;
}

}  // namespace drover::api
