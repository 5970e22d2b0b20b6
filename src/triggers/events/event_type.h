// An event type names the kind of an event: lower-case words separated by dots, such as
// `run.completed`, `file.changed` or `custom.deploy`. Types whose first word is reserved are
// produced by Drover alone, so that no program can pretend that a run has finished. Pure.
#pragma once

#include <array>
#include <string_view>

#include "base/result.h"

namespace drover::triggers {

// First words of the types that Drover produces, or may produce in a later release.
inline constexpr auto kReservedWords = std::to_array<std::string_view>(
    {"agent", "app", "daemon", "drover", "feed", "file", "hook", "lane", "page", "play", "project",
     "question", "run", "schedule", "token", "trigger", "webhook"});

// One to kEventTypeWordsMax words, each a letter followed by letters, digits, `_` or `-`.
Result<> check_event_type(std::string_view type, std::string_view param);

// The same for an event that a program posts; `reserved_type` if Drover alone produces it.
Result<> check_posted_type(std::string_view type, std::string_view param);

}  // namespace drover::triggers
