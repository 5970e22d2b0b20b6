// The operations of the room play: projects, and how they are played.
#pragma once

#include "wire/area.h"

namespace drover::wire::play {

inline constexpr std::string_view kSubject = "the id of a project";

std::span<const Shape> shapes();

namespace parameters {
inline constexpr auto kSession = std::to_array<Parameter>({
    {"wait", "hold the answer until the session is at rest, at most this long (30s)", "Duration"},
});
inline constexpr auto kFeed = std::to_array<Parameter>({
    {"after", "only what came after this cursor", "Cursor"},
    {"limit", "how many at most", "PageSize"},
    {"last", "true: if there are more, the last of them instead of the first", "Flag"},
});
inline constexpr auto kLog = std::to_array<Parameter>({
    {"after", "only what came after the entry with this seq, of the play that `run` names",
     "Count"},
    {"follow", "true: a stream of server-sent events, until the session is at rest", "Flag"},
    {"limit", "how many at most", "PageSize"},
    {"run", "the log of this play; the latest, if it is left out"},
});
}  // namespace parameters

namespace headers {
inline constexpr auto kPlay = std::to_array<Header>({kIdempotencyKey});
inline constexpr auto kLog = std::to_array<Header>({
    {"Last-Event-ID",
     "the id of the last event that was seen; of another play: from the beginning; counts before "
     "after"},
});
inline constexpr auto kPage = std::to_array<Header>({
    {"Drover-Run-Id", "whose log it is"},
    {"Drover-Next-Seq", "of a page: for after, to go on behind it"},
    {"Drover-End-Seq", "of a page: where the log ended when it was read"},
});
}  // namespace headers

namespace answers {
inline constexpr auto kProjects = std::to_array<Answer>({answer_ok("Projects", "all of them")});
inline constexpr auto kProject = std::to_array<Answer>({answer_ok("Project", "as it is now")});
inline constexpr auto kRemoved =
    std::to_array<Answer>({answer_ok("ProjectRemoved", "it is forgotten")});
inline constexpr auto kPressed = std::to_array<Answer>(
    {answer_ok("Pressed", "ignored, and why"), {202, kJson, "Pressed", "it is on record"}});
inline constexpr auto kSession =
    std::to_array<Answer>({answer_ok("Session", "how far it has come")});
inline constexpr auto kFeed = std::to_array<Answer>({answer_ok("Feed", "a page")});
inline constexpr auto kLog = std::to_array<Answer>({
    {200, "application/x-ndjson", "PlayLogLines", "an entry a line"},
    {200, "text/event-stream", "Bytes", "a stream, with follow=true"},
    {204, "", "", "a follower has seen the end of it"},
});
}  // namespace answers

inline constexpr Operation list{
    .name = "projects.list",
    .method = "GET",
    .path = "/api/projects",
    .can = Permission::read,
    .help = "the projects that can be played",
    .answers = answers::kProjects,
};
inline constexpr Operation add{
    .name = "projects.add",
    .method = "POST",
    .path = "/api/projects",
    .body = Body::json,
    .can = Permission::own,
    .help = "make a directory with a drover.toml known as a project",
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
    .help = "what is known of a project",
    .answers = answers::kProject,
};
inline constexpr Operation remove{
    .name = "projects.remove",
    .method = "DELETE",
    .path = "/api/projects/{project}",
    .subject = kSubject,
    .can = Permission::own,
    .help = "forget a project; its directory and its runs stay",
    .answers = answers::kRemoved,
};
inline constexpr Operation play{
    .name = "projects.play",
    .method = "POST",
    .path = "/api/projects/{project}/play",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "build, validate and pack a project, and start its runtime",
    .takes = "RetryAsked",
    .headers = headers::kPlay,
    .answers = answers::kPressed,
};
inline constexpr Operation stop{
    .name = "projects.stop",
    .method = "POST",
    .path = "/api/projects/{project}/stop",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::cancel,
    .help = "kill a project's runtime and all it started",
    .takes = "PlayStopAsked",
    .answers = answers::kPressed,
    .repeatable = true,  // It names the play.
};
inline constexpr Operation session{
    .name = "projects.session",
    .method = "GET",
    .path = "/api/projects/{project}/session",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kSession,
    .help = "how far the latest play of a project has come",
    .answers = answers::kSession,
};
inline constexpr Operation feed{
    .name = "projects.feed",
    .method = "GET",
    .path = "/api/projects/{project}/feed",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kFeed,
    .help = "how the plays of a project went, an entry for each change",
    .answers = answers::kFeed,
};
inline constexpr Operation log{
    .name = "projects.log",
    .method = "GET",
    .path = "/api/projects/{project}/log",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kLog,
    .help = "what the steps and the runtime of a play printed, in one log",
    .headers = headers::kLog,
    .answers = answers::kLog,
    .answer_headers = headers::kPage,
};

inline constexpr auto kOperations = std::to_array<const Operation*>(
    {&list, &add, &get, &remove, &play, &stop, &session, &feed, &log});
inline constexpr auto kTags =
    std::to_array<Tag>({{"projects", "directories that are built, packed and played"}});
inline constexpr auto kShapes = std::to_array<ShapeList>({shapes});
inline constexpr Area kArea{kOperations, kTags, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::play
