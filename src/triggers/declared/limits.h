// The limits of declared triggers, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::triggers {

inline constexpr size_t kDeclaringBytesMax = 1 << 20;  // A file: a person wrote it.
// Triggers of one file: its synchronization is one commit, and a Work has some milliseconds.
inline constexpr size_t kDeclaredPerFileMax = 200;
inline constexpr size_t kDeclaringFilesMax = 500;     // In triggers.d: all are read at each change.
inline constexpr size_t kDeclarationNestingMax = 16;  // Tables in tables; some readers stop at 32.
// Problems of one file that are reported: with more, the file is something else.
inline constexpr size_t kProblemsPerFileMax = 100;
// Problems in one event or one answer: it must stay small.
inline constexpr size_t kProblemsShownMax = 50;
// A file with a problem is read again after this time: permissions, an env file or a missing
// directory may have been fixed, and the file itself has not changed.
inline constexpr std::int64_t kDeclaredRetryMs = 30'000;
// The timetable waits so long for the first synchronization: a network file system may not answer.
inline constexpr std::int64_t kFirstSyncMs = 5'000;

}  // namespace drover::triggers
