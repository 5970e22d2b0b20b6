// The operations on runs: to start, find, change and end them. What goes in and out of one is in
// run_io.h.
#pragma once

#include "wire/area.h"
#include "wire/operations/run_io.h"

namespace drover::wire::runs {

namespace parameters {
inline constexpr Parameter kWait{
    "wait", "hold the answer until the run has ended, at most this long (30s)", "Duration"};
inline constexpr auto kCreate = std::to_array<Parameter>({
    kWait,
    {"ahead",
     "true: unless the run ends during the wait, not canceled and not tried again, close the "
     "connection after the answer and drop what was sent behind this request",
     "Flag"},
});
inline constexpr auto kGet = std::to_array<Parameter>({
    kWait,
    {"final", "true: of a run that is tried again, its last attempt", "Flag"},
    {"live", "true: of a running one also what it uses now", "Flag"},
});
inline constexpr auto kList = std::to_array<Parameter>({
    {"state", "one state, such as failed", "State"},
    {"active", "true: only runs that have not ended", "Flag"},
    {"kind", "command"},
    {"scope", "this scope and those below it"},
    {"lane", "one lane"},
    {"label", "k=v; repeat for several, all must hold", "LabelFilter"},
    {"chain", "the attempts of the run with this id"},
    {"latest", "true: of a run that is tried again only the latest attempt", "Flag"},
    {"since", "submitted then or later: a time, or how long ago (2h)", "Moment"},
    {"until", "submitted before it: a time, or how long ago (2h)", "Moment"},
    {"limit", "how many at most", "PageSize"},
    {"cursor", "next_cursor of the page before", "Cursor"},
});
}  // namespace parameters

namespace headers {
inline constexpr auto kCreate = std::to_array<Header>({
    kIdempotencyKey,
    {"traceparent", "the trace that the run goes on (W3C)"},
});
inline constexpr auto kRetry = std::to_array<Header>({kIdempotencyKey});
}  // namespace headers

namespace answers {
inline constexpr auto kHandle =
    std::to_array<Answer>({{202, kJson, "Acknowledged", "it is on record"}});
inline constexpr auto kRuns = std::to_array<Answer>({answer_ok("Runs", "a page")});
inline constexpr auto kRun = std::to_array<Answer>({answer_ok("Run", "the record")});
inline constexpr auto kCancel = std::to_array<Answer>(
    {answer_ok("Outcome", "it has ended"), {202, kJson, "Outcome", "it is being ended"}});
inline constexpr auto kRemove = std::to_array<Answer>({answer_ok("Outcome", "it is gone")});
inline constexpr auto kWhy = std::to_array<Answer>({answer_ok("Why", "why")});
inline constexpr auto kScope =
    std::to_array<Answer>({answer_ok("ScopeOutcomes", "how many of which outcome")});
}  // namespace answers

inline constexpr Operation create{
    .name = "runs.create",
    .method = "POST",
    .path = "/api/runs",
    .body = Body::json,
    .can = Permission::run,
    .query = parameters::kCreate,
    .help = "start a run",
    .takes = "RunAsked",
    .needs_body = true,
    .headers = headers::kCreate,
    .answers = answers::kHandle,
};
inline constexpr Operation list{
    .name = "runs.list",
    .method = "GET",
    .path = "/api/runs",
    .can = Permission::read,
    .query = parameters::kList,
    .help = "list runs, newest first",
    .answers = answers::kRuns,
};
inline constexpr Operation get{
    .name = "runs.get",
    .method = "GET",
    .path = "/api/runs/{id}",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kGet,
    .help = "what is known of a run",
    .answers = answers::kRun,
};
inline constexpr Operation cancel{
    .name = "runs.cancel",
    .method = "POST",
    .path = "/api/runs/{id}/cancel",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::cancel,
    .help = "end a run and all it started",
    .takes = "CancelAsked",
    .answers = answers::kCancel,
    .repeatable = true,
};
inline constexpr Operation remove{
    .name = "runs.delete",
    .method = "DELETE",
    .path = "/api/runs/{id}",
    .subject = kSubject,
    .can = Permission::cancel,
    .help = "remove an ended run's record and output; its evidence stays",
    .answers = answers::kRemove,
};
inline constexpr Operation move{
    .name = "runs.move",
    .method = "POST",
    .path = "/api/runs/{id}/move",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "give a queued run another lane or another priority",
    .takes = "MoveAsked",
    .needs_body = true,
    .answers = answers::kRun,
    .repeatable = true,
};
inline constexpr Operation retry{
    .name = "runs.retry",
    .method = "POST",
    .path = "/api/runs/{id}/retry",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "run the command of an ended run once more",
    .takes = "RetryAsked",
    .headers = headers::kRetry,
    .answers = answers::kHandle,
};
inline constexpr Operation why{
    .name = "runs.why",
    .method = "GET",
    .path = "/api/runs/{id}/why",
    .subject = kSubject,
    .can = Permission::read,
    .help = "why a run is not running, what it is stuck at, or why it ended",
    .answers = answers::kWhy,
};
inline constexpr Operation cancel_scope{
    .name = "scope.cancel",
    .method = "POST",
    .path = "/api/cancel",
    .body = Body::json,
    .can = Permission::cancel,
    .help = "end every active run of a scope",
    .takes = "ScopeCancelAsked",
    .needs_body = true,
    .answers = answers::kScope,
    .repeatable = true,
};

inline constexpr auto kOperations = std::to_array<const Operation*>(
    {&create, &list, &get, &cancel, &remove, &logs, &input, &signal, &resize, &screen, &events,
     &move, &retry, &why, &cancel_scope});
inline constexpr auto kTags =
    std::to_array<Tag>({{"runs", "runs"}, {"scope", "all runs of a scope"}});
inline constexpr auto kShapes =
    std::to_array<ShapeList>({shapes_of_words, shapes_of_requests, shapes_of_runs});
inline constexpr Area kArea{kOperations, kTags, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::runs
