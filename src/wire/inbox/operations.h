// The operations of the inbox.
#pragma once

#include "wire/area.h"
#include "wire/inbox/memory_operations.h"

namespace drover::wire::inbox {

inline constexpr std::string_view kSubject =
    "Id of an entry of the inbox, or its beginning if that is unique";
inline constexpr std::string_view kRun = "Id, name or the beginning of the id of a run";

std::span<const Shape> shapes();

namespace parameters {
inline constexpr auto kList = std::to_array<Parameter>({
    {"all", "If true, also return reports and closed questions", "Flag"},
    {"run", "Only entries of this run"},
    {"app", "Only entries of this app"},
    {"type", "Only this type, such as output", "InboxType"},
    {"before", "Return only entries before this one: the next page", "Count"},
    {"limit", "Maximum number of entries", "PageSize"},
});
inline constexpr auto kGet = std::to_array<Parameter>({
    {"wait", "Wait until the question is closed, at most this long (30s)", "Duration"},
});
}  // namespace parameters

namespace headers {
inline constexpr auto kKey = std::to_array<Header>({
    {"Idempotency-Key", "Idempotency key: repeating it with the same body returns the same entry"},
});
}  // namespace headers

namespace answers {
inline constexpr auto kEntries =
    std::to_array<Answer>({answer_ok("InboxEntries", "A page of entries, newest first")});
inline constexpr auto kEntry = std::to_array<Answer>({answer_ok("InboxEntry", "The entry")});
inline constexpr auto kAdded =
    std::to_array<Answer>({{202, kJson, "InboxEntry", "The entry is recorded"}});
}  // namespace answers

inline constexpr Operation list{
    .name = "inbox.list",
    .method = "GET",
    .path = "/api/inbox",
    .can = Permission::read,
    .query = parameters::kList,
    .help = "List open questions, newest first",
    .answers = answers::kEntries,
};
inline constexpr Operation get{
    .name = "inbox.get",
    .method = "GET",
    .path = "/api/inbox/{entry}",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kGet,
    .help = "Show a question or a report",
    .answers = answers::kEntry,
};
inline constexpr Operation answer{
    .name = "inbox.answer",
    .method = "POST",
    .path = "/api/inbox/{entry}/answer",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "Answer a question",
    .takes = "AnswerGiven",
    .needs_body = true,
    .answers = answers::kEntry,
    .repeatable = true,
};
inline constexpr Operation dismiss{
    .name = "inbox.dismiss",
    .method = "POST",
    .path = "/api/inbox/{entry}/dismiss",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "Close a question without an answer",
    .takes = "NoFields",
    .answers = answers::kEntry,
    .repeatable = true,
};
inline constexpr Operation withdraw{
    .name = "inbox.withdraw",
    .method = "POST",
    .path = "/api/inbox/{entry}/withdraw",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::run,
    .help = "Withdraw a question of the run of this token",
    .takes = "NoFields",
    .answers = answers::kEntry,
    .repeatable = true,
};
inline constexpr Operation ask{
    .name = "inbox.ask",
    .method = "POST",
    .path = "/api/runs/{id}/questions",
    .subject = kRun,
    .body = Body::json,
    .can = Permission::run,
    .help = "Ask people a question for the run of this token",
    .takes = "QuestionAsked",
    .needs_body = true,
    .headers = headers::kKey,
    .answers = answers::kAdded,
};
inline constexpr Operation report{
    .name = "inbox.report",
    .method = "POST",
    .path = "/api/runs/{id}/reports",
    .subject = kRun,
    .body = Body::json,
    .can = Permission::run,
    .help = "Report to people for the run of this token",
    .takes = "ReportMade",
    .needs_body = true,
    .headers = headers::kKey,
    .answers = answers::kAdded,
};

inline constexpr auto kOperations =
    std::to_array<const Operation*>({&list, &get, &answer, &dismiss, &withdraw, &ask, &report,
                                     &memory::list, &memory::get, &memory::put, &memory::log});
inline constexpr auto kTags =
    std::to_array<Tag>({{"inbox", "Questions to people, and reports"},
                        {"memory", "Texts that runs of apps keep for the next run"}});
inline constexpr auto kShapes = std::to_array<ShapeList>({shapes});
inline constexpr Area kArea{kOperations, kTags, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::inbox
