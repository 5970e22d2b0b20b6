// The operations of the room triggers.
#pragma once

#include "wire/area.h"

namespace drover::wire::triggers {

inline constexpr std::string_view kSubject = "Name of a trigger";

std::span<const Shape> shapes();

namespace parameters {
inline constexpr auto kList = std::to_array<Parameter>({
    {"after", "Return only triggers whose names come after this one"},
    {"limit", "Maximum number of triggers", "PageSize"},
});
inline constexpr auto kNext = std::to_array<Parameter>({
    {"count", "How many times (default 5)", "Count"},
});
inline constexpr auto kHistory = std::to_array<Parameter>({
    {"before", "Return only entries before this number: the next page", "Count"},
    {"limit", "Maximum number of entries", "PageSize"},
});
inline constexpr auto kWhy = std::to_array<Parameter>({
    {"at", "The due time, or the time of an event, to explain (default: the latest one)", "Time"},
});
}  // namespace parameters

namespace answers {
inline constexpr auto kTriggers =
    std::to_array<Answer>({answer_ok("Triggers", "A page of triggers, sorted by name")});
inline constexpr auto kTrigger = std::to_array<Answer>({answer_ok("Trigger", "The trigger")});
inline constexpr auto kRemoved =
    std::to_array<Answer>({answer_ok("TriggerRemoved", "The trigger is removed")});
inline constexpr auto kFired =
    std::to_array<Answer>({answer_ok("LedgerEntry", "The entry of the ledger, with the run")});
inline constexpr auto kNext =
    std::to_array<Answer>({answer_ok("NextTimes", "The next due times, in order")});
inline constexpr auto kHistory =
    std::to_array<Answer>({answer_ok("Ledger", "A page of the ledger, newest first")});
inline constexpr auto kWhy =
    std::to_array<Answer>({answer_ok("TriggerWhy", "The entry or the reason why there is none")});
inline constexpr auto kTest =
    std::to_array<Answer>({answer_ok("Trial", "The checks, and the run that would start")});
inline constexpr auto kPosted =
    std::to_array<Answer>({{202, kJson, "EventAccepted", "The event is recorded"}});
inline constexpr auto kHook =
    std::to_array<Answer>({answer_ok("LedgerEntry", "The delivery was received before; its entry"),
                           {202, kJson, "LedgerEntry", "The delivery is recorded; its entry"}});
}  // namespace answers

inline constexpr Operation list{
    .name = "triggers.list",
    .method = "GET",
    .path = "/api/triggers",
    .can = Permission::read,
    .query = parameters::kList,
    .help = "List triggers",
    .answers = answers::kTriggers,
};
inline constexpr Operation add{
    .name = "triggers.add",
    .method = "POST",
    .path = "/api/triggers",
    .body = Body::json,
    .can = Permission::own,
    .help = "Create a trigger, which starts a command by time or event",
    .takes = "TriggerAsked",
    .needs_body = true,
    .answers = answers::kTrigger,
};
inline constexpr Operation get{
    .name = "triggers.get",
    .method = "GET",
    .path = "/api/triggers/{trigger}",
    .subject = kSubject,
    .can = Permission::read,
    .help = "Show a trigger, its next due time and its totals",
    .answers = answers::kTrigger,
};
inline constexpr Operation edit{
    .name = "triggers.edit",
    .method = "PUT",
    .path = "/api/triggers/{trigger}",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::own,
    .help = "Change fields of a trigger; null restores a default",
    .takes = "TriggerChange",
    .needs_body = true,
    .answers = answers::kTrigger,
};
inline constexpr Operation remove{
    .name = "triggers.remove",
    .method = "DELETE",
    .path = "/api/triggers/{trigger}",
    .subject = kSubject,
    .can = Permission::own,
    .help = "Remove a trigger and its ledger; its runs stay",
    .answers = answers::kRemoved,
};
inline constexpr Operation pause{
    .name = "triggers.pause",
    .method = "POST",
    .path = "/api/triggers/{trigger}/pause",
    .subject = kSubject,
    .can = Permission::own,
    .help = "Pause a trigger",
    .answers = answers::kTrigger,
    .repeatable = true,
};
inline constexpr Operation resume{
    .name = "triggers.resume",
    .method = "POST",
    .path = "/api/triggers/{trigger}/resume",
    .subject = kSubject,
    .can = Permission::own,
    .help = "Resume a paused trigger",
    .answers = answers::kTrigger,
    .repeatable = true,
};
inline constexpr Operation fire{
    .name = "triggers.fire",
    .method = "POST",
    .path = "/api/triggers/{trigger}/fire",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::own,
    .help = "Fire a trigger now",
    .takes = "FireAsked",
    .answers = answers::kFired,
};
inline constexpr Operation next{
    .name = "triggers.next",
    .method = "GET",
    .path = "/api/triggers/{trigger}/next",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kNext,
    .help = "Show the next due times of a trigger",
    .answers = answers::kNext,
};
inline constexpr Operation history{
    .name = "triggers.history",
    .method = "GET",
    .path = "/api/triggers/{trigger}/history",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kHistory,
    .help = "List what became of a trigger's due times and events",
    .answers = answers::kHistory,
};
inline constexpr Operation why{
    .name = "triggers.why",
    .method = "GET",
    .path = "/api/triggers/{trigger}/why",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kWhy,
    .help = "Explain why a trigger ran, or did not run, at a time",
    .answers = answers::kWhy,
};

inline constexpr Operation test{
    .name = "triggers.test",
    .method = "POST",
    .path = "/api/triggers/{trigger}/test",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::read,
    .help = "Show what a time or an event would do, and do nothing",
    .takes = "TrialAsked",
    .answers = answers::kTest,
    .repeatable = true,
};

inline constexpr Operation emit{
    .name = "triggers.emit",
    .method = "POST",
    .path = "/api/events",
    .body = Body::json,
    .can = Permission::run,
    .help = "Post an event, on which triggers fire",
    .takes = "EventPosted",
    .needs_body = true,
    .answers = answers::kPosted,
};

inline constexpr Operation hook{
    .name = "triggers.hook",
    .method = "POST",
    .path = "/hooks/{hook}",
    .subject = "Path of a webhook; it may have several segments, as in github/site",
    .body = Body::any,
    .can = Permission::anyone,
    .help = "Post a signed webhook, on which its trigger fires",
    .body_bytes_max = 256 * 1024,
    .answers = answers::kHook,
    .takes_rest = true,
};

inline constexpr auto kOperations =
    std::to_array<const Operation*>({&list, &add, &get, &edit, &remove, &pause, &resume, &fire,
                                     &next, &history, &why, &test, &emit, &hook});
inline constexpr auto kTags =
    std::to_array<Tag>({{"triggers", "Schedules and events that start runs"}});
inline constexpr auto kShapes = std::to_array<ShapeList>({shapes});
inline constexpr Area kArea{kOperations, kTags, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::triggers
