#include "api/runs/runs.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <chrono>
#include "api/ask.h"
#include "api/runs/find.h"

#include "api/http/target.h"
#include "api/runs/diagnosis.h"
#include "api/runs/submission.h"
#include "api/runs/terminal.h"
#include "api/stream/long_poll.h"
#include "base/output_file.h"
#include "queries/evidence.h"
#include "run/record_json.h"
#include "run/resource_limits_text.h"
#include "run/trace.h"

namespace drover::api {
namespace {

namespace json = boost::json;
using std::chrono::steady_clock;

// Adds details from the run's file to its record; the times of a run without input save reading it.
json::object describe_now(const Services& services, const run::Record& record,
                          const RunTimes* times = nullptr) {
  json::object out = run::describe(record, services.kinds);
  if (run::is_active(record.state)) {
    OutputReader output(services.home.run_directory(record.id));
    out["output_bytes"] = output.size().value_or(0);
  }
  if (times == nullptr) {
    describe_run_file(out, services.home, record.id);
  } else {
    describe_times(out, *times);
  }
  return out;
}

// Whether requests pipelined behind this one may be handled. The run must have finished, in any way
// except by a cancel: its caller may be about to cancel everything. A retried run counts as active.
bool allows_pipelined_requests(const run::Record& record) {
  return !run::is_active(record.state) && !record.cancel_requested && record.retried_by.empty();
}

// A time, or a duration before now.
Result<std::optional<WallMs>> time_in(const Query& query, std::string_view name, WallMs now) {
  auto text = text_in(query, name);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  if (const auto ago = parse_duration_ms(**text, name)) return std::max<WallMs>(0, now - *ago);
  auto time = parse_time(**text, name);
  if (!time) return std::unexpected(time.error());
  return *time;
}

Result<store::Query> read_list(const Query& query, WallMs now) {
  store::Query out;
  for (const auto& [name, to] : {std::pair<std::string_view, std::string*>{"kind", &out.kind},
                                 {"scope", &out.scope},
                                 {"lane", &out.lane},
                                 {"chain", &out.chain}}) {
    auto text = text_in(query, name);
    if (!text) return std::unexpected(text.error());
    if (*text) *to = std::move(**text);
  }
  if (!out.scope.empty()) {
    if (auto ok = run::validate_scope(out.scope); !ok) return std::unexpected(ok.error());
  }
  auto state = text_in(query, "state");
  if (!state) return std::unexpected(state.error());
  if (*state) {
    out.state = run::state_named(**state);
    if (!out.state) {
      std::string names;
      for (const run::State known : run::kStates) {
        names.append(names.empty() ? "" : ", ").append(run::name(known));
      }
      return fail_invalid("state", "state must be one of " + names);
    }
  }
  auto active = flag_in(query, "active");
  if (!active) return std::unexpected(active.error());
  out.active_only = *active;
  auto latest = flag_in(query, "latest");
  if (!latest) return std::unexpected(latest.error());
  out.latest_only = *latest;
  for (const auto& [name, value] : query) {
    if (name != "label") continue;
    const size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return fail_invalid("label", "label must have the form name=value");
    }
    out.labels.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  for (const auto& [name, to] : {std::pair{"since", &out.since}, {"until", &out.until}}) {
    auto moment = time_in(query, name, now);
    if (!moment) return std::unexpected(moment.error());
    *to = *moment;
  }
  auto limit = number_in(query, "limit", 1, limits::kPageMax);
  if (!limit) return std::unexpected(limit.error());
  out.limit = limit->value_or(limits::kPageDefault);
  // Opaque to clients; it is the number of the last record they have read.
  auto cursor = number_in(query, "cursor", 1, INT64_MAX);
  if (!cursor)
    return fail_invalid("cursor", "invalid cursor: send the next_cursor of the previous page");
  if (*cursor) out.before = static_cast<std::int64_t>(**cursor);
  return out;
}

}  // namespace

json::object links_of(const std::string& self) {
  return {{"self", self},
          {"events", self + "/events"},
          {"logs", self + "/logs"},
          {"cancel", self + "/cancel"}};
}

asio::awaitable<Result<Response>> create_run(Services& services, Request& request) {
  auto ahead = flag_in(request.query, "ahead");
  if (!ahead) co_return std::unexpected(ahead.error());
  auto ms = wait_ms(request.query);
  if (!ms) co_return std::unexpected(ms.error());
  auto submission = co_await read_submission(services, request);
  if (!submission) co_return std::unexpected(submission.error());
  submission->spec.trace_id = run::trace_named_by(request.traceparent).value_or("");
  const bool takes_input = submission->spec.stdin_mode != run::Stdin::none;
  const RunTimes times{.timeout_ms = submission->spec.timeout_ms,
                       .idle_timeout_ms = submission->spec.idle_timeout_ms,
                       .grace_ms = submission->spec.grace_ms};
  auto written = co_await services.dispatcher.submit(std::move(*submission));
  if (!written) co_return std::unexpected(written.error());
  const bool replayed = written->replayed;
  const std::string self = "/api/runs/" + written->record.id.str();
  Result<run::Record> seen = std::move(written->record);
  // A replayed run may have finished in the same commit that found it. Then the bell has rung
  // already, and this record is out of date.
  if (replayed && *ms > 0) {
    const RunId id = seen->id;
    seen = co_await find_run(services, request, id.str());
  }
  auto record = co_await wait_for_end(services, request, std::move(seen), *ms);
  if (!record) co_return std::unexpected(record.error());
  request.closes_connection = *ahead && !allows_pipelined_requests(*record);
  // With ?wait=, answer the whole record; otherwise the handle.
  json::object body;
  if (*ms > 0) body = describe_now(services, *record, replayed || takes_input ? nullptr : &times);
  body["run_id"] = record->id.view();
  body["trace_id"] = record->trace_id;
  body["state"] = run::name(record->state);
  body["links"] = links_of(self);
  // Before it runs, say which limits will be enforced, and how.
  if (*ms == 0 && record->limits.any()) {
    body["limits"] = run::describe(record->limits, record->limits_by);
  }
  Response response = answer_json(202, std::move(body));
  response.headers.emplace_back("Location", self);
  if (replayed) response.headers.emplace_back("Idempotent-Replayed", "true");
  co_return response;
}

asio::awaitable<Result<Response>> get_run(Services& services, Request& request) {
  auto ms = wait_ms(request.query);
  if (!ms) co_return std::unexpected(ms.error());
  auto final = flag_in(request.query, "final");
  if (!final) co_return std::unexpected(final.error());
  auto live = flag_in(request.query, "live");
  if (!live) co_return std::unexpected(live.error());
  const auto deadline = steady_clock::now() + std::chrono::milliseconds(*ms);
  auto record = co_await find_run(services, request);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    record =
        co_await wait_for_end(services, request, std::move(record), *ms == 0 ? 0 : left.count());
    if (!record) co_return std::unexpected(record.error());
    if (!*final || record->retried_by.empty()) break;
    // It has finished and is retried: wait for the next attempt.
    const RunId waited_for = record->id;
    record = co_await ask(services, request, [first = *record](store::Reads& store) {
      return queries::last_attempt(store, first);
    });
    if (!record) co_return std::unexpected(record.error());
    if (record->id == waited_for) break;
  }
  json::object body = describe_now(services, *record);
  if (*live) {
    auto usage = co_await usage_now(services, request, *record);
    if (!usage) co_return std::unexpected(usage.error());
    body["usage"] = std::move(*usage);
  }
  co_return answer_json(200, std::move(body));
}

asio::awaitable<Result<Response>> list_runs(Services& services, Request& request) {
  auto query = read_list(request.query, services.clock.wall_ms());
  if (!query) co_return std::unexpected(query.error());
  const auto scope = access::narrowed(request.grant, query->scope);
  if (!scope) co_return answer_json(200, {{"runs", json::array()}, {"next_cursor", nullptr}});
  query->scope = *scope;
  const size_t limit = query->limit++;  // One more shows whether there is a next page.
  // The whole answer is made beside the loop: a page has up to 32 MB of JSON.
  co_return co_await ask(
      services, request,
      [wanted = *query, limit, &kinds = services.kinds](store::Reads& store) -> Result<Response> {
        auto records = store.list(wanted);
        if (!records) return std::unexpected(records.error());
        json::value next = nullptr;
        if (records->size() > limit) {
          records->resize(limit);
          next = std::to_string(records->back().number);
        }
        json::array runs;
        runs.reserve(records->size());
        for (const run::Record& record : *records) runs.push_back(run::describe(record, kinds));
        return answer_json(200, {{"runs", std::move(runs)}, {"next_cursor", std::move(next)}});
      });
}

}  // namespace drover::api
