#include "api/runs/progress.h"

#include "api/ask.h"
#include "api/runs/diagnosis.h"
#include "api/runs/find.h"
#include "base/limits.h"
#include "base/text.h"
#include "requests/fields.h"
#include "run/progress.h"
#include "run/redact.h"

namespace drover::api {
namespace {

Result<run::SaidProgress> read_progress(std::string_view body) {
  run::SaidProgress said;
  requests::Fields fields(body);
  std::int64_t percent = -1;
  fields.number("percent", percent);
  if (fields.has("percent"))
    said.percent = percent >= 0 && percent <= 100 ? static_cast<int>(percent) : -1;
  fields.text("text", said.text);
  for (const auto& [name, to] : {std::pair{"done", &said.done}, {"total", &said.total}}) {
    if (!fields.has(name)) continue;
    fields.number(name, to->emplace());
  }
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  return run::validated(std::move(said));
}

}  // namespace

asio::awaitable<Result<Response>> say_progress(Services& services, Request& request) {
  auto said = read_progress(request.body);
  if (!said) co_return std::unexpected(said.error());
  auto record = co_await find_run(services, request);
  if (!record) co_return std::unexpected(record.error());
  const RunId id = record->id;
  if (!request.grant.is_owner && request.grant.run != id) {
    co_return fail(ErrorCode::invalid, "forbidden",
                   "only the run itself may set its progress, with its own token", "run_id");
  }
  if (!said->text.empty()) {
    auto redacted =
        co_await work(services, request,
                      [home = services.home, id, text = std::move(said->text)](const work::Turn&) {
                        return Result<std::string>(run::redact(text, secrets_of(home, id)));
                      });
    if (!redacted) co_return std::unexpected(redacted.error());
    said->text = bounded(*redacted, limits::kProgressTextBytesMax);
  }
  const auto outcome = co_await services.dispatcher.say_progress(id, std::move(*said));
  if (!outcome) co_return std::unexpected(outcome.error());
  const bool recorded = *outcome == dispatch::ProgressOutcome::recorded;
  co_return answer_json(recorded ? 200 : 202,
                        {{"run_id", id.view()}, {"outcome", recorded ? "recorded" : "deferred"}});
}

}  // namespace drover::api
