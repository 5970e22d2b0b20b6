// Every limit of Drover, with its reason. A limit that is not here does not exist; reaching one is
// a clear error, never a surprise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::limits {

// Requests.
inline constexpr size_t kArgumentsMax = 16'384;           // Far above what people type.
inline constexpr size_t kArgumentBytesMax = 128 * 1024;   // The kernel's own MAX_ARG_STRLEN.
inline constexpr size_t kSpecBytesMax = 2 * 1024 * 1024;  // The kernel's usual argv + environment.
inline constexpr size_t kEnvironmentMax = 8'192;          // Variables; a shell has about a hundred.
inline constexpr size_t kNameBytesMax = 200;              // One line of a table.
inline constexpr size_t kLabelsMax = 64;  // Labels are for finding, not for storing.
inline constexpr size_t kLabelBytesMax = 256;
inline constexpr size_t kScopeBytesMax = 256;
inline constexpr size_t kLaneBytesMax = 64;
inline constexpr size_t kKeyBytesMax = 256;     // Idempotency keys are uuids or hashes.
inline constexpr size_t kPathBytesMax = 4'096;  // PATH_MAX.
inline constexpr std::int64_t kDurationMaxMs = 3650LL * 86'400'000;  // Ten years: a typing error.

// What is kept.
inline constexpr size_t kMessageBytesMax = 500;           // R3: a message is a sentence, not a log.
inline constexpr size_t kCommandSummaryBytesMax = 4'096;  // The whole argv is in the spec file.
inline constexpr std::int64_t kTerminalPerScopeMax = 100'000;         // R9.
inline constexpr std::int64_t kTerminalAgeMaxMs = 30LL * 86'400'000;  // R9.

// Output on disk, per run (R11): half is the head, the rest the rotating tail.
inline constexpr std::uint64_t kOutputBytesMax = 1ULL << 30;
// Index records per segment: 32 MiB. Beyond it neighbours are merged, so that a byte-wise writer
// cannot make the index larger than its log.
inline constexpr std::uint32_t kIndexRecordsMax = 1U << 20;

// Times.
inline constexpr std::int64_t kGraceMs = 2'000;      // R7: TERM, then this, then KILL.
inline constexpr std::int64_t kDrainMs = 250;        // A grandchild may hold the pipe no longer.
inline constexpr std::int64_t kKillWaitMs = 5'000;   // After KILL only the kernel can delay an end.
inline constexpr std::int64_t kControlAfterMs = 20;  // Commands shorter than this need no socket.
inline constexpr std::int64_t kWaitMaxMs = 300'000;  // One long poll; ask again after it.

// Lanes (R16).
inline constexpr std::int64_t kDefaultLaneLimit = 256;
inline constexpr std::int64_t kAppsLaneLimit = 2;
inline constexpr std::int64_t kNewLaneLimit = 1;
inline constexpr std::int64_t kLaneLimitMax = 100'000;
inline constexpr size_t kQueuedMax = 1'000'000;  // Waiting runs; past it a refusal.

// Doors.
inline constexpr size_t kBodyBytesMax = 4 * 1024 * 1024;  // A spec with a large environment.
inline constexpr size_t kHeaderBytesMax = 32 * 1024;
inline constexpr size_t kConnectionsMax = 4'096;
inline constexpr size_t kPageDefault = 100;
inline constexpr size_t kPageMax = 1'000;
inline constexpr size_t kInputBytesMax = 1024 * 1024;    // One `send`.
inline constexpr size_t kInputPendingMax = 1024 * 1024;  // What a keeper holds for a slow reader.
inline constexpr size_t kLogChunkBytes = 64 * 1024;      // One piece of a followed log.
inline constexpr size_t kLogReadBytesMax = 8 * 1024 * 1024;  // One answer of `logs`; ask again.

// Events.
inline constexpr size_t kRecentEvents = 4'096;        // Kept in memory for those who keep up.
inline constexpr size_t kSubscriberPage = 512;        // What a subscriber reads at a time.
inline constexpr size_t kSubscriberLagMax = 100'000;  // Then it is told, and resumes.

// Writes that wait for one commit. More would make a commit long enough to notice.
inline constexpr size_t kCommitBatchMax = 1'000;
inline constexpr size_t kWriteQueueMax = 100'000;

// The receipt names at most this many processes; the rest is a count.
inline constexpr size_t kReceiptNamesMax = 8;

}  // namespace drover::limits
