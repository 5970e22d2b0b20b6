// The limits that a caller can reach, each with its reason. A caller that reaches one gets an error
// that names it.
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

// What is kept.
inline constexpr size_t kMessageBytesMax = 500;           // R3: a message is a sentence, not a log.
inline constexpr size_t kCommandSummaryBytesMax = 4'096;  // The whole argv is in the run's file.
inline constexpr std::int64_t kTerminalPerScopeMax = 100'000;         // R9.
inline constexpr std::int64_t kTerminalAgeMaxMs = 30LL * 86'400'000;  // R9.

// Terminals. More than the largest screen shows in its smallest letters; a screen is drawn from
// rows × columns cells of some 40 bytes each.
inline constexpr std::int64_t kTerminalRowsMax = 500;
inline constexpr std::int64_t kTerminalColumnsMax = 1'000;
// A screen is drawn from the end of the log, and from its beginning, where programs set it up.
inline constexpr size_t kScreenTailBytes = 1024 * 1024;
inline constexpr size_t kScreenHeadBytes = 64 * 1024;
inline constexpr std::uint16_t kTerminalRows = 24;  // What every program expects.
inline constexpr std::uint16_t kTerminalColumns = 80;

// Output on disk, per run (R11): half is the head, the rest the rotating tail.
inline constexpr std::uint64_t kOutputBytesMax = 1ULL << 30;
// Index records per segment: 32 MiB. Beyond it neighbours are merged, so that a byte-wise writer
// cannot make the index larger than its log.
inline constexpr std::uint32_t kIndexRecordsMax = 1U << 20;

// What a run may be limited to. Less than the least would keep every program from starting.
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
inline constexpr std::int64_t kGraceMs = 2'000;      // R7: TERM, then this, then KILL.
inline constexpr std::int64_t kDrainMs = 250;        // A grandchild may hold the pipe no longer.
inline constexpr std::int64_t kKillWaitMs = 5'000;   // After KILL only the kernel can delay an end.
inline constexpr std::int64_t kControlAfterMs = 20;  // Commands shorter than this need no socket.
inline constexpr size_t kSpareKeepersMax = 32;       // Idle ones cost memory; more at once fork.
inline constexpr std::int64_t kSpareWaitMs = 2'000;  // Then nothing short is being run here.
inline constexpr std::int64_t kWaitMaxMs = 300'000;  // One long poll; ask again after it.
// After a run shorter than this --each sends a request ahead; an input that was sent behind a
// longer one waits no longer than this before another connection takes it.
inline constexpr std::int64_t kAheadMs = 100;
inline constexpr size_t kAheadBytesMax = 32 * 1024;  // What the daemon reads ahead.
inline constexpr std::int64_t kGatherAnswersMs = 2;  // The run ahead takes about that.

// Lanes (R16).
inline constexpr std::int64_t kDefaultLaneLimit = 256;
inline constexpr std::int64_t kAppsLaneLimit = 2;
inline constexpr std::int64_t kPlayLaneLimit = 64;  // Steps and runtimes: a person waits for each.
inline constexpr std::int64_t kNewLaneLimit = 1;
inline constexpr std::int64_t kLaneLimitMax = 100'000;
inline constexpr size_t kQueuedMax = 1'000'000;  // Waiting runs; past it a refusal.

inline constexpr int kPriorityMax = 100;  // And as far below 0: more is no finer an order.

// Plans (R17).
inline constexpr size_t kDependenciesMax = 1'000;  // A last step waits for its thousand pieces.
inline constexpr int kRetriesMax = 100;            // Beyond that something is broken, not unlucky.
inline constexpr std::int64_t kBackoffMs = 1'000;  // Before the second attempt, if nobody says.
inline constexpr std::int64_t kBackoffMaxMs = 3'600'000;  // Doubling ends at an hour.

// Doors.
inline constexpr size_t kBodyBytesMax = 4 * 1024 * 1024;  // A spec with a large environment.
inline constexpr size_t kHeaderBytesMax = 32 * 1024;
inline constexpr size_t kConnectionsMax = 4'096;
inline constexpr std::int64_t kRequestArriveMs = 10'000;  // From its first byte to its last header.
inline constexpr std::int64_t kBodyStallMs = 30'000;      // Between two pieces of a body.
inline constexpr std::int64_t kIdleMs = 300'000;          // A kept connection with nothing to ask.
inline constexpr std::int64_t kWriteStallMs = 30'000;     // A reader that takes nothing.
inline constexpr std::int64_t kLingerMs = 2'000;          // To hear out a request we have refused.
inline constexpr std::int64_t kHeartbeatMs = 15'000;  // Proxies close silent streams after 30 s.
inline constexpr std::int64_t kFlushEveryMs = 50;     // A loaded stream is written no oftener.
inline constexpr int kFlushBurst = 8;                 // This many before it counts as loaded.
inline constexpr size_t kPageDefault = 100;
inline constexpr size_t kPageMax = 1'000;
inline constexpr size_t kTimelineDefault = 2'000;  // One run's whole life, nearly always.
inline constexpr size_t kTopicsMax = 100;          // Runs and scopes that one stream follows.
inline constexpr size_t kTimelineMax = 5'000;
inline constexpr size_t kInputBytesMax = 1024 * 1024;    // One `send`.
inline constexpr size_t kInputPendingMax = 1024 * 1024;  // What a keeper holds for a slow reader.
inline constexpr size_t kLogChunkBytes = 64 * 1024;      // One piece of a followed log.
inline constexpr size_t kLogReadBytesMax = 8 * 1024 * 1024;  // One answer of `logs`; ask again.

// Tokens (DESIGN: doors).
inline constexpr std::int64_t kTokenTtlMs = 86'400'000;             // A day, if nobody says.
inline constexpr std::int64_t kTokenTtlMaxMs = 366LL * 86'400'000;  // Longer is a forgotten one.
inline constexpr std::int64_t kTokensKeptMs = 30LL * 86'400'000;  // Dead ones are told of so long.
inline constexpr size_t kTokensMax = 10'000;  // All are in memory, and somebody's loop is broken.
inline constexpr std::int64_t kSessionMs = 30LL * 86'400'000;
inline constexpr std::int64_t kLoginCodeMs = 60'000;  // From a terminal to a browser.
inline constexpr size_t kLoginCodesMax = 64;          // That many clicks in a minute are no person.
inline constexpr std::uint16_t kPort = 7'777;         // Where `drover ui` begins to look.
inline constexpr int kPortsTried = 100;

// The command line's patience.
inline constexpr std::int64_t kAnswerMs = 30'000;         // Beyond what it asked to be held.
inline constexpr std::int64_t kStreamSilenceMs = 60'000;  // Several heartbeats: a dead stream.
inline constexpr std::int64_t kReadyMs = 60'000;  // A new daemon reconciles before it listens.
inline constexpr std::int64_t kOtherDaemonMs = 10'000;   // Until the one that came first listens.
inline constexpr std::int64_t kComeBackMs = 60'000;      // A restart of the daemon under us.
inline constexpr std::int64_t kComeBackPauseMs = 50;     // Between two looks for it.
inline constexpr std::int64_t kInputPauseMs = 50;        // A slow reader of its standard input.
inline constexpr std::int64_t kDetachPauseMs = 500;      // Then a detach key was just a key.
inline constexpr std::int64_t kProgressAfterMs = 1'000;  // Shorter waits need no explaining.
inline constexpr std::int64_t kRedrawMs = 100;           // Nobody reads a faster counter.
inline constexpr size_t kInputsAheadBytes = 64 << 20;    // --each reads no further ahead.
inline constexpr size_t kEachMax = 1'024;                // -j: each is a connection.
inline constexpr size_t kTomlDotsMax = 1'000;            // In keys; each is a table in a table.
inline constexpr size_t kConfigBytesMax = 1 << 20;       // A person wrote it.
inline constexpr unsigned kCompletionSeconds = 2;        // A shell that waits for Tab is stuck.
inline constexpr size_t kFailuresShown = 1'000;          // --each lists no more; `ps` has them all.

// Play.
inline constexpr size_t kProjectBytesMax = 1 << 20;   // drover.toml: a person wrote it.
inline constexpr size_t kSetupBytesMax = 64 * 1024;   // One path, and others' settings.
inline constexpr size_t kManifestFilesMax = 200'000;  // A manifest is read whole, at start.
inline constexpr std::int64_t kManifestMs = 600'000;  // A disk that hangs, a lock that is kept.
inline constexpr size_t kManifestDepthMax = 64;       // A descriptor each; deeper is a loop.
inline constexpr size_t kManifestNestingMax = 16;     // Tables in tables; some readers end at 32.
inline constexpr size_t kDiagnosticLineBytesMax = 64 << 10;  // A longer line is no sentence.
inline constexpr size_t kDiagnosticTextBytesMax = 4'096;     // Of its message, and of its file.

// Events.
inline constexpr size_t kRecentEvents = 4'096;  // Kept in memory for those who keep up.
inline constexpr std::int64_t kWorkMs = 50;     // A room's part of a commit: others wait behind it.
inline constexpr size_t kRecentRecords = 1'024;       // The same for those who wait for a run.
inline constexpr size_t kSubscriberPage = 512;        // What a subscriber reads at a time.
inline constexpr size_t kSubscriberLagMax = 100'000;  // Then it is told, and resumes.

// Writes that wait for one commit. More would make a commit long enough to notice.
inline constexpr size_t kCommitBatchMax = 1'000;
inline constexpr size_t kWriteQueueMax = 100'000;

// The database.
inline constexpr std::int64_t kDatabaseBusyMs = 5'000;  // A backup may hold it for a moment.
inline constexpr int kCheckpointPages = 1'000;          // 4 MB of log: worth an idle moment.
inline constexpr std::int64_t kCheckpointIdleMs = 20;   // Nothing came for so long: idle.
inline constexpr int kLogPagesMax = 4'096;              // 16 MB: then also under constant load.

// What a diagnosis looks at (`why`): a run that is stuck is stuck at a few places.
inline constexpr size_t kProcessesSeenMax = 64;
inline constexpr size_t kThreadsSeenMax = 64;       // Of each.
inline constexpr size_t kDescriptorsSeenMax = 256;  // Of each.
inline constexpr std::int64_t kLookAgainMs = 200;   // Between the two looks that tell CPU time.

// The receipt names at most this many processes; the rest is a count.
inline constexpr size_t kReceiptNamesMax = 8;

}  // namespace drover::limits
