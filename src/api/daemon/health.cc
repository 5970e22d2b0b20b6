#include "api/daemon/health.h"

namespace drover::api {

// The loop runs, or nobody would read this. More would make a supervisor kill a daemon whose disk
// is full, which helps nobody.
asio::awaitable<Result<Response>> show_health(Services&, Request&) {
  co_return answer_json(200, {{"status", "ok"}});
}

// The doors open after recovery (H10), so what is left to ask is the store, and the way out.
asio::awaitable<Result<Response>> show_readiness(Services& services, Request&) {
  if (services.stopping && services.stopping()) {
    co_return fail(ErrorCode::unavailable, "stopping",
                   "the daemon is stopping and accepts no runs");
  }
  if (auto seq = services.store.last_seq(); !seq) co_return std::unexpected(seq.error());
  co_return answer_json(200, {{"status", "ready"}});
}

}  // namespace drover::api
