// A crash point is a named moment at which a test can kill a program: before or after each step
// that leaves something behind. This list has all of them; a name that is not listed does not
// compile, and tests/torture/ and tests/rooms/ kill a program at every one.
//
// In released programs a crash point does nothing. The programs of the torture suite are compiled
// with DROVER_CRASH_POINTS: they count each pass on a board, a file that the environment names and
// that all processes of one home share. The process that counts an armed point down to 0 is killed
// on the spot, as by kill -9.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover {

inline constexpr auto kCrashPoints = std::to_array<std::string_view>({
    // The daemon starts: it takes the home, opens its store, opens its doors.
    "daemon.home_taken",
    "migration.begun",
    "migration.written",  // Everything but the commit.
    "migration.committed",
    "daemon.store_open",
    "daemon.listening",

    // The daemon recovers what an earlier one left.
    "recovery.cradle_started",
    "recovery.brought_back",  // A directory, out of the trash.
    "recovery.trash_sorted",
    "recovery.looked",  // At a journal; nothing has been done about it yet.
    "recovery.adopted",
    "recovery.swept",        // Processes killed by their marks; the run's finish is not recorded.
    "recovery.stray_found",  // A file without a record; it still exists.
    "recovery.done",         // The doors are still closed.

    // An older database was restored: what the files know is taken up.
    "restore.noticed",       // Nothing of it is recorded yet.
    "restore.recorded",      // No run was taken up yet.
    "restore.one_taken_up",  // Of several.
    "restore.all_taken_up",  // That all are is not recorded yet.
    "restore.done",

    // A run is submitted, and the client is answered.
    "submit.file_made",     // No command in it yet.
    "submit.spec_written",  // No record yet.
    "submit.recorded",      // No keeper yet.
    "answer.ready",
    "answer.sent",

    // A project is played.
    "play.recorded",         // No script runs for it yet.
    "play.child_asked_for",  // The play has not recorded it yet.
    "play.step_ended",
    "play.prepared",
    "play.confirmed",
    "play.stop_recorded",  // No child was canceled yet.

    // A trigger is added, fires or is removed.
    "trigger.added",      // Nobody looks at it yet.
    "trigger.decided",    // It is due; nothing is recorded yet.
    "trigger.fired",      // Its row and its run are recorded.
    "trigger.removed",    // Its files still exist.
    "trigger.declaring",  // Of a file: the environments are written, and no trigger.
    "trigger.declared",   // They are recorded; nobody looks at them yet.

    // A run asks or reports, its question is closed, its files in the spool are taken up.
    "inbox.to_add",       // Nothing is recorded yet.
    "inbox.added",        // The caller has no answer yet.
    "inbox.to_close",     // By an answer or a dismissal.
    "inbox.closed",       // The caller has no answer yet.
    "inbox.to_expire",    // The deadline has passed; nothing is recorded yet.
    "inbox.expired",      // The timer is not set for the next one yet.
    "inbox.spool_read",   // Nothing of the file is recorded yet.
    "inbox.spool_taken",  // Recorded; the file still exists.

    // A follower handles an event.
    "follow.decided",   // Its action is not recorded yet.
    "follow.recorded",  // With its cursor; the follower does not know yet.

    // One transaction for all waiting writes, and one file for all transactions.
    "commit.begun",
    "commit.part_written",  // Perhaps one fact of several.
    "commit.written",       // Everything but the commit.
    "commit.durable",       // No caller was answered yet.
    "commit.generation_noted",
    "commit.told",  // Perhaps one caller of several.
    "checkpoint.begun",
    "checkpoint.done",

    // A run is claimed, launched, starts and finishes.
    "claim.recorded",   // It had waited; no keeper was requested yet.
    "review.recorded",  // Its dependencies are done; no keeper was requested yet.
    "launch.decided",
    "launch.requested",  // The cradle may not have read it.
    "start.reported",
    "start.recorded",
    "end.reported",
    "end.recorded",
    "retry.file_made",    // For the next attempt; the finish of the previous one is not recorded.
    "end.file_to_write",  // Of a run that had no keeper; its end is recorded, its caller not yet
                          // answered.
    "end.file_written",
    "environment.to_forget",  // By the daemon, because no keeper is left to do it.
    "environment.forgotten",

    // A run is canceled, moved, deleted; a lane is changed.
    "cancel.recorded",   // Its keeper was not asked to stop yet.
    "cancel.forbidden",  // No keeper may start it; the finish is not recorded.
    "cancel.told",
    "lane.recorded",  // A limit or a pause; the loop does not know yet.
    "move.recorded",
    "delete.half_moved",  // Its file but not its directory, into the trash or back.
    "delete.in_trash",    // Still recorded.
    "delete.recorded",    // Still in the trash.
    "delete.emptied",
    "prune.one_gone",        // Of several.
    "compact.part_written",  // One run of several; nothing is committed.
    "compact.step_done",     // Committed; another step may follow.

    // The cradle is asked for a keeper, or a keeper dies.
    "cradle.requests_read",
    "cradle.request_given",  // To a spare keeper.
    "cradle.forked",
    "cradle.orphans_killed",  // The daemon does not know yet.

    // The life of a keeper. A point that is passed in its child kills the keeper.
    "keeper.born",
    "journal.locked",     // Not signed yet.
    "journal.to_forbid",  // By a daemon that lets no keeper sign.
    "keeper.signed",
    "keeper.loaded",
    "spawn.in_child",
    "spawn.to_exec",
    "keeper.spawned",  // Not recorded yet.
    "keeper.started_written",
    "keeper.start_reported",
    "control.listening",
    "control.to_answer",  // The request was carried out.
    "output.folder_made",
    "output.created",  // Without its index.
    "output.index_created",
    "output.written",  // No index record covers these bytes yet.
    "output.indexed",
    "keeper.exit_seen",
    "keeper.status_written",
    "keeper.drained",        // Processes may be left.
    "sweep.group_signaled",  // No process outside the group yet.
    "keeper.stop_begun",
    "keeper.killed",
    "keeper.all_gone",
    "keeper.usage_written",
    "keeper.ending_written",
    "keeper.environment_forgotten",
    "keeper.to_report",
    "keeper.end_reported",
    "keeper.to_wait",  // For the next request.
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

// One point's cell on the board. Tests write the countdown, programs the rest.
struct CrashCell {
  std::atomic<std::uint32_t> passed;
  std::atomic<std::uint32_t> countdown;  // 1: the next process that passes is killed. 0: none is.
  std::atomic<std::uint32_t> deaths;
};
using CrashBoard = std::array<CrashCell, kCrashPoints.size()>;

inline constexpr const char* kCrashBoardVariable = "DROVER_CRASH_BOARD";

#ifdef DROVER_CRASH_POINTS
// Kills `victim`, or the caller if that is 0. A child that shares its keeper's memory names its
// keeper.
void crash_point(CrashPoint point, int victim = 0);
#else
constexpr void crash_point(CrashPoint, int = 0) {}
#endif

}  // namespace drover
