#include "api/runs/retry.h"

#include "api/runs/find.h"
#include "api/runs/runs.h"
#include "api/runs/submission.h"

namespace drover::api {

asio::awaitable<Result<Response>> retry_run(Services& services, Request& request) {
  auto id = co_await resolve_run(services, request);
  if (!id) co_return std::unexpected(id.error());
  auto old = co_await find_run(services, request, id->str());
  if (!old) co_return std::unexpected(old.error());
  auto again = read_retry(*id, request.body, request.idempotency_key, services, request.grant,
                          std::move(old->scope));
  if (!again) co_return std::unexpected(again.error());
  auto written = co_await services.dispatcher.retry(std::move(*again));
  if (!written && written.error().code == ErrorCode::not_found) {
    co_return std::unexpected(co_await missing_run(services, request, *id));
  }
  if (!written) co_return std::unexpected(written.error());
  const run::Record& record = written->record;
  const std::string self = "/api/runs/" + record.id.str();
  Response response = answer_json(202, {{"run_id", record.id.view()},
                                        {"retry_of", record.chain},
                                        {"attempt", record.attempt},
                                        {"trace_id", record.trace_id},
                                        {"state", run::name(record.state)},
                                        {"links", links_of(self)}});
  response.headers.emplace_back("Location", self);
  if (written->replayed) response.headers.emplace_back("Idempotent-Replayed", "true");
  co_return response;
}

}  // namespace drover::api
