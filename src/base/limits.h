// The numeric limits, defaults and waiting times of the core, the doors and the keepers, each with
// its reason. Rooms have limits of their own (play/limits.h). A caller that exceeds a limit on
// requests gets an error that names it.
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
inline constexpr std::ptrdiff_t kScopePartsMax = 16;  // Each is a row for every event below it.
inline constexpr size_t kLaneBytesMax = 64;
inline constexpr size_t kKeyBytesMax = 256;     // Idempotency keys are uuids or hashes.
inline constexpr size_t kPathBytesMax = 4'096;  // PATH_MAX.
inline constexpr std::int64_t kDurationMaxMs = 3650LL * 86'400'000;  // Ten years: a typing error.

// Stored data.
inline constexpr size_t kMessageBytesMax = 500;           // R3: a message is a sentence, not a log.
inline constexpr size_t kCommandSummaryBytesMax = 4'096;  // The whole argv is in the run's file.
inline constexpr std::int64_t kFinishedPerScopeMax = 100'000;         // R9.
inline constexpr std::int64_t kFinishedAgeMaxMs = 30LL * 86'400'000;  // R9.
// How long the events of a removed run stay: a client that reconnects within it misses nothing.
inline constexpr std::int64_t kRemovedEventsMs = 3'600'000;
// How long an idempotency key outlives its run's submission. Clients repeat a request for minutes.
inline constexpr std::int64_t kKeyAgeMaxMs = 7LL * 86'400'000;
// Events that are not about runs: the newest of each sort of subject (lane, token …) stay.
inline constexpr std::int64_t kEventsOfSortMax = 1'000;
// One step of compaction: some milliseconds, because other writes wait for it.
inline constexpr std::int64_t kCompactedRunsMax = 50;       // Some 40 µs each.
inline constexpr std::int64_t kCompactionLooksMax = 2'000;  // Rows that it only reads.

// Terminals: more than the largest screen shows in its smallest font. A screen is drawn from rows ×
// columns cells of about 40 bytes each.
inline constexpr std::int64_t kTerminalRowsMax = 500;
inline constexpr std::int64_t kTerminalColumnsMax = 1'000;
// A screen is drawn from the start of the output, where programs set it up, and from its end.
inline constexpr size_t kScreenTailBytes = 1024 * 1024;
inline constexpr size_t kScreenHeadBytes = 64 * 1024;
inline constexpr std::uint16_t kTerminalRows = 24;  // The size that every program expects.
inline constexpr std::uint16_t kTerminalColumns = 80;

// Output on disk, per run (R11): half is the head, the rest the rotating tail.
inline constexpr std::uint64_t kOutputBytesMax = 1ULL << 30;
// Output beyond the limit that an exact reader has not read yet is kept until it has, up to this
// much. Then the command waits, as it would for a full pipe.
inline constexpr std::uint64_t kOutputReserveBytes = 64ULL << 20;
// The smallest segment of an output with an exact reader: smaller ones are more work for the file
// system than for the command. After the run, the tail is cut to the limit.
inline constexpr std::uint64_t kOutputReserveSegmentBytes = 1ULL << 20;
// Index records per segment: 32 MiB. Beyond that, neighbors are merged, so that a program that
// prints byte by byte cannot make the index larger than the output.
inline constexpr std::uint32_t kIndexRecordsMax = 1U << 20;

// Bounds of resource limits. Below a minimum no program could start.
inline constexpr std::uint64_t kMemoryBytesMin = 4ULL << 20;
inline constexpr std::uint64_t kMemoryBytesMax = 1ULL << 50;  // A petabyte: a typing error.
inline constexpr std::uint32_t kCpuMilliMin = 10;             // The kernel's least quota is 1 ms.
inline constexpr std::uint32_t kCpuMilliMax = 1'000'000;
inline constexpr std::uint32_t kPidsMax = 4'194'304;  // The kernel's PID_MAX_LIMIT.
inline constexpr std::int32_t kNiceMin = -20;
inline constexpr std::int32_t kNiceMax = 19;
inline constexpr std::uint64_t kOutputLimitMin = 4'096;       // A head and two segments of pages.
inline constexpr std::uint64_t kOutputLimitMax = 1ULL << 40;  // A terabyte.

// Times.
inline constexpr std::int64_t kGraceMs = 2'000;  // TERM, this pause, then KILL (R7).
// A store that has not recorded a cancel after this time hangs: the run is stopped first.
inline constexpr std::int64_t kCancelRecordMs = 2'000;
inline constexpr std::int64_t kDrainMs = 250;       // How long a grandchild may keep the pipe open.
inline constexpr std::int64_t kKillWaitMs = 5'000;  // After KILL only the kernel can delay the end.
inline constexpr std::int64_t kReaderAwayMs = 30'000;  // For an exact reader to come back.
inline constexpr std::int64_t kControlAfterMs = 20;    // Shorter commands need no socket.
inline constexpr size_t kSpareKeepersMax = 32;         // Idle ones cost memory; beyond this, fork.
// Idle for so long: no short commands are running.
inline constexpr std::int64_t kSpareWaitMs = 2'000;
inline constexpr std::int64_t kWaitMaxMs = 300'000;  // One long poll; ask again after it.
// After a run shorter than this, --each sends a request ahead. An input that was sent behind a
// longer run waits this long at most before another connection takes it.
inline constexpr std::int64_t kAheadMs = 100;
inline constexpr size_t kAheadBytesMax = 32 * 1024;  // The bytes that the daemon reads ahead.
inline constexpr std::int64_t kGatherAnswersMs = 2;  // About the duration of the run ahead.

// Lanes (R16).
inline constexpr std::int64_t kDefaultLaneLimit = 256;
inline constexpr std::int64_t kAppsLaneLimit = 2;
inline constexpr std::int64_t kNewLaneLimit = 1;
inline constexpr std::int64_t kLaneLimitMax = 100'000;
inline constexpr size_t kQueuedMax = 1'000'000;  // Waiting runs; more are refused.

inline constexpr int kPriorityMax = 100;  // From -100; a finer order is useless.

// Plans (R17).
inline constexpr size_t kDependenciesMax = 1'000;  // A last step waits for a thousand others.
inline constexpr int kRetriesMax = 100;            // More failures than that are not bad luck.
inline constexpr std::int64_t kBackoffMs = 1'000;  // Before the second attempt, by default.
inline constexpr std::int64_t kBackoffMaxMs = 3'600'000;  // The doubling stops at an hour.

// Doors.
inline constexpr size_t kBodyBytesMax = 4 * 1024 * 1024;  // A spec with a large environment.
inline constexpr size_t kHeaderBytesMax = 32 * 1024;
inline constexpr size_t kConnectionsMax = 4'096;
inline constexpr std::int64_t kRequestArriveMs = 10'000;  // From its first byte to its last header.
inline constexpr std::int64_t kBodyStallMs = 30'000;      // Between two pieces of a body.
inline constexpr std::int64_t kBodyArriveMs = 120'000;    // A whole body; 4 MiB at 35 kB/s.
// Strangers: TCP connections that have not authenticated (api/http/places.h). Each has a descriptor
// (three with TLS), one head of a request, and time until that is complete.
inline constexpr size_t kStrangersMax = 256;               // Descriptors; about 24 MB of heads.
inline constexpr std::int64_t kStrangerMs = 10'000;        // From accept to the last header.
inline constexpr size_t kStrangerBodyBytesMax = 4 * 1024;  // A logout has `{}`.
// If all their places are taken, the stranger that came first is disconnected, once it had this
// time: enough for a handshake over a slow network.
inline constexpr std::int64_t kStrangerTurnMs = 500;
inline constexpr std::int64_t kIdleMs = 300'000;       // A kept connection without requests.
inline constexpr std::int64_t kWriteStallMs = 30'000;  // A client that reads nothing.
inline constexpr std::int64_t kLingerMs = 2'000;       // To read the rest of a refused request.
inline constexpr std::int64_t kHeartbeatMs = 15'000;   // Proxies close silent streams after 30 s.
inline constexpr std::int64_t kFlushEveryMs = 50;      // A busy stream is written no more often.
inline constexpr int kFlushBurst = 8;                  // Writes before a stream counts as busy.
inline constexpr size_t kPageDefault = 100;
inline constexpr size_t kPageMax = 1'000;
inline constexpr size_t kTimelineDefault = 2'000;  // Nearly always one run's whole life.
inline constexpr size_t kTopicsMax = 100;          // Runs and scopes that one stream follows.
inline constexpr size_t kTimelineMax = 5'000;
inline constexpr size_t kInputBytesMax = 1024 * 1024;    // One `send`.
inline constexpr size_t kInputPendingMax = 1024 * 1024;  // Buffered by a keeper for a slow reader.
inline constexpr size_t kLogChunkBytes = 64 * 1024;      // One piece of followed output.
// One answer of `logs`: of output, and of its text as JSON; then ask again.
inline constexpr size_t kLogReadBytesMax = 8 * 1024 * 1024;
// Pieces that one read of an output returns. A program that prints byte by byte makes a piece of
// each; 65,536 are 6 MB in memory, and 8 MB as JSON.
inline constexpr size_t kOutputPiecesMax = 65'536;

// Tokens (docs/access.md).
inline constexpr std::int64_t kTokenTtlMs = 86'400'000;  // A day, by default.
// A longer one would be forgotten.
inline constexpr std::int64_t kTokenTtlMaxMs = 366LL * 86'400'000;
// Expired and revoked ones stay listed.
inline constexpr std::int64_t kTokensKeptMs = 30LL * 86'400'000;
inline constexpr size_t kTokensMax = 10'000;  // All are in memory; more come from a broken loop.
inline constexpr std::int64_t kBrowserSessionMs = 30LL * 86'400'000;  // Then log in again.
// Without a request for so long, a browser session ends: a browser that nobody uses any more.
inline constexpr std::int64_t kBrowserSessionIdleMs = 3LL * 86'400'000;
// The use of a browser session is stored no more often: each is a commit.
inline constexpr std::int64_t kBrowserSessionNoteMs = 600'000;
inline constexpr std::int64_t kLoginCodeMs = 60'000;  // From a terminal to a browser.
inline constexpr size_t kLoginCodesMax = 64;          // No person clicks more often in a minute.
inline constexpr std::uint16_t kPort = 7'777;         // The first port that `drover ui` tries.
inline constexpr int kPortsTried = 100;

// Quotas of a token: how much a caller other than the owner may take from all others. Two tokens of
// one scope share them: runs and bytes are counted in it and below it, lanes in the scope itself.
inline constexpr std::int64_t kQuotaRunsMax = 1'000;        // Queued and active.
inline constexpr std::int64_t kQuotaLanesMax = 16;          // New ones; until they are removed.
inline constexpr int kQuotaPriorityMax = 0;                 // Never before the owner's runs.
inline constexpr std::int64_t kQuotaBytesMax = 16LL << 30;  // Of output that is kept.
// Output of a run below it does not count: adding up the smallest ones would delay every writer.
inline constexpr std::int64_t kQuotaBytesSeenMin = 64 << 10;
inline constexpr size_t kQuotaStreamsMax = 64;  // Open at once; each event costs work in each.

// How long the command line waits.
inline constexpr std::int64_t kAnswerMs = 30'000;  // In addition to the wait it asked for.
// After several heartbeats the stream is dead.
inline constexpr std::int64_t kStreamSilenceMs = 60'000;
inline constexpr std::int64_t kReadyMs = 60'000;        // A new daemon recovers before it listens.
inline constexpr std::int64_t kOtherDaemonMs = 10'000;  // Wait for the other daemon to listen.
inline constexpr std::int64_t kComeBackMs = 60'000;     // For a restart of the daemon.
inline constexpr std::int64_t kComeBackPauseMs = 50;    // Between two connection attempts.
inline constexpr std::int64_t kInputPauseMs = 50;  // Between two tries if the command reads slowly.
inline constexpr std::int64_t kDetachPauseMs = 500;  // After it a detach key was an ordinary key.
inline constexpr std::int64_t kProgressAfterMs = 1'000;  // Shorter waits need no explanation.
inline constexpr std::int64_t kRedrawMs = 100;           // Nobody can read a faster counter.
inline constexpr size_t kInputsAheadBytes = 64 << 20;    // --each reads no further ahead.
inline constexpr size_t kEachMax = 1'024;                // -j: each uses a connection.
inline constexpr size_t kTomlDotsMax = 1'000;            // In keys; each is a nested table.
inline constexpr size_t kConfigBytesMax = 1 << 20;       // A person wrote it.
inline constexpr unsigned kCompletionSeconds = 2;        // A shell that waits for Tab looks stuck.
inline constexpr size_t kFailuresShown = 1'000;          // --each lists no more; `ps` lists all.

// Events.
inline constexpr size_t kRecentEvents = 4'096;  // In memory, for subscribers that keep up.
// Refused and repeated cancels and deletes of one run that are reported by an event, of each type.
// A loop must not grow the log; `/metrics` counts them all.
inline constexpr std::int64_t kRefusalsReportedMax = 16;
// Progress (R12). A text is a sentence, not a log.
inline constexpr size_t kProgressTextBytesMax = 500;
// Reports of one run that are recorded; each is a commit. Those in between are merged.
inline constexpr std::int64_t kProgressEveryMs = 1'000;
// Progress events kept per run: the newest. A loop must not grow the log.
inline constexpr std::int64_t kProgressKept = 8;
// Shorter runs report no growth of their output.
inline constexpr std::int64_t kGrowthAfterMs = 1'000;
inline constexpr std::int64_t kGrowthEveryMs = 10'000;  // A person looks no more often.
// Runs whose output one stream follows: each is a watch of the kernel and a part of every cursor.
inline constexpr size_t kOutputRunsMax = 64;
inline constexpr std::int64_t kWorkMs = 50;  // A room's part of a commit; other writes wait for it.
inline constexpr size_t kRecentRecords = 1'024;       // In memory, for clients that wait for a run.
inline constexpr size_t kSubscriberPage = 512;        // Events that a subscriber reads at a time.
inline constexpr size_t kSubscriberLagMax = 100'000;  // Then the subscriber must resume.

// Writes that wait for one commit. More would make a commit long enough to notice.
inline constexpr size_t kCommitBatchMax = 1'000;
inline constexpr size_t kWriteQueueMax = 100'000;

// The database.
inline constexpr size_t kEpochsMax = 1'000;  // Starts of the daemon; older cursors keep no epoch.
inline constexpr size_t kRestoresMax = 100;  // Restored databases that are remembered.
inline constexpr size_t kRunEndBytesMax = 256 * 1024;   // A file of one end; a receipt is a few KB.
inline constexpr std::int64_t kDatabaseBusyMs = 5'000;  // A backup may lock it for a moment.
inline constexpr int kCheckpointPages = 1'000;          // 4 MB of WAL: worth an idle moment.
inline constexpr std::int64_t kCheckpointIdleMs = 20;   // Without a write for so long: idle.
inline constexpr int kWalPagesMax = 4'096;              // At 16 MB, checkpoint even under load.

// Work beside the loop (work/pool.h). The loop itself only translates: a request that takes longer
// than this bound in one piece keeps all other clients waiting, and `drover status` reports it.
inline constexpr std::int64_t kLoopTurnMs = 100;
inline constexpr size_t kReadersMax = 4;  // Threads with a read connection each.
// Page cache of a read connection. The kernel caches the file as well; SQLite's default of 2 MB for
// each connection would make the daemon grow with every page that somebody reads.
inline constexpr int kReaderCacheKb = 512;
inline constexpr size_t kWorkersMax = 4;          // Threads for screens, output and files.
inline constexpr size_t kWorkWaitingMax = 1'024;  // Waiting requests of all callers; 25 MB of them.
inline constexpr size_t kWorkWaitingPerCaller = 256;  // So that one caller cannot fill the line.
// Memory of the jobs that run at once and need a lot: a screen of the largest size takes 40 MB.
inline constexpr size_t kScreenBytesMax = 40 << 20;
inline constexpr size_t kWorkBytesMax = 2 * kScreenBytesMax;
// CPU time of one read of the store; a page of a large store takes milliseconds.
inline constexpr std::int64_t kReadMs = 10'000;
// CPU time of one screen, one search through an output, one export.
inline constexpr std::int64_t kWorkerTurnMs = 20'000;
inline constexpr int kReadRepeats = 2;  // After the writer interrupted it; then it may finish.

// How much a diagnosis (`why`) looks at: a stuck run is stuck in a few places.
inline constexpr size_t kProcessesSeenMax = 64;
inline constexpr size_t kThreadsSeenMax = 64;       // Of each.
inline constexpr size_t kDescriptorsSeenMax = 256;  // Of each.
inline constexpr std::int64_t kLookAgainMs = 200;   // Between two samples of CPU time.

// The receipt names at most this many processes; the rest is a count.
inline constexpr size_t kReceiptNamesMax = 8;

}  // namespace drover::limits
