// A crash point is a named moment at which a test may want a program to die: before or after each
// step that leaves something behind. This is the one list of them. A name that is not here does not
// compile, and tests/torture/ dies at every one.
//
// In the programs that people run a crash point is nothing. Those of the torture suite are compiled
// with DROVER_CRASH_POINTS: there each pass is counted on a board, a file that the environment
// names and all processes of one home share, and whoever brings an armed point's countdown to
// nought is killed on the spot, as by kill -9.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover {

inline constexpr auto kCrashPoints = std::to_array<std::string_view>({
    // The daemon comes up: alone in its home, with its store, with its doors open.
    "daemon.home_taken",
    "migration.begun",
    "migration.written",  // All but the commit.
    "migration.committed",
    "daemon.store_open",
    "daemon.listening",

    // It picks up what another left.
    "recovery.cradle_started",
    "recovery.brought_back",  // A directory, from the trash.
    "recovery.trash_sorted",
    "recovery.looked",  // At a journal; nothing follows from it yet.
    "recovery.adopted",
    "recovery.swept",        // By its mark; the end is not on record.
    "recovery.stray_found",  // A directory without a record; it still stands.
    "recovery.done",         // The doors are still shut.

    // A run is taken. Whoever asked is answered.
    "submit.file_made",     // Without a command in it.
    "submit.spec_written",  // Without a record.
    "submit.recorded",      // Without a keeper.
    "answer.ready",
    "answer.sent",

    // A project is played.
    "play.recorded",         // Nobody directs it.
    "play.child_asked_for",  // The play does not know of it.
    "play.step_ended",
    "play.prepared",
    "play.confirmed",
    "play.stop_recorded",  // Nobody was told to end.

    // A follower has an event.
    "follow.decided",   // What it does about it is not on record.
    "follow.recorded",  // With its cursor; the follower does not know yet.

    // One transaction for all who wait, and one file for all transactions.
    "commit.begun",
    "commit.part_written",  // One fact of several, perhaps.
    "commit.written",       // All but the commit.
    "commit.durable",       // Nobody was told.
    "commit.told",          // One of several was, perhaps.
    "checkpoint.begun",
    "checkpoint.done",

    // A run is claimed, launched, starts, ends.
    "claim.recorded",   // It had waited; nobody has been asked.
    "review.recorded",  // What it waited for is over; nobody has been asked.
    "launch.decided",
    "launch.requested",  // The cradle may not have read it.
    "start.reported",
    "start.recorded",
    "end.reported",
    "end.recorded",
    "retry.file_made",        // Of the next attempt; the end before it is not on record.
    "environment.to_forget",  // By the daemon, for want of a keeper.
    "environment.forgotten",

    // It is steered.
    "cancel.recorded",   // Nobody was asked to stop.
    "cancel.forbidden",  // No keeper may begin it; the end is not on record.
    "cancel.told",
    "lane.recorded",  // A limit or a pause; the loop does not know yet.
    "move.recorded",
    "delete.half_moved",  // Its file, not its directory; or back again.
    "delete.in_trash",    // And still on record.
    "delete.recorded",    // And still in the trash.
    "delete.emptied",
    "prune.one_gone",  // Of several.

    // The cradle is asked for a keeper, or loses one.
    "cradle.requests_read",
    "cradle.request_given",  // To one who had waited for it.
    "cradle.forked",
    "cradle.orphans_killed",  // The daemon does not know yet.

    // A keeper's life. In the child it is the keeper who dies.
    "keeper.born",
    "journal.locked",     // Not signed.
    "journal.to_forbid",  // By a daemon that wants nobody to sign.
    "keeper.signed",
    "keeper.loaded",
    "spawn.in_child",
    "spawn.to_exec",
    "keeper.spawned",  // And nothing says so.
    "keeper.started_written",
    "keeper.start_reported",
    "control.listening",
    "control.to_answer",  // It has obeyed.
    "output.folder_made",
    "output.created",  // Without its index.
    "output.index_created",
    "output.written",  // Bytes that no record speaks of.
    "output.indexed",
    "keeper.exit_seen",
    "keeper.status_written",
    "keeper.drained",         // Somebody may be left.
    "sweep.group_signalled",  // And nobody outside it.
    "keeper.stop_begun",
    "keeper.killed",
    "keeper.all_gone",
    "keeper.usage_written",
    "keeper.ending_written",
    "keeper.environment_forgotten",
    "keeper.to_report",
    "keeper.end_reported",
    "keeper.to_wait",  // For the next one.
    "keeper.called_again",
});

class CrashPoint {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): crash_point("commit.told") is to read like that.
  consteval CrashPoint(const char* name) : index_(index_of(name)) {}

  constexpr size_t index() const { return index_; }

  static constexpr size_t index_of(std::string_view name) {
    for (size_t i = 0; i < kCrashPoints.size(); ++i) {
      if (kCrashPoints[i] == name) return i;
    }
    throw "there is no such crash point: add it to kCrashPoints";
  }

 private:
  size_t index_;
};

// One point's place on the board. Tests write the countdown, programs the rest.
struct CrashCell {
  std::atomic<std::uint32_t> passed;
  std::atomic<std::uint32_t> countdown;  // 1: the next to come by dies. 0: nobody does.
  std::atomic<std::uint32_t> deaths;
};
using CrashBoard = std::array<CrashCell, kCrashPoints.size()>;

inline constexpr const char* kCrashBoardVariable = "DROVER_CRASH_BOARD";

#ifdef DROVER_CRASH_POINTS
// `victim` is who dies; 0: the caller. A child that shares its keeper's memory names its keeper.
void crash_point(CrashPoint point, int victim = 0);
#else
constexpr void crash_point(CrashPoint, int = 0) {}
#endif

}  // namespace drover
