// The limits of the room triggers, each with its reason. Parts with limits of their own have a
// limits.h in their directory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::triggers {

inline constexpr size_t kTriggersMax = 200'000;  // More are made by a broken loop.
// Runs of one trigger that wait behind each other (overlap: queue). More mean that it fires faster
// than it can work, and the newest would be hours old when it starts.
inline constexpr size_t kQueuedRunsMax = 100;
// Submissions of due triggers in flight at once: enough to fill a commit.
inline constexpr size_t kFiringsAtOnce = 256;
// DROVER_TRIGGER contains the event up to this size; a larger one is in a file. The kernel's limit
// for one variable is 128 KiB.
inline constexpr size_t kVariableBytesMax = 32 * 1024;
// Events that one Work accepts: each takes some ten statements, and a Work has 50 ms.
inline constexpr size_t kAcceptedPerWork = 32;
// Files with large events of one trigger; the oldest are removed.
inline constexpr size_t kEventFilesKept = 200;
// How long a poll may take before it is tried again: many times the longest fetch and its queue.
inline constexpr std::int64_t kPollLeaseMs = 600'000;
// The list of changes in one event: below the limit of a payload. The count is always of all.
inline constexpr size_t kFileChangesBytesMax = 128 * 1024;
// Of a stored list of files, how much one Work writes: a few milliseconds.
inline constexpr size_t kStateBytesPerWork = 1024 * 1024;
// How often the daemon looks for an update of the tz database: such an update is announced days
// before it has an effect.
inline constexpr std::int64_t kZoneCheckMs = 3'600'000;
// A smaller step of the clock is its usual correction.
inline constexpr std::int64_t kClockSetBackMs = 1'000;
// After a store that could not be written, before the next try.
inline constexpr std::int64_t kStoreRetryMs = 500;

}  // namespace drover::triggers
