// The limits of events, filters and loops, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::triggers {

// Events.
inline constexpr size_t kEventTypeBytesMax = 128;    // One column of a table.
inline constexpr size_t kEventTypeWordsMax = 8;      // "custom.team.service.deploy" has four.
inline constexpr size_t kEventIdBytesMax = 128;      // A ULID with a prefix, or a sender's own id.
inline constexpr size_t kEventSourceBytesMax = 256;  // "hook/" and a path; "feed/" and a trigger.
inline constexpr size_t kDedupKeyBytesMax = 256;     // A uuid, a hash, a branch name.
// The text of a payload. Payloads are stored with the event, and senders of webhooks link to
// anything large.
inline constexpr size_t kPayloadBytesMax = 256 * 1024;
inline constexpr size_t kPayloadLevelsMax = 32;  // Real ones have about ten.
// The other fields of an event, and the blanks and escapes between them.
inline constexpr size_t kEventFieldsBytesMax = 16 * 1024;

// Filters.
inline constexpr size_t kFilterRulesMax = 32;          // Nobody reads a longer condition.
inline constexpr size_t kFilterFieldBytesMax = 256;    // A path into a payload.
inline constexpr size_t kFilterFieldPartsMax = 33;     // The deepest value of a payload.
inline constexpr size_t kFilterValueBytesMax = 4'096;  // `in` with a few hundred names.
inline constexpr size_t kFilterValueLevelsMax = 8;     // Values are scalars and lists of them.
inline constexpr size_t kExpressionBytesMax = 1'024;   // Longer ones are generated, not written.
// The memory of one compiled expression. RE2 refuses an expression that needs more.
inline constexpr std::int64_t kExpressionMemoryBytes = 256 * 1024;
// The work of all expressions on one event: instructions of the expression times bytes of text. At
// worst RE2 takes about 7 ns for each, so an event takes 0.2 s. An expression of 100 instructions
// (about 50 characters) can search a text as large as a payload.
inline constexpr std::uint64_t kMatchWorkMax = 32'000'000;

// Dedup.
inline constexpr std::int64_t kDedupWindowMinMs = 1'000;
// Windows of one trigger; beyond it the oldest end early. A day of an event every ten seconds.
inline constexpr std::int64_t kDedupWindowsKept = 10'000;
inline constexpr std::int64_t kDedupWindowMaxMs = 7LL * 86'400'000;  // Each key is a stored row.

// Loops.
inline constexpr size_t kChainMax = 8;  // Triggers in a row; a longer pipeline wants a plan.
// Firings of one trigger in a minute by events that runs of triggers caused. A person cannot cause
// one per second, and a batch that is started by a trigger rarely finishes more runs than that.
inline constexpr std::int64_t kCausedFiringsMax = 60;
// Firings by echoes in a row (loop_guard.h). A person who edits files while a build of them runs
// does not meet each of so many builds; a loop whose runs take a minute ends after 20 minutes.
inline constexpr std::int64_t kEchoesMax = 20;
// Firings of one trigger in a minute by any event. A loop that hides its cause, for example by
// calling a webhook, cycles in 10 to 20 ms; a slower one does not exhaust the machine.
inline constexpr std::int64_t kFiringsMax = 3'000;
inline constexpr std::int64_t kFiringRateMs = 60'000;
// Events that one caller other than the owner posts in a minute, such as a build that reports each
// of its files. Each is a commit. All of them together take as much as 128 of the largest.
inline constexpr std::int64_t kPostedPerMinuteMax = 1'200;
inline constexpr size_t kPostedBytesPerMinuteMax = 32 * 1024 * 1024;
// How long after a run its effects may still appear: file changes are debounced, disks are slow.
inline constexpr std::int64_t kEchoMs = 5'000;

}  // namespace drover::triggers
