// The operations of the room play: on projects, and on their plays.
#pragma once

#include "wire/area.h"

namespace drover::wire::play {

inline constexpr std::string_view kSubject = "Id of a project";

std::span<const Shape> shapes();

namespace parameters {
inline constexpr auto kSession = std::to_array<Parameter>({
    {"wait", "Wait until the play has finished, at most this long (30s)", "Duration"},
});
inline constexpr auto kFeed = std::to_array<Parameter>({
    {"after", "Return only entries after this cursor", "Cursor"},
    {"limit", "Maximum number of entries", "PageSize"},
    {"last", "If true, return the last entries instead of the first", "Flag"},
});
inline constexpr auto kLog = std::to_array<Parameter>({
    {"after", "Return only entries after the entry with this seq, of the play in `run`", "Count"},
    {"follow", "If true, return a stream of server-sent events, until the play has finished",
     "Flag"},
    {"limit", "Maximum number of entries", "PageSize"},
    {"run", "Id of the play; the latest play if not set"},
});
}  // namespace parameters

namespace headers {
inline constexpr auto kPlay = std::to_array<Header>({kIdempotencyKey});
inline constexpr auto kLog = std::to_array<Header>({
    {"Last-Event-ID",
     "Id of the last event received; takes precedence over after. An id of another play starts "
     "from the beginning"},
});
inline constexpr auto kPage = std::to_array<Header>({
    {"Drover-Run-Id", "Id of the play that the log belongs to"},
    {"Drover-Next-Seq", "Value of after for the next page"},
    {"Drover-End-Seq", "End of the log at the time of the answer"},
});
}  // namespace headers

namespace answers {
inline constexpr auto kProjects = std::to_array<Answer>({answer_ok("Projects", "All projects")});
inline constexpr auto kProject = std::to_array<Answer>({answer_ok("Project", "The project")});
inline constexpr auto kRemoved =
    std::to_array<Answer>({answer_ok("ProjectRemoved", "The project is removed")});
inline constexpr auto kPlayAnswer = std::to_array<Answer>(
    {answer_ok("PlayAnswer", "The request was ignored; `why` gives the reason"),
     {202, kJson, "PlayAnswer", "The request is recorded"}});
inline constexpr auto kSession = std::to_array<Answer>({answer_ok("Session", "The play session")});
inline constexpr auto kFeed = std::to_array<Answer>({answer_ok("Feed", "A page of entries")});
inline constexpr auto kLog = std::to_array<Answer>({
    {200, "application/x-ndjson", "PlayLogLines", "One entry per line"},
    {200, "text/event-stream", "Bytes", "A stream, with follow=true"},
    {204, "", "", "The play has finished and the client has all its entries"},
});
}  // namespace answers

inline constexpr Operation list{
    .name = "projects.list",
    .method = "GET",
    .path = "/api/projects",
    .can = Permission::read,
    .help = "List projects",
    .answers = answers::kProjects,
};
inline constexpr Operation add{
    .name = "projects.add",
    .method = "POST",
    .path = "/api/projects",
    .body = Body::json,
    .can = Permission::own,
    .help = "Register a directory with a drover.toml as a project",
    .takes = "ProjectAsked",
    .needs_body = true,
    .answers = answers::kProject,
};
inline constexpr Operation get{
    .name = "projects.get",
    .method = "GET",
    .path = "/api/projects/{project}",
    .subject = kSubject,
    .can = Permission::read,
    .help = "Show a project",
    .answers = answers::kProject,
};
inline constexpr Operation remove{
    .name = "projects.remove",
    .method = "DELETE",
    .path = "/api/projects/{project}",
    .subject = kSubject,
    .can = Permission::own,
    .help = "Remove a project, but not its directory and its runs",
    .answers = answers::kRemoved,
};
inline constexpr Operation play{
    .name = "projects.play",
    .method = "POST",
    .path = "/api/projects/{project}/play",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "Start a play of a project: its steps, then its runtime",
    .takes = "RetryAsked",
    .headers = headers::kPlay,
    .answers = answers::kPlayAnswer,
};
inline constexpr Operation stop{
    .name = "projects.stop",
    .method = "POST",
    .path = "/api/projects/{project}/stop",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::cancel,
    .help = "Stop the runtime of a project and kill all its processes",
    .takes = "PlayStopAsked",
    .answers = answers::kPlayAnswer,
    .repeatable = true,  // The request names the play.
};
inline constexpr Operation session{
    .name = "projects.session",
    .method = "GET",
    .path = "/api/projects/{project}/session",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kSession,
    .help = "Show a project's latest play session",
    .answers = answers::kSession,
};
inline constexpr Operation feed{
    .name = "projects.feed",
    .method = "GET",
    .path = "/api/projects/{project}/feed",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kFeed,
    .help = "List the changes of a project's plays",
    .answers = answers::kFeed,
};
inline constexpr Operation log{
    .name = "projects.log",
    .method = "GET",
    .path = "/api/projects/{project}/log",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kLog,
    .help = "Read the output of a play's steps and runtime in one log",
    .headers = headers::kLog,
    .answers = answers::kLog,
    .answer_headers = headers::kPage,
};

inline constexpr auto kOperations = std::to_array<const Operation*>(
    {&list, &add, &get, &remove, &play, &stop, &session, &feed, &log});
inline constexpr auto kTags =
    std::to_array<Tag>({{"projects", "Directories that are built, packed and played"}});
inline constexpr auto kShapes = std::to_array<ShapeList>({shapes});
inline constexpr Area kArea{kOperations, kTags, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::play
