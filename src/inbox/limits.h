// The limits of the inbox, of memories and of the spool, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::inbox {

// A question or a summary is read in a list: a paragraph, not a document.
inline constexpr size_t kTextBytesMax = 2'000;
inline constexpr size_t kContextBytesMax = 64 * 1024;  // A diff or the end of a log.
inline constexpr size_t kDataBytesMax = 64 * 1024;
// People choose by number; more choices are a search.
inline constexpr size_t kChoicesMax = 20;
inline constexpr size_t kChoiceBytesMax = 200;
inline constexpr size_t kAnswerBytesMax = 16 * 1024;  // Typed or pasted by a person.
inline constexpr size_t kKeyBytesMax = 200;
// Questions are forgotten: without another wish, for a day.
inline constexpr std::int64_t kTimeoutMs = 86'400'000;
inline constexpr std::int64_t kTimeoutMaxMs = 366LL * 86'400'000;  // A longer one means never.
// Open questions: a person answers no more, and a run that asks in a loop must not hide the others.
inline constexpr std::int64_t kOpenPerRunMax = 32;
inline constexpr std::int64_t kOpenMax = 10'000;
// Once half of the places of the inbox are taken, the runs of one scope and of those below it may
// have a quarter of them open, those of a scope within it half of that: one token leaves room.
inline constexpr std::int64_t kOpenCrowded = kOpenMax / 2;
inline constexpr std::int64_t kOpenPerScopeMax = kOpenMax / 4;
inline constexpr std::int64_t kOpenPerInnerScopeMax = kOpenMax / 8;
// Reports and closed questions of one run that are kept: the newest.
inline constexpr std::int64_t kKeptPerRun = 100;
// The same of all runs. An entry takes a kilobyte.
inline constexpr std::int64_t kKeptMax = 100'000;
// Rows that one commit expires or removes: some milliseconds.
inline constexpr size_t kRowsAtOnce = 200;
// Entries that one answer of `inbox` reads to find those of an id's beginning.
inline constexpr size_t kMatchesMax = 2;
// A memory is read at the start of every run of an app: a few pages.
inline constexpr size_t kMemoryBytesMax = 256 * 1024;
// People's editors know no limit; a larger file is refused.
inline constexpr size_t kMemoryFileBytesMax = 4 * 1024 * 1024;
inline constexpr size_t kMemoryVersionsKept = 50;  // Of each memory; the oldest are removed.
inline constexpr size_t kMemoryNameBytesMax = 64;
// After a store that could not be written, before the next try.
inline constexpr std::int64_t kStoreRetryMs = 500;
// A spool that the kernel does not watch is read so often.
inline constexpr std::int64_t kUnwatchedMs = 10'000;

}  // namespace drover::inbox
