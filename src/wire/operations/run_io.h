// The operations on a run's input and output: output, input, signals, terminal, events.
#pragma once

#include "wire/operation.h"

namespace drover::wire::runs {

inline constexpr std::string_view kSubject =
    "A run: its id, a unique prefix of its id, its name if that is unique, @last or @failed";

namespace parameters {
inline constexpr auto kLogs = std::to_array<Parameter>({
    {"stream", "Only stdout or stderr; both if not set", "Stream"},
    {"tail", "Return only the last N lines", "Count"},
    {"offset", "Start at this byte of the output", "Count"},
    {"limit", "Maximum number of bytes", "Count"},
    {"format", "Format: raw (the bytes as printed) or ndjson (with stream and time)", "LogFormat"},
});
inline constexpr auto kInput = std::to_array<Parameter>({
    {"eof", "If true, close standard input after these bytes", "Flag"},
    {"rows", "With cols: size of the sender's terminal; the run's pty adopts it", "Count"},
    {"cols", "See rows", "Count"},
});
inline constexpr auto kScreen = std::to_array<Parameter>({
    {"format", "Format: text, or ansi with the escape sequences that draw it on another terminal",
     "ScreenFormat"},
});
inline constexpr auto kEvents = std::to_array<Parameter>({
    {"after", "Return only events after this cursor", "Cursor"},
    {"follow", "If true, return a stream of server-sent events", "Flag"},
    {"output", "If true, include the output in the stream", "Flag"},
    {"format", "Format of the stream: sse (server-sent events) or frames (output as raw bytes)",
     "StreamFormat"},
    {"exact",
     "If true, with frames: keep output that this client has not read yet; the run must have been "
     "started with exact_output",
     "Flag"},
    {"scope", "Only if the run is in this scope or below it"},
    {"limit", "Maximum number of entries", "PageSize"},
    {"last", "If true, return the last events instead of the first", "Flag"},
});
}  // namespace parameters

namespace headers {
inline constexpr auto kRange =
    std::to_array<Header>({{"Range", "Byte range of the output, such as bytes=0-1023"}});
inline constexpr auto kEvents =
    std::to_array<Header>({{"Last-Event-ID", "The same as after, and takes precedence over it"}});
inline constexpr auto kScreen = std::to_array<Header>({
    {"Drover-Next-Offset", "Offset of the next byte of the output"},
    {"Drover-Gap",
     "Bytes of the output that the screen is not drawn from, as from=N, to=M; may be repeated"},
});
inline constexpr auto kLogs = std::to_array<Header>({
    {"Drover-Next-Offset", "Offset of the next byte of the output"},
    {"Drover-Gap",
     "Bytes before or after this answer that are not kept, as from=N, to=M; may be repeated"},
    {"Drover-More", "JSON lines only, if true: the answer is below its limit, but there is more"},
});
}  // namespace headers

namespace answers {
inline constexpr auto kLogs = std::to_array<Answer>({
    {200, "application/octet-stream", "Bytes", "The output"},
    {200, "application/x-ndjson", "Bytes", "The output with stream and time, one piece per line"},
    {206, "application/octet-stream", "Bytes", "The requested range"},
});
inline constexpr auto kInput =
    std::to_array<Answer>({answer_ok("InputTaken", "Number of accepted bytes")});
inline constexpr auto kSignal =
    std::to_array<Answer>({answer_ok("SignalSent", "The signal was sent")});
inline constexpr auto kResize = std::to_array<Answer>({answer_ok("Resized", "The new size")});
inline constexpr auto kScreen =
    std::to_array<Answer>({{200, "text/plain", "Bytes", "The text on the screen"}});
inline constexpr auto kProgress = std::to_array<Answer>({
    answer_ok("ProgressOutcome", "The progress is recorded"),
    {202, kJson, "ProgressOutcome", "It will be recorded within a second, unless a newer one is"},
});
inline constexpr auto kEvents = std::to_array<Answer>({
    answer_ok("Events", "A page of events"),
    {200, "text/event-stream", "Bytes", "A stream, with follow=true"},
    {200, "application/vnd.drover.frames", "Bytes", "A stream, with format=frames"},
    {204, "", "", "The run has finished and the client has all its events"},
});
}  // namespace answers

inline constexpr Operation logs{
    .name = "runs.logs",
    .method = "GET",
    .path = "/api/runs/{id}/logs",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kLogs,
    .help = "Read the output of a run",
    .headers = headers::kRange,
    .answers = answers::kLogs,
    .answer_headers = headers::kLogs,
};
inline constexpr Operation input{
    .name = "runs.input",
    .method = "POST",
    .path = "/api/runs/{id}/input",
    .subject = kSubject,
    .body = Body::bytes,
    .can = Permission::run,
    .query = parameters::kInput,
    .help = "Send bytes to the standard input of a run",
    .answers = answers::kInput,
};
inline constexpr Operation signal{
    .name = "runs.signal",
    .method = "POST",
    .path = "/api/runs/{id}/signal",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::cancel,
    .help = "Send a signal to the process group of a run",
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
    .help = "Set the size of the terminal of a run",
    .takes = "ResizeAsked",
    .needs_body = true,
    .answers = answers::kResize,
};
inline constexpr Operation progress{
    .name = "runs.progress",
    .method = "POST",
    .path = "/api/runs/{id}/progress",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "Set the progress of the run that this token belongs to",
    .takes = "ProgressSaid",
    .needs_body = true,
    .answers = answers::kProgress,
    .repeatable = true,
};
inline constexpr Operation screen{
    .name = "runs.screen",
    .method = "GET",
    .path = "/api/runs/{id}/screen",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kScreen,
    .help = "Show the terminal screen of a run",
    .answers = answers::kScreen,
    .answer_headers = headers::kScreen,
};
inline constexpr Operation events{
    .name = "runs.events",
    .method = "GET",
    .path = "/api/runs/{id}/events",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kEvents,
    .help = "List the events of a run",
    .headers = headers::kEvents,
    .answers = answers::kEvents,
};

}  // namespace drover::wire::runs
