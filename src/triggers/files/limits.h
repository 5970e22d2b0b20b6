// The limits of file triggers, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::triggers {

// Patterns. A match takes at most (bytes of the path) x (bytes of the pattern) steps; these bounds
// keep that in microseconds for real patterns and in milliseconds for hostile ones.
inline constexpr size_t kGlobBytesMax = 1'024;
inline constexpr size_t kGlobPartsMax = 60;         // Below 64: a set of parts is one word.
inline constexpr size_t kGlobAlternativesMax = 64;  // After {a,b}{c,d}… are multiplied out.
inline constexpr size_t kGlobsMax = 64;             // Globs of one trigger.
inline constexpr size_t kIgnoreRulesMax = 256;      // Ignore rules of one trigger.
// A .gitignore file. The largest published templates have 10 KB; a larger file is not read, and a
// warning says so.
inline constexpr size_t kIgnoreFileBytesMax = 256 * 1024;

// The root of a trigger: the longest path that Linux accepts.
inline constexpr size_t kRootBytesMax = 4'095;

// A walk. A matching file takes about 100 bytes of memory for as long as its trigger exists.
inline constexpr size_t kFilesMax = 100'000;
// Entries that one walk reads, whether they match or not: a walk through so many takes seconds.
inline constexpr size_t kEntriesMax = 1'000'000;
inline constexpr size_t kDepthMax = 100;  // Directories within directories; one descriptor each.

// Inotify watches of the daemon. Each takes about 1 KB of kernel memory. Trees beyond it are
// polled.
inline constexpr size_t kWatchesMax = 65'536;
inline constexpr size_t kTreesMax = 10'000;  // File triggers of the daemon.

// Bytes of events that the loop reads in one turn: about 1,500 events, a few milliseconds.
inline constexpr size_t kEventBytesPerTurn = 64 * 1024;

// Settling. 500 ms is longer than the pauses of a compiler or a download that writes a file.
inline constexpr std::int64_t kSettleMs = 500;
inline constexpr std::int64_t kSettleMsMax = 10 * 60'000;  // Then a person thinks it is broken.
// Paths that wait for their settling; beyond it the changes become one coalesced event.
inline constexpr size_t kPendingMax = 10'000;
// A coalesced event is reported after this time even if the tree never becomes quiet.
inline constexpr std::int64_t kCoalesceMsMax = 10'000;
// Changes that one batch lists. A longer batch is coalesced: it has the total and these.
inline constexpr size_t kChangesMax = 1'000;

// Inspections of trees that run at once; more of them wait. The workers also serve people.
inline constexpr size_t kInspectionsAtOnce = 2;

// Polling of a tree without inotify: at least this long between two walks, and long enough that
// walks take at most a twentieth of the time.
inline constexpr std::int64_t kPollMs = 2'000;
inline constexpr std::int64_t kPollCostFactor = 20;
// A polled tree tries inotify again after this time: the limit may have been raised.
inline constexpr std::int64_t kWatchRetryMs = 60'000;
// After a walk that failed, for example because the tree has too many files.
inline constexpr std::int64_t kWalkRetryMs = 10'000;
// Changed mounts are inspected this much later, so that many changes at once cost one inspection.
inline constexpr std::int64_t kMountsMs = 500;

}  // namespace drover::triggers
