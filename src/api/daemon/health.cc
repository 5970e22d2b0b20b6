#include "api/daemon/health.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <stop_token>

#include "api/http/authorize.h"
#include "base/background.h"
#include "dispatch/readiness/limits.h"
#include "requests/fields.h"

namespace drover::api {
namespace {

std::unexpected<Error> stopping() {
  return fail(ErrorCode::unavailable, "stopping", "the daemon is stopping and accepts no runs");
}

// A question to the store. If the store hangs, it outlives its request.
struct Question {
  explicit Question(const asio::any_io_executor& loop)
      : answered(loop, std::chrono::steady_clock::now() + dispatch::kProbeWait) {}

  asio::steady_timer answered;  // Expires if there is no answer in time.
  std::optional<Result<std::int64_t>> answer = {};
  std::stop_source stop = {};
};

// Whether the store can be read, within the bound: the request must be answered also if a disk
// hangs.
asio::awaitable<Result<>> check_store(Services& services) {
  const auto question = std::make_shared<Question>(services.loop);
  asio::co_spawn(
      services.loop,
      [](Services& s, std::shared_ptr<Question> q) -> asio::awaitable<void> {
        q->answer = co_await s.reads.ask({.name = "readyz", .stop = q->stop.get_token()},
                                         [](store::Reads& store) { return store.last_seq(); });
        q->answered.cancel();
      }(services, question),
      in_background);
  boost::system::error_code woken;
  if (!question->answer) {
    co_await question->answered.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
  if (!question->answer) {
    question->stop.request_stop();
    co_return fail(ErrorCode::unavailable, "not_ready_store",
                   "the store does not answer; check the disk of the state directory");
  }
  if (*question->answer) co_return Result<>{};
  co_return std::unexpected(question->answer->error());
}

// A stranger learns that the daemon is not ready and at which step, but no path of this machine.
asio::awaitable<std::unexpected<Error>> not_ready(const Services& services, const Request& request,
                                                  Error error) {
  if (!co_await identify(services, request)) {
    error.message = "a run cannot start and end now; `drover doctor` shows the owner why";
  }
  co_return std::unexpected(std::move(error));
}

}  // namespace

// If this runs, the loop runs. Checking more would make a supervisor kill a daemon whose disk is
// full, which does not help.
asio::awaitable<Result<Response>> show_health(Services&, Request&) {
  co_return answer_json(200, {{"status", "ok"}});
}

// Ready means that a run can start and end now (dispatch/readiness). The store is asked first: it
// may have failed since the last run ended, which check_ready() accepts as proof.
asio::awaitable<Result<Response>> show_readiness(Services& services, Request& request) {
  if (services.stopping && services.stopping()) co_return stopping();
  if (auto read = co_await check_store(services); !read) {
    co_return co_await not_ready(services, request, read.error());
  }
  const auto ready = co_await services.dispatcher.check_ready();
  if (!ready) co_return co_await not_ready(services, request, ready.error());
  co_return answer_json(200, {{"status", "ready"}});
}

asio::awaitable<Result<Response>> probe_daemon(Services& services, Request& request) {
  {
    requests::Fields fields(request.body);
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  if (services.stopping && services.stopping()) co_return stopping();
  const auto took = co_await services.dispatcher.probe();
  if (!took) co_return std::unexpected(took.error());
  co_return answer_json(200, {{"outcome", "ended"}, {"took_ms", took->count()}});
}

}  // namespace drover::api
