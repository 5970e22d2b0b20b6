// How a new daemon handles everything that the last one left: records, journals, directories,
// processes.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <latch>

#include "dispatch/dispatcher_fixture.h"
#include "process/pid_ref.h"

namespace drover::dispatch {
namespace {

using run::State;

class RestorerTest : public RunDispatcherTest {
 protected:
  // A fact that the last daemon recorded before it died, without acting on it.
  void write(store::Write fact) {
    std::latch told(1);
    store_.write(std::move(fact), [&](const Result<store::Written>& written) {
      EXPECT_TRUE(written);
      told.count_down();
    });
    told.wait();
  }

  // A run that was recorded and claimed, but not launched: the last daemon died in between.
  RunId left_starting(Submission submission) {
    const RunId id = ids_.next();
    EXPECT_TRUE(process::write_command(home_.run_file(id), {.argv = submission.spec.argv,
                                                            .environment = {"PATH=/usr/bin:/bin"},
                                                            .cwd = "/",
                                                            .grace_ms = 2'000,
                                                            .output_bytes_max = 1 << 20}));
    write(run::Submitted{.record = run::first_record(submission.spec, id, clock_.wall_ms(), {}),
                         .key = "",
                         .digest = ""});
    EXPECT_EQ(find(id).state, State::starting);
    return id;
  }
  // A file of a submission, or of a record, that is not in the store.
  void left_unrecorded(const RunId& id) {
    process::Command command;
    command.argv = {"true"};
    EXPECT_TRUE(process::write_command(home_.run_file(id), command));
  }
  // A keeper of that boot claims the run, writes `words` into its journal, and dies.
  void claim(const RunId& id, const char* boot, auto words) {
    const Fd file(::open(home_.run_file(id).c_str(), O_RDWR | O_CLOEXEC));
    IdentityRecord identity{.keeper = {.pid = 4711}};
    std::strncpy(identity.boot_id, boot, sizeof identity.boot_id - 1);
    EXPECT_TRUE(claim_journal(file.get(), identity).value_or(false));
    words(file.get());
  }
  RunId left_running(const char* boot, auto words) {
    const RunId id = left_starting(shell("exit 0"));
    write(run::Started{.id = id, .at = clock_.wall_ms()});
    claim(id, boot, words);
    return id;
  }
  bool may_begin(const RunId& id) {
    const Fd file(::open(home_.run_file(id).c_str(), O_RDWR | O_CLOEXEC));
    return claim_journal(file.get(), {.keeper = {.pid = 4711}}).value_or(false);
  }
  bool is_there(const std::string& path) { return std::filesystem::exists(path); }

  // A moment ago: older than all ids of the next daemon.
  const drover::testing::ManualClock earlier_{SystemClock().wall_ms() - 1'000};
  IdMaker ids_{earlier_};
};

// A daemon does not wait for the cgroup of a dead keeper: it tells the kernel to kill what is in
// it, opens its doors, and looks again until it is gone. The cgroup of an active run is left alone.
TEST_F(RestorerTest, DoesNotWaitForStrayCgroups) {
  const RunId active = submit(shell("sleep 1000"));
  until(active, [](const run::Record& r) { return r.state == State::running; });
  const std::string place = directory_.file("cgroups");
  const std::string stray = place + "/" + ids_.next().str();
  const std::string used = place + "/" + active.str();
  std::filesystem::create_directories(stray);
  std::filesystem::create_directories(used);
  std::ofstream(stray + "/somebody") << "is in it";
  close_world();
  world_.emplace(home_, clock_, breaking_, *options_.kinds,
                 process::CgroupPlace{.directory = place});
  ASSERT_TRUE(world_->await(world_->dispatcher.recover(breaking_)));
  const RunId next = submit(shell("exit 0"));  // The doors are open.
  until_true([&] { return is_there(stray + "/cgroup.kill"); });
  EXPECT_TRUE(is_there(stray));
  std::filesystem::remove(stray + "/somebody");  // The kill has worked.
  std::filesystem::remove(stray + "/cgroup.kill");
  until_true([&] { return !is_there(stray); });
  EXPECT_TRUE(is_there(used));
  until_ended(next);
  cancel(active, 0);
  until_ended(active);
}

// A process with the mark of a run, as every process of a run has.
class Marked {
 public:
  explicit Marked(const RunId& id) {
    std::string mark = "DROVER_RUN_ID=" + id.str(), program = "sleep", time = "1000";
    char* argv[] = {program.data(), time.data(), nullptr};
    char* environment[] = {mark.data(), nullptr};
    EXPECT_EQ(::posix_spawn(&pid_, "/bin/sleep", nullptr, nullptr, argv, environment), 0);
  }
  ~Marked() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;
  bool is_alive() const { return process::look_at(pid_)->state != 'Z'; }

 private:
  pid_t pid_ = 0;
};

// R6: a cancel that was recorded but not sent is sent by the next daemon.
TEST_F(RestorerTest, RepeatsARecordedCancel) {
  const RunId id = submit(shell("sleep 1000"));
  until(id, [](const run::Record& r) { return r.state == State::running; });
  write(run::CancelRequested{id});
  reopen_world();
  EXPECT_EQ(until_ended(id).state, State::canceled);
}

// R16: limits are remembered, and a slot that is free when the daemon returns is given.
TEST_F(RestorerTest, GivesFreeSlotsToWaitingRuns) {
  const RunId living = submit(shell("sleep 1000", "l"));
  const RunId second = submit(shell("sleep 1000", "l"));
  const RunId third = submit(shell("sleep 1000", "l"));
  const RunId fourth = submit(shell("exit 0", "l"));
  until(living, [](const run::Record& r) { return r.state == State::running; });
  write(store::LaneSet{"l", 3});
  reopen_world();
  for (const RunId& id : {second, third}) {
    until(id, [](const run::Record& r) { return r.state == State::running; });
  }
  EXPECT_EQ(find(living).state, State::running);
  EXPECT_EQ(find(fourth).state, State::queued);
  for (const RunId& id : {fourth, third, second, living}) cancel(id, 0);
  for (const RunId& id : {third, second, living}) until_ended(id);
}

// A start that was not reported is recorded once the keeper is found.
TEST_F(RestorerTest, RecordsAnUnreportedStart) {
  const RunId id = submit(shell("sleep 1000"));
  while (!read_journal_state(home_.run_file(id))->text.started) ::sched_yield();
  EXPECT_EQ(find(id).state, State::starting);
  reopen_world();
  const run::Record running =
      until(id, [](const run::Record& r) { return r.state == State::running; });
  EXPECT_EQ(running.started_at, read_journal_state(home_.run_file(id))->text.started->wall_ms);
  cancel(id, 0);
  until_ended(id);
}

// The same for a keeper that had claimed the run but not started its command when the daemon
// returned.
TEST_F(RestorerTest, RecordsAStartAfterRecovery) {
  const RunId id = left_starting(shell("exit 0"));
  const Fd file(::open(home_.run_file(id).c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_TRUE(claim_journal(file.get(), {.keeper = {.pid = 4711}}).value_or(false));
  reopen_world();
  EXPECT_EQ(find(id).state, State::starting);
  EXPECT_TRUE(write_record(file.get(), StartedRecord{.command = {.pid = 4712}, .wall_ms = 17}));
  const auto running = until(id, [](const run::Record& r) { return r.state == State::running; });
  EXPECT_EQ(running.started_at, 17);
}

// H10: a run that was claimed but not started is started, even if a daemon had forbidden it and
// died before it recorded that.
TEST_F(RestorerTest, StartsAnUnstartedRun) {
  const RunId untouched = left_starting(shell("exit 3"));
  const RunId forbidden = left_starting(shell("exit 4"));
  ASSERT_TRUE(forbid_launch(home_.run_file(forbidden)).value());
  reopen_world();
  EXPECT_EQ(until_ended(untouched).exit_code, 3);
  EXPECT_EQ(until_ended(forbidden).exit_code, 4);
}

// A waiting run whose journal could not be read for a while is claimed and launched like any other.
TEST_F(RestorerTest, LooksAgainAtAWaitingRun) {
  write(store::LaneSet{"l", 0});
  const RunId waiting = submit(shell("exit 3", "l"));
  const RunId starting = left_starting(shell("exit 0"));
  close_world();
  const std::string away = directory_.file("away");
  std::filesystem::rename(home_.runs(), away);
  std::ofstream(home_.runs()) << "no directory";
  world_.emplace(home_, clock_, breaking_);
  ASSERT_TRUE(world_->await(world_->dispatcher.recover(breaking_)));
  std::filesystem::remove(home_.runs());
  std::filesystem::rename(away, home_.runs());
  until_ended(starting);  // It is restored after the other one.
  EXPECT_EQ(find(waiting).state, State::queued);
  ASSERT_TRUE(world_->await(world_->dispatcher.lanes().set({"l", 1})));
  EXPECT_EQ(until_ended(waiting).exit_code, 3);
}

// R6, H10: a run that must not start any more is forbidden before that is recorded: a late keeper
// finds the file claimed.
TEST_F(RestorerTest, ForbidsARunThatMustNotStart) {
  Submission unwanted = shell("exit 0");
  unwanted.spec.on_restart = run::OnRestart::fail;
  const RunId failing = left_starting(std::move(unwanted));
  const RunId canceled = left_starting(shell("exit 0"));
  write(run::CancelRequested{canceled});
  reopen_world();
  EXPECT_EQ(until_ended(failing).reason, run::Reason::host_restarted);
  EXPECT_EQ(until_ended(canceled).state, State::canceled);
  EXPECT_FALSE(may_begin(failing));
  EXPECT_FALSE(may_begin(canceled));
}

// A keeper that died during its sweep had written the status: the status counts, and the remaining
// processes are killed before the finish is recorded.
TEST_F(RestorerTest, AStatusWithoutAnEndingCounts) {
  const RunId id = left_running(process::boot_id().text, [](int journal) {
    EXPECT_TRUE(write_record(journal, StatusRecord{.exited = 1, .exit_code = 11, .wall_ms = 900}));
  });
  const Marked left_over(id);
  reopen_world();
  EXPECT_EQ(until_ended(id).exit_code, 11);
  EXPECT_FALSE(left_over.is_alive());
}

// A keeper that finds the run claimed exits, and the record of the other keeper is used.
TEST_F(RestorerTest, UsesTheRecordOfAnotherKeeper) {
  const RunId first = submit(shell("sleep 1000"));
  until(first, [](const run::Record& r) { return r.state == State::running; });
  const pid_t cradle = cradle_of(first);
  ASSERT_EQ(::kill(cradle, SIGSTOP), 0);
  const RunId id = submit(shell("echo never"));
  claim(id, process::boot_id().text, [](int journal) {
    EXPECT_TRUE(write_record(journal, StatusRecord{.exited = 1, .exit_code = 5, .wall_ms = 900}));
  });
  ASSERT_EQ(::kill(cradle, SIGCONT), 0);
  EXPECT_EQ(until_ended(id).exit_code, 5);
  EXPECT_FALSE(is_there(home_.run_directory(id) + "/output"));
  cancel(first, 0);
  until_ended(first);
}

// If the journal has no status, the reason is keeper_lost, and the run's processes are killed;
// after another boot it is host_restarted, and nothing is signaled: no process of it can be left.
TEST_F(RestorerTest, SignalsNothingAfterAnotherBoot) {
  const RunId lost = left_running(process::boot_id().text, [](int) {});
  const RunId older = left_running("another boot", [](int) {});
  const Marked orphan(lost), stranger(older);
  reopen_world();
  EXPECT_EQ(until_ended(lost).reason, run::Reason::keeper_lost);
  EXPECT_FALSE(orphan.is_alive());
  EXPECT_EQ(until_ended(older).reason, run::Reason::host_restarted);
  EXPECT_TRUE(stranger.is_alive());
}

// R15: a daemon that died right after a finish left the environment; the next one removes it.
TEST_F(RestorerTest, ForgetsTheEnvironmentOfAJustFinishedRun) {
  const RunId id = left_starting(shell("exit 0"));
  write(run::Ended{.id = id, .ending = run::NeverStarted{}});
  EXPECT_TRUE(read_file(home_.run_file(id), 1 << 20)->contains("PATH="));
  reopen_world();
  world_->loop.restart();
  world_->loop.poll();
  close_world();  // Waits for its janitor.
  EXPECT_FALSE(read_file(home_.run_file(id), 1 << 20)->contains("PATH="));
  EXPECT_TRUE(read_file(home_.run_file(id), 1 << 20)->contains("/bin/sh"));
}

// R8: a deletion that was not recorded is undone; one that was is completed.
TEST_F(RestorerTest, SortsTheTrash) {
  const RunId kept = submit(shell("echo words"));
  until_ended(kept);
  const RunId gone = ids_.next();
  const std::string trash = home_.trash() + "/";
  std::filesystem::rename(home_.run_file(kept), trash + kept.str() + ".run");
  std::filesystem::rename(home_.run_directory(kept), trash + kept.str());
  left_unrecorded(gone);
  EXPECT_TRUE(may_begin(gone));  // As of every finished run.
  std::filesystem::rename(home_.run_file(gone), trash + gone.str() + ".run");
  std::filesystem::create_directory(trash + gone.str());
  ASSERT_TRUE(replace_file(trash + gone.str() + "/output", ""));
  reopen_world();
  EXPECT_TRUE(is_there(home_.run_file(kept)));
  EXPECT_TRUE(is_there(home_.run_directory(kept) + "/output"));
  close_world();  // Waits for its janitor.
  EXPECT_TRUE(std::filesystem::is_empty(home_.trash()));
  EXPECT_FALSE(is_there(home_.run_directory(gone)) || is_there(home_.run_file(gone)));
  world_.emplace(home_, clock_, breaking_);
}

// A file whose submission was never recorded is removed; one of a waiting run stays, and so does
// one that a keeper had claimed: a person should look.
TEST_F(RestorerTest, RemovesStrayFiles) {
  const RunId living = submit(shell("sleep 1000", "l"));
  const RunId waiting = submit(shell("exit 0", "l"));
  const RunId stray = ids_.next(), begun = ids_.next();
  left_unrecorded(stray);
  left_unrecorded(begun);
  EXPECT_TRUE(may_begin(begun));
  reopen_world();
  until_true([&] { return !is_there(home_.run_file(stray)); });
  EXPECT_TRUE(is_there(home_.run_file(begun)));
  EXPECT_TRUE(is_there(home_.run_file(waiting)));
  cancel(living, 0);
  EXPECT_EQ(until_ended(waiting).state, State::completed);
}

}  // namespace
}  // namespace drover::dispatch
