// The operations on runs: start, find, change, cancel and delete them. Input and output of a run
// are in run_io.h.
#pragma once

#include "wire/area.h"
#include "wire/operations/run_io.h"

namespace drover::wire::runs {

namespace parameters {
inline constexpr Parameter kWait{"wait", "Wait until the run has finished, at most this long (30s)",
                                 "Duration"};
inline constexpr auto kCreate = std::to_array<Parameter>({
    kWait,
    {"ahead",
     "If true, close the connection after the answer and drop the requests pipelined behind this "
     "one, "
     "unless the run finishes during the wait without being canceled or retried",
     "Flag"},
});
inline constexpr auto kGet = std::to_array<Parameter>({
    kWait,
    {"final", "If true, if the run was retried, return its last attempt", "Flag"},
    {"live", "If true, include the current resource usage of a running run", "Flag"},
});
inline constexpr auto kList = std::to_array<Parameter>({
    {"state", "Only this state, such as failed", "State"},
    {"active", "If true, return only runs that have not finished", "Flag"},
    {"kind", "Only this kind, such as command"},
    {"scope", "Only this scope and the scopes below it"},
    {"lane", "Only this lane"},
    {"label", "Only runs with this label, as k=v; repeat for several, all must match",
     "LabelFilter"},
    {"chain", "Only the attempts of the run with this id"},
    {"latest", "If true, return only the latest attempt of each run", "Flag"},
    {"since", "Submitted at this time or later: a time, or a duration before now (2h)",
     "TimeOrAge"},
    {"until", "Submitted before this time: a time, or a duration before now (2h)", "TimeOrAge"},
    {"limit", "Maximum number of entries", "PageSize"},
    {"cursor", "The next_cursor of the previous page", "Cursor"},
});
}  // namespace parameters

namespace headers {
inline constexpr auto kCreate = std::to_array<Header>({
    kIdempotencyKey,
    {"traceparent", "Trace that the run belongs to (W3C trace context)"},
});
inline constexpr auto kRetry = std::to_array<Header>({kIdempotencyKey});
}  // namespace headers

namespace answers {
inline constexpr auto kHandle =
    std::to_array<Answer>({{202, kJson, "Acknowledged", "The run is recorded"}});
inline constexpr auto kRuns = std::to_array<Answer>({answer_ok("Runs", "A page of runs")});
inline constexpr auto kRun = std::to_array<Answer>({answer_ok("Run", "The record of the run")});
inline constexpr auto kCancel =
    std::to_array<Answer>({answer_ok("Outcome", "The run has finished"),
                           {202, kJson, "Outcome", "The cancellation is requested"}});
inline constexpr auto kRemove = std::to_array<Answer>({answer_ok("Outcome", "The run is removed")});
inline constexpr auto kWhy = std::to_array<Answer>({answer_ok("Why", "The explanation")});
inline constexpr auto kScope =
    std::to_array<Answer>({answer_ok("ScopeOutcomes", "Number of runs by outcome")});
}  // namespace answers

inline constexpr Operation create{
    .name = "runs.create",
    .method = "POST",
    .path = "/api/runs",
    .body = Body::json,
    .can = Permission::run,
    .query = parameters::kCreate,
    .help = "Start a run",
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
    .help = "List runs, newest first",
    .answers = answers::kRuns,
};
inline constexpr Operation get{
    .name = "runs.get",
    .method = "GET",
    .path = "/api/runs/{id}",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kGet,
    .help = "Show a run",
    .answers = answers::kRun,
};
inline constexpr Operation cancel{
    .name = "runs.cancel",
    .method = "POST",
    .path = "/api/runs/{id}/cancel",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::cancel,
    .help = "Cancel a run",
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
    .help = "Remove the record and output of a finished run",
    .answers = answers::kRemove,
};
inline constexpr Operation move{
    .name = "runs.move",
    .method = "POST",
    .path = "/api/runs/{id}/move",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "Move a queued run to another lane or priority",
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
    .help = "Run the command of a finished run again",
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
    .help = "Explain why a run is queued, blocked or finished",
    .answers = answers::kWhy,
};
inline constexpr Operation cancel_scope{
    .name = "scope.cancel",
    .method = "POST",
    .path = "/api/cancel",
    .body = Body::json,
    .can = Permission::cancel,
    .help = "Cancel every active run of a scope",
    .takes = "ScopeCancelAsked",
    .needs_body = true,
    .answers = answers::kScope,
    .repeatable = true,
};

inline constexpr auto kOperations = std::to_array<const Operation*>(
    {&create, &list, &get, &cancel, &remove, &logs, &input, &signal, &resize, &progress, &screen,
     &events, &move, &retry, &why, &cancel_scope});
inline constexpr auto kTags =
    std::to_array<Tag>({{"runs", "Runs"}, {"scope", "All runs of a scope"}});
inline constexpr auto kShapes =
    std::to_array<ShapeList>({shapes_of_words, shapes_of_requests, shapes_of_runs});
inline constexpr Area kArea{kOperations, kTags, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::runs
