#include <array>
#include <utility>

#include "wire/shapes.h"

namespace drover::wire {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kText = "text/plain";

constexpr Answer ok(std::string_view shape, std::string_view help) {
  return {200, kJson, shape, help};
}

constexpr auto kHandle = std::to_array<Answer>({{202, kJson, "Acknowledged", "it is on record"}});
constexpr auto kRuns = std::to_array<Answer>({ok("Runs", "a page")});
constexpr auto kRun = std::to_array<Answer>({ok("Run", "the record")});
constexpr auto kCancel = std::to_array<Answer>(
    {ok("Outcome", "it has ended"), {202, kJson, "Outcome", "it is being ended"}});
constexpr auto kDelete = std::to_array<Answer>({ok("Outcome", "it is gone")});
constexpr auto kLogs = std::to_array<Answer>({
    {200, "application/octet-stream", "Bytes", "what it printed"},
    {200, "application/x-ndjson", "Bytes", "the same with stream and time, a piece a line"},
    {206, "application/octet-stream", "Bytes", "the range that was asked for"},
});
constexpr auto kInput = std::to_array<Answer>({ok("InputTaken", "how many bytes were taken")});
constexpr auto kSignal = std::to_array<Answer>({ok("SignalSent", "it was sent")});
constexpr auto kResize = std::to_array<Answer>({ok("Resized", "its size now")});
constexpr auto kScreen = std::to_array<Answer>({{200, kText, "Bytes", "what one would see"}});
constexpr auto kEvents = std::to_array<Answer>({
    ok("Events", "a page"),
    {200, "text/event-stream", "Bytes", "a stream, with follow=true"},
    {204, "", "", "a follower has seen the end of this run"},
});
constexpr auto kWhy = std::to_array<Answer>({ok("Why", "why")});
constexpr auto kScope = std::to_array<Answer>({ok("ScopeOutcomes", "how many of which outcome")});
constexpr auto kLanes = std::to_array<Answer>({ok("Lanes", "all of them")});
constexpr auto kLane = std::to_array<Answer>({ok("Lane", "as it is now")});
constexpr auto kLaneGone = std::to_array<Answer>({ok("LaneRemoved", "it is gone")});
constexpr auto kProjects = std::to_array<Answer>({ok("Projects", "all of them")});
constexpr auto kProject = std::to_array<Answer>({ok("Project", "as it is now")});
constexpr auto kProjectGone = std::to_array<Answer>({ok("ProjectRemoved", "it is forgotten")});
constexpr auto kPressed = std::to_array<Answer>(
    {ok("Pressed", "ignored, and why"), {202, kJson, "Pressed", "it is on record"}});
constexpr auto kSession = std::to_array<Answer>({ok("Session", "how far it has come")});
constexpr auto kFeed = std::to_array<Answer>({ok("Feed", "a page")});
constexpr auto kPlayLog = std::to_array<Answer>({
    {200, "application/x-ndjson", "PlayLogLines", "an entry a line"},
    {200, "text/event-stream", "Bytes", "a stream, with follow=true"},
    {204, "", "", "a follower has seen the end of it"},
});
constexpr auto kStatus = std::to_array<Answer>({ok("DaemonStatus", "the daemon")});
constexpr auto kStop = std::to_array<Answer>({{202, kJson, "Stopping", "it will"}});
constexpr auto kRefStatus = std::to_array<Answer>({ok("RunStatus", "what became of it")});
constexpr auto kTimeline = std::to_array<Answer>({ok("Timeline", "a page")});
constexpr auto kRefCancel = std::to_array<Answer>({{202, kJson, "Outcome", "asked for"}});
constexpr auto kHealth = std::to_array<Answer>({ok("Health", "yes")});
constexpr auto kMetrics = std::to_array<Answer>({{200, kText, "Bytes", "Prometheus' text format"}});
constexpr auto kOpenapi = std::to_array<Answer>({ok("Description", "OpenAPI 3.1")});

constexpr auto kTokenMade = std::to_array<Answer>({{201, kJson, "TokenMade", "told this once"}});
constexpr auto kTokens = std::to_array<Answer>({ok("Tokens", "all that are kept")});
constexpr auto kTokenRevoked = std::to_array<Answer>({ok("TokenRevoked", "it is dead")});
constexpr auto kUi = std::to_array<Answer>({ok("UiOpened", "a link that works once")});
constexpr auto kLoggedIn = std::to_array<Answer>({{303, "", "", "to the page, with a session"}});
constexpr auto kFront = std::to_array<Answer>({{200, "text/html", "Bytes", "a page"}});
constexpr auto kLoggedOut = std::to_array<Answer>({ok("LoggedOut", "the session is over")});

// No default: an operation that is added to the list and not here does not compile.
constexpr Form make(Op op) {
  switch (op) {
    case Op::runs_create:
      return {op, "RunAsked", true, kHandle};
    case Op::runs_list:
      return {op, "", false, kRuns};
    case Op::runs_get:
      return {op, "", false, kRun};
    case Op::runs_cancel:
      return {op, "CancelAsked", false, kCancel};
    case Op::runs_delete:
      return {op, "", false, kDelete};
    case Op::runs_logs:
      return {op, "", false, kLogs};
    case Op::runs_input:
      return {op, "", false, kInput};
    case Op::runs_signal:
      return {op, "SignalAsked", true, kSignal};
    case Op::runs_resize:
      return {op, "ResizeAsked", true, kResize};
    case Op::runs_screen:
      return {op, "", false, kScreen};
    case Op::runs_events:
    case Op::events:
      return {op, "", false, kEvents};
    case Op::runs_move:
      return {op, "MoveAsked", true, kRun};
    case Op::runs_retry:
      return {op, "RetryAsked", false, kHandle};
    case Op::runs_why:
      return {op, "", false, kWhy};
    case Op::scope_cancel:
      return {op, "ScopeCancelAsked", true, kScope};
    case Op::lanes_list:
      return {op, "", false, kLanes};
    case Op::lanes_set:
      return {op, "LaneAsked", true, kLane};
    case Op::lanes_delete:
      return {op, "", false, kLaneGone};
    case Op::projects_list:
      return {op, "", false, kProjects};
    case Op::projects_add:
      return {op, "ProjectAsked", true, kProject};
    case Op::projects_get:
      return {op, "", false, kProject};
    case Op::projects_remove:
      return {op, "", false, kProjectGone};
    case Op::projects_play:
      return {op, "RetryAsked", false, kPressed};
    case Op::projects_stop:
      return {op, "PlayStopAsked", false, kPressed};
    case Op::projects_session:
      return {op, "", false, kSession};
    case Op::projects_feed:
      return {op, "", false, kFeed};
    case Op::projects_log:
      return {op, "", false, kPlayLog};
    case Op::status:
      return {op, "", false, kStatus};
    case Op::stop:
      return {op, "StopAsked", false, kStop};
    case Op::ref_status:
      return {op, "", false, kRefStatus};
    case Op::ref_timeline:
      return {op, "", false, kTimeline};
    case Op::ref_cancel:
      return {op, "CancelAsked", false, kRefCancel};
    case Op::health:
    case Op::ready:
      return {op, "", false, kHealth};
    case Op::metrics:
      return {op, "", false, kMetrics};
    case Op::openapi:
      return {op, "", false, kOpenapi};
    case Op::tokens_create:
      return {op, "TokenAsked", false, kTokenMade};
    case Op::tokens_list:
      return {op, "", false, kTokens};
    case Op::tokens_revoke:
      return {op, "", false, kTokenRevoked};
    case Op::ui_open:
      return {op, "Nothing", false, kUi};
    case Op::login:
      return {op, "", false, kLoggedIn};
    case Op::logout:
      return {op, "Nothing", false, kLoggedOut};
    case Op::front:
      return {op, "", false, kFront};
  }
  std::unreachable();
}

constexpr auto kForms = [] {
  std::array<Form, kOperations.size()> forms;
  for (size_t i = 0; i < forms.size(); ++i) forms[i] = make(kOperations[i].op);
  return forms;
}();

}  // namespace

const Form& form_of(Op op) {
  return kForms[static_cast<size_t>(op)];
}

}  // namespace drover::wire
