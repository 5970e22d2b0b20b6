// What goes in and out of a run while it runs: its output, its input, signals, its terminal, its
// events.
#pragma once

#include "wire/operation.h"

namespace drover::wire::runs {

inline constexpr std::string_view kSubject =
    "a run: its id, its name if no other of yours has it, a unique prefix of its id, @last or "
    "@failed";

namespace parameters {
inline constexpr auto kLogs = std::to_array<Parameter>({
    {"stream", "stdout or stderr; both if not given", "Stream"},
    {"tail", "only the last N lines", "Count"},
    {"offset", "begin at this byte of the log", "Count"},
    {"limit", "at most this many bytes", "Count"},
    {"format", "raw (bytes as they were) or ndjson (with stream and time)", "LogFormat"},
});
inline constexpr auto kInput = std::to_array<Parameter>({
    {"eof", "true: close standard input after these bytes", "Flag"},
    {"rows", "with cols: the terminal they were typed at; a pty takes its size on", "Count"},
    {"cols", "see rows", "Count"},
});
inline constexpr auto kScreen = std::to_array<Parameter>({
    {"format", "text, or ansi: what draws it on another terminal", "ScreenFormat"},
});
inline constexpr auto kEvents = std::to_array<Parameter>({
    {"after", "only what came after this cursor", "Cursor"},
    {"follow", "true: a stream of server-sent events", "Flag"},
    {"output", "true: a run's own stream carries its output too", "Flag"},
    {"scope", "only if it is of this scope or below it"},
    {"limit", "how many at most", "PageSize"},
    {"last", "true: if there are more, the last of them instead of the first", "Flag"},
});
}  // namespace parameters

namespace headers {
inline constexpr auto kRange = std::to_array<Header>({{"Range", "bytes=0-1023, of the log"}});
inline constexpr auto kEvents =
    std::to_array<Header>({{"Last-Event-ID", "as after; counts before it"}});
inline constexpr auto kNextOffset =
    std::to_array<Header>({{"Drover-Next-Offset", "the byte of the log to go on at"}});
}  // namespace headers

namespace answers {
inline constexpr auto kLogs = std::to_array<Answer>({
    {200, "application/octet-stream", "Bytes", "what it printed"},
    {200, "application/x-ndjson", "Bytes", "the same with stream and time, a piece a line"},
    {206, "application/octet-stream", "Bytes", "the range that was asked for"},
});
inline constexpr auto kInput =
    std::to_array<Answer>({answer_ok("InputTaken", "how many bytes were taken")});
inline constexpr auto kSignal = std::to_array<Answer>({answer_ok("SignalSent", "it was sent")});
inline constexpr auto kResize = std::to_array<Answer>({answer_ok("Resized", "its size now")});
inline constexpr auto kScreen =
    std::to_array<Answer>({{200, "text/plain", "Bytes", "what one would see"}});
inline constexpr auto kEvents = std::to_array<Answer>({
    answer_ok("Events", "a page"),
    {200, "text/event-stream", "Bytes", "a stream, with follow=true"},
    {204, "", "", "a follower has seen the end of this run"},
});
}  // namespace answers

inline constexpr Operation logs{
    .name = "runs.logs",
    .method = "GET",
    .path = "/api/runs/{id}/logs",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kLogs,
    .help = "what a run printed",
    .headers = headers::kRange,
    .answers = answers::kLogs,
    .answer_headers = headers::kNextOffset,
};
inline constexpr Operation input{
    .name = "runs.input",
    .method = "POST",
    .path = "/api/runs/{id}/input",
    .subject = kSubject,
    .body = Body::bytes,
    .can = Permission::run,
    .query = parameters::kInput,
    .help = "bytes for a run's standard input",
    .answers = answers::kInput,
};
inline constexpr Operation signal{
    .name = "runs.signal",
    .method = "POST",
    .path = "/api/runs/{id}/signal",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::cancel,
    .help = "send a signal to a run's process group",
    .takes = "SignalAsked",
    .needs_body = true,
    .answers = answers::kSignal,
};
inline constexpr Operation resize{
    .name = "runs.resize",
    .method = "POST",
    .path = "/api/runs/{id}/resize",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "set the size of a run's terminal",
    .takes = "ResizeAsked",
    .needs_body = true,
    .answers = answers::kResize,
};
inline constexpr Operation screen{
    .name = "runs.screen",
    .method = "GET",
    .path = "/api/runs/{id}/screen",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kScreen,
    .help = "what a run's terminal shows",
    .answers = answers::kScreen,
    .answer_headers = headers::kNextOffset,
};
inline constexpr Operation events{
    .name = "runs.events",
    .method = "GET",
    .path = "/api/runs/{id}/events",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kEvents,
    .help = "what happened to a run",
    .headers = headers::kEvents,
    .answers = answers::kEvents,
};

}  // namespace drover::wire::runs
