#include "api/daemon/health.h"

namespace drover::api {

// If this runs, the loop runs. Checking more would make a supervisor kill a daemon whose disk is
// full, which does not help.
asio::awaitable<Result<Response>> show_health(Services&, Request&) {
  co_return answer_json(200, {{"status", "ok"}});
}

// The API listens only after recovery (H10), so readiness depends on the store and on a requested
// stop.
asio::awaitable<Result<Response>> show_readiness(Services& services, Request&) {
  if (services.stopping && services.stopping()) {
    co_return fail(ErrorCode::unavailable, "stopping",
                   "the daemon is stopping and accepts no runs");
  }
  if (auto seq = services.store.last_seq(); !seq) co_return std::unexpected(seq.error());
  co_return answer_json(200, {{"status", "ready"}});
}

}  // namespace drover::api
