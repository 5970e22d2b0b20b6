// The one list of operations: every door of Drover is made from it. The API's routes refuse to
// compile without a handler for each; the command line can call nothing that is not here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace drover::wire {

enum class Op : std::uint8_t {
  runs_create,
  runs_list,
  runs_get,
  runs_cancel,
  runs_delete,
  runs_logs,
  runs_input,
  runs_signal,
  runs_resize,
  runs_screen,
  runs_events,
  runs_move,
  runs_retry,
  runs_why,
  scope_cancel,
  events,
  lanes_list,
  lanes_set,
  lanes_delete,
  projects_list,
  projects_add,
  projects_get,
  projects_remove,
  projects_play,
  projects_stop,
  projects_session,
  projects_feed,
  projects_log,
  status,
  stop,
  ref_status,
  ref_timeline,
  ref_cancel,
  health,
  ready,
  metrics,
  openapi,
  tokens_create,
  tokens_list,
  tokens_revoke,
  ui_open,
  login,
  logout,
  front
};

enum class Body : std::uint8_t { none, json, bytes };

// What a caller must be allowed to: what `token create --can` names, or more. `read_all`: to read,
// in every scope; for what is told of all runs together. `own`: the owner alone. `anyone`: nobody
// is asked who they are.
enum class Can : std::uint8_t { anyone, read, run, cancel, read_all, own };

struct Parameter {
  std::string_view name;
  std::string_view help;
  std::string_view shape = "Text";  // Of its value (shapes.h).
};

struct Operation {
  Op op;
  std::string_view name;
  std::string_view method;
  std::string_view path;  // {id} is a run: as api/resolve.h has it.
                          // Below /_ref it is its id, and nothing else.
  Body body;
  Can can;
  std::span<const Parameter> query;
  std::string_view help;
};

namespace parameters {
inline constexpr auto kWait = std::to_array<Parameter>({
    {"wait", "hold the answer until the run has ended, at most this long (30s)", "Duration"},
});
inline constexpr auto kCreate = std::to_array<Parameter>({
    kWait[0],
    {"ahead",
     "true: unless the run ends during the wait, not canceled and not tried again, close the "
     "connection after the answer and drop what was sent behind this request",
     "Flag"},
});
inline constexpr auto kGet = std::to_array<Parameter>({
    kWait[0],
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
inline constexpr auto kLogs = std::to_array<Parameter>({
    {"stream", "stdout or stderr; both if not given", "Stream"},
    {"tail", "only the last N lines", "Count"},
    {"offset", "begin at this byte of the log", "Count"},
    {"limit", "at most this many bytes", "Count"},
    {"format", "raw (bytes as they were) or ndjson (with stream and time)", "LogFormat"},
});
inline constexpr auto kScreen = std::to_array<Parameter>({
    {"format", "text, or ansi: what draws it on another terminal", "ScreenFormat"},
});
inline constexpr auto kInput = std::to_array<Parameter>({
    {"eof", "true: close standard input after these bytes", "Flag"},
    {"rows", "with cols: the terminal they were typed at; a pty takes its size on", "Count"},
    {"cols", "see rows", "Count"},
});
inline constexpr auto kEvents = std::to_array<Parameter>({
    {"after", "only what came after this cursor", "Cursor"},
    {"follow", "true: a stream of server-sent events", "Flag"},
    {"output", "true: a run's own stream carries its output too", "Flag"},
    {"scope", "this scope and those below it; repeat for several", "Topics"},
    {"run", "this run; repeat for several: with scope, what is of any of them", "Topics"},
    {"limit", "how many at most", "PageSize"},
    {"last", "true: if there are more, the last of them instead of the first", "Flag"},
});
inline constexpr auto kRunEvents = std::to_array<Parameter>({
    kEvents[0],
    kEvents[1],
    kEvents[2],
    {"scope", "only if it is of this scope or below it"},
    {"limit", "how many at most", "PageSize"},
    kEvents[6],
});
inline constexpr auto kTimeline = std::to_array<Parameter>({
    {"limit", "how many at most", "TimelineSize"},
    {"cursor", "next_cursor of the page before", "Cursor"},
});
inline constexpr auto kSession = std::to_array<Parameter>({
    {"wait", "hold the answer until the session is at rest, at most this long (30s)", "Duration"},
});
inline constexpr auto kFeed = std::to_array<Parameter>({
    {"after", "only what came after this cursor", "Cursor"},
    {"limit", "how many at most", "PageSize"},
    {"last", "true: if there are more, the last of them instead of the first", "Flag"},
});
inline constexpr auto kPlayLog = std::to_array<Parameter>({
    {"after", "only what came after the entry with this seq, of the play that `run` names",
     "Count"},
    {"follow", "true: a stream of server-sent events, until the session is at rest", "Flag"},
    {"limit", "how many at most", "PageSize"},
    {"run", "the log of this play; the latest, if it is left out"},
});
inline constexpr auto kLogin = std::to_array<Parameter>({
    {"code", "from the one-time link of `drover ui`"},
});
}  // namespace parameters

inline constexpr auto kOperations = std::to_array<Operation>({
    {Op::runs_create, "runs.create", "POST", "/api/runs", Body::json, Can::run, parameters::kCreate,
     "start a run"},
    {Op::runs_list, "runs.list", "GET", "/api/runs", Body::none, Can::read, parameters::kList,
     "list runs, newest first"},
    {Op::runs_get, "runs.get", "GET", "/api/runs/{id}", Body::none, Can::read, parameters::kGet,
     "what is known of a run"},
    {Op::runs_cancel,
     "runs.cancel",
     "POST",
     "/api/runs/{id}/cancel",
     Body::json,
     Can::cancel,
     {},
     "end a run and all it started"},
    {Op::runs_delete,
     "runs.delete",
     "DELETE",
     "/api/runs/{id}",
     Body::none,
     Can::cancel,
     {},
     "remove an ended run's record and output; its evidence stays"},
    {Op::runs_logs, "runs.logs", "GET", "/api/runs/{id}/logs", Body::none, Can::read,
     parameters::kLogs, "what a run printed"},
    {Op::runs_input, "runs.input", "POST", "/api/runs/{id}/input", Body::bytes, Can::run,
     parameters::kInput, "bytes for a run's standard input"},
    {Op::runs_signal,
     "runs.signal",
     "POST",
     "/api/runs/{id}/signal",
     Body::json,
     Can::cancel,
     {},
     "send a signal to a run's process group"},
    {Op::runs_resize,
     "runs.resize",
     "POST",
     "/api/runs/{id}/resize",
     Body::json,
     Can::run,
     {},
     "set the size of a run's terminal"},
    {Op::runs_screen, "runs.screen", "GET", "/api/runs/{id}/screen", Body::none, Can::read,
     parameters::kScreen, "what a run's terminal shows"},
    {Op::runs_events, "runs.events", "GET", "/api/runs/{id}/events", Body::none, Can::read,
     parameters::kRunEvents, "what happened to a run"},
    {Op::runs_move,
     "runs.move",
     "POST",
     "/api/runs/{id}/move",
     Body::json,
     Can::run,
     {},
     "give a queued run another lane or another priority"},
    {Op::runs_retry,
     "runs.retry",
     "POST",
     "/api/runs/{id}/retry",
     Body::json,
     Can::run,
     {},
     "run the command of an ended run once more"},
    {Op::runs_why,
     "runs.why",
     "GET",
     "/api/runs/{id}/why",
     Body::none,
     Can::read,
     {},
     "why a run is not running, what it is stuck at, or why it ended"},
    {Op::scope_cancel,
     "scope.cancel",
     "POST",
     "/api/cancel",
     Body::json,
     Can::cancel,
     {},
     "end every active run of a scope"},
    {Op::events, "events", "GET", "/api/events", Body::none, Can::read, parameters::kEvents,
     "what happened to all runs"},
    {Op::lanes_list, "lanes.list", "GET", "/api/lanes", Body::none, Can::own, {}, "the lanes"},
    {Op::lanes_set,
     "lanes.set",
     "PUT",
     "/api/lanes/{lane}",
     Body::json,
     Can::own,
     {},
     "how many runs of a lane go at once; pause it, drain it"},
    {Op::lanes_delete,
     "lanes.delete",
     "DELETE",
     "/api/lanes/{lane}",
     Body::none,
     Can::own,
     {},
     "remove a lane without runs"},
    {Op::projects_list,
     "projects.list",
     "GET",
     "/api/projects",
     Body::none,
     Can::read,
     {},
     "the projects that can be played"},
    {Op::projects_add,
     "projects.add",
     "POST",
     "/api/projects",
     Body::json,
     Can::own,
     {},
     "make a folder with a drover.toml known as a project"},
    {Op::projects_get,
     "projects.get",
     "GET",
     "/api/projects/{project}",
     Body::none,
     Can::read,
     {},
     "what is known of a project"},
    {Op::projects_remove,
     "projects.remove",
     "DELETE",
     "/api/projects/{project}",
     Body::none,
     Can::own,
     {},
     "forget a project; its folder and its runs stay"},
    {Op::projects_play,
     "projects.play",
     "POST",
     "/api/projects/{project}/play",
     Body::json,
     Can::run,
     {},
     "build, validate and pack a project, and start its runtime"},
    {Op::projects_stop,
     "projects.stop",
     "POST",
     "/api/projects/{project}/stop",
     Body::json,
     Can::cancel,
     {},
     "kill a project's runtime and all it started"},
    {Op::projects_session, "projects.session", "GET", "/api/projects/{project}/session", Body::none,
     Can::read, parameters::kSession, "how far the latest play of a project has come"},
    {Op::projects_feed, "projects.feed", "GET", "/api/projects/{project}/feed", Body::none,
     Can::read, parameters::kFeed, "how the plays of a project went, an entry for each change"},
    {Op::projects_log, "projects.log", "GET", "/api/projects/{project}/log", Body::none, Can::read,
     parameters::kPlayLog, "what the steps and the runtime of a play printed, in one log"},
    {Op::status,
     "status",
     "GET",
     "/api/status",
     Body::none,
     Can::read_all,
     {},
     "the daemon and its paths"},
    {Op::stop, "stop", "POST", "/api/stop", Body::json, Can::own, {}, "stop the daemon"},
    {Op::ref_status,
     "ref.status",
     "GET",
     "/_ref/runs/{id}",
     Body::none,
     Can::read,
     {},
     "what became of a run, for ever: from its events alone"},
    {Op::ref_timeline, "ref.timeline", "GET", "/_ref/runs/{id}/timeline", Body::none, Can::read,
     parameters::kTimeline, "everything that happened to a run, in pages"},
    {Op::ref_cancel,
     "ref.cancel",
     "POST",
     "/_ref/runs/{id}/cancel",
     Body::json,
     Can::cancel,
     {},
     "end a run by its handle"},
    {Op::health,
     "health",
     "GET",
     "/healthz",
     Body::none,
     Can::anyone,
     {},
     "whether the daemon answers"},
    {Op::ready,
     "ready",
     "GET",
     "/readyz",
     Body::none,
     Can::anyone,
     {},
     "whether the daemon can take runs"},
    {Op::metrics,
     "metrics",
     "GET",
     "/metrics",
     Body::none,
     Can::read_all,
     {},
     "numbers for Prometheus"},
    {Op::openapi,
     "openapi",
     "GET",
     "/openapi.json",
     Body::none,
     Can::anyone,
     {},
     "this API, described"},
    {Op::tokens_create,
     "tokens.create",
     "POST",
     "/api/tokens",
     Body::json,
     Can::own,
     {},
     "make a token that may do less than the owner, for a while"},
    {Op::tokens_list,
     "tokens.list",
     "GET",
     "/api/tokens",
     Body::none,
     Can::own,
     {},
     "the tokens and sessions there are"},
    {Op::tokens_revoke,
     "tokens.revoke",
     "DELETE",
     "/api/tokens/{token}",
     Body::none,
     Can::own,
     {},
     "end a token or a session now"},
    {Op::ui_open,
     "ui.open",
     "POST",
     "/api/ui",
     Body::json,
     Can::own,
     {},
     "listen on loopback, and make a one-time link to log in with"},
    {Op::login, "login", "GET", "/login", Body::none, Can::anyone, parameters::kLogin,
     "turn a one-time code into a session"},
    {Op::logout,
     "logout",
     "POST",
     "/api/logout",
     Body::json,
     Can::anyone,
     {},
     "end the session that asks"},
    {Op::front,
     "front",
     "GET",
     "/",
     Body::none,
     Can::anyone,
     {},
     "what this is, for whoever looks here first"},
});

constexpr const Operation& operation(Op op) {
  return kOperations[static_cast<size_t>(op)];
}

namespace promise {
constexpr bool listed_in_order() {
  for (size_t i = 0; i < kOperations.size(); ++i) {
    if (static_cast<size_t>(kOperations[i].op) != i) return false;
  }
  return true;
}
}  // namespace promise
static_assert(promise::listed_in_order());

}  // namespace drover::wire
