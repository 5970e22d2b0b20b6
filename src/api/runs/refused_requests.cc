#include "api/runs/refused_requests.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/share.h"
#include "store/refused_request.h"
#include "store/stored_run.h"
#include "wire/core_areas.h"

namespace drover::api {
namespace {

namespace json = boost::json;

// The part of the caller that every reader of the run may see: readers see a run or a token only if
// they reach its scope, and the narrowest reader of a run is the run itself.
json::object public_caller(const access::Grant& grant, const RunId& run) {
  if (grant.run == run) return {{"kind", "run"}, {"id", run.view()}};
  return {{"kind", grant.run ? "run" : grant.is_owner ? "owner" : "token"}};
}

// A browser session acts for the owner.
asio::awaitable<json::object> caller_of(Services& services, const access::Grant& grant) {
  if (grant.run) co_return json::object{{"kind", "run"}, {"id", grant.run->view()}};
  if (grant.is_owner) co_return json::object{{"kind", "owner"}};
  const auto tokens = co_await services.gate.tokens();
  const auto token = std::ranges::find(tokens, grant.token_id, &access::Token::id);
  co_return json::object{
      {"kind", "token"},
      {"id", grant.token_id},
      {"name", token == tokens.end() ? std::string_view() : std::string_view(token->label)}};
}

}  // namespace

asio::awaitable<void> report_refused(Services& services, const access::Grant& grant, RunId id,
                                     run::EventType type, std::string outcome) {
  ++services.traffic.refused_requests[run::name(type)];
  if (!services.record) co_return;
  const auto found = co_await services.reads.ask(
      share_for(grant), [id](store::Reads& store) { return store::find_stored_run(store, id); });
  if (!found || !*found) co_return;
  const run::Record& record = (*found)->record;
  const json::object by = public_caller(grant, id);
  const json::object caller = co_await caller_of(services, grant);
  (void)co_await services.record(
      store::report_refused({.run = id,
                             .trace_id = record.trace_id,
                             .scope = record.scope,
                             .type = type,
                             .by = json::serialize(by),
                             .outcome = std::move(outcome),
                             .caller = caller == by ? "" : json::serialize(caller)}));
}

void count_forbidden(Services& services, const wire::Operation& operation) {
  const bool removes = &operation == &wire::runs::remove;
  if (!removes && &operation != &wire::runs::cancel && &operation != &wire::handles::cancel) return;
  ++services.traffic.refused_requests[run::name(removes ? run::EventType::delete_refused
                                                        : run::EventType::cancel_refused)];
}

asio::awaitable<void> report_cancel(Services& services, const access::Grant& grant, RunId id,
                                    dispatch::CancelOutcome outcome) {
  using dispatch::CancelOutcome;
  if (outcome == CancelOutcome::canceled || outcome == CancelOutcome::cancel_requested) co_return;
  const bool repeated = outcome == CancelOutcome::cancel_repeated;
  co_await report_refused(
      services, grant, id,
      repeated ? run::EventType::cancel_repeated : run::EventType::cancel_refused,
      std::string(dispatch::name(outcome)));
}

}  // namespace drover::api
