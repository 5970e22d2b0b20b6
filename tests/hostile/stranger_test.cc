// Journals that name the wrong process: a reused pid, another boot. Drover never signals the other
// process, and never reports a wrong state of the run.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/journal.h"
#include "process/fork_count.h"
#include "process/pid_ref.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

using tests::text_of;

// An unrelated, stopped process: any signal to it would be visible.
class Bystander {
 public:
  Bystander() : process_({"/bin/sleep", "1000"}, {}, "") {
    process_.signal(SIGSTOP);
    int status = 0;
    EXPECT_EQ(::waitpid(process_.pid(), &status, WUNTRACED), process_.pid());
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  bool is_untouched() const {
    const auto stat = process::look_at(process_.pid());
    return stat && stat->state == 'T';
  }
  ProcessRef ref() const { return process::ref_of(process_.pid()); }
  // The pipe that it writes to.
  struct stat output() const {
    struct stat info{};
    EXPECT_EQ(::stat(("/proc/" + std::to_string(process_.pid()) + "/fd/1").c_str(), &info), 0);
    return info;
  }

 private:
  tests::Started process_;
};

class Strangers : public AttackedFlock {
 protected:
  // A run whose daemon, cradle and keeper were killed.
  std::string orphaned_run() {
    const std::string id = flock_.run("sleep 1000");
    flock_.wait_for_state(id, "running");
    while (journal(id).text.identity->keeper.start_ticks == 0) (void)flock_.show(id);
    const Fd cradle = tests::open_pid(flock_.cradle());
    const pid_t keeper = flock_.keeper_of(id);
    const Fd gone = tests::open_pid(keeper);
    flock_.kill_daemon();
    EXPECT_EQ(::kill(keeper, SIGKILL), 0);
    tests::wait_gone(gone);
    tests::wait_gone(cradle);  // It stays until it has killed what the keeper left.
    return id;
  }
  JournalState journal(const std::string& id) {
    return read_journal_state(flock_.home().runs() + "/" + id + ".run").value();
  }
  void sign(const std::string& id, const char* boot, const ProcessRef& keeper) {
    const Fd fd(::open((flock_.home().runs() + "/" + id + ".run").c_str(), O_RDWR | O_CLOEXEC));
    IdentityRecord identity{.keeper = keeper};
    std::strncpy(identity.boot_id, boot, sizeof identity.boot_id - 1);
    EXPECT_TRUE(write_record(fd.get(), identity));
  }
  void mark(const std::string& id, std::int32_t command, const MarksRecord& marks) {
    const Fd fd(::open((flock_.home().runs() + "/" + id + ".run").c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_TRUE(write_start(fd.get(), {.command = {.pid = command}, .wall_ms = 1}, marks));
  }
};

// R7, H10: a process that has the keeper's reused pid is not ours, whatever the journal says.
TEST_F(Strangers, WithTheKeepersPidAreNotSignaled) {
  const Bystander bystander;
  const process::BootId boot = process::boot_id();
  ProcessRef later = bystander.ref();
  ++later.start_ticks;
  ProcessRef unknown = bystander.ref();
  unknown.start_ticks = 0;
  for (const ProcessRef& name : {bystander.ref(), later, unknown}) {
    const std::string id = orphaned_run();
    sign(id, boot.text, name);
    const auto record = flock_.ended(id);
    EXPECT_EQ(text_of(record, "state"), "abandoned");
    EXPECT_EQ(text_of(record, "reason"), "keeper_lost");
    EXPECT_TRUE(bystander.is_untouched());
  }
  flock_.expect_verified();
}

// H10: after another boot no process is adopted or searched for.
TEST_F(Strangers, OfAnotherBootAreNotAdopted) {
  const Bystander bystander;
  const std::string id = orphaned_run();
  sign(id, "00000000-0000-0000-0000-000000000000", bystander.ref());
  const auto record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "state"), "abandoned");
  EXPECT_EQ(text_of(record, "reason"), "host_restarted");
  EXPECT_TRUE(bystander.is_untouched());
  flock_.expect_verified();
}

// R7: a process with the number of the command's session, or with the inode of its output, is not
// the run's if its times do not fit, if somebody else started it, or if nothing proves that the
// number was not reused.
TEST_F(Strangers, WithAMarkOfTheRun) {
  const std::uint64_t before = process::ticks_now();
  const std::uint64_t forks = process::forks_since_boot();
  const Bystander bystander;
  const std::uint64_t start = bystander.ref().start_ticks;
  const struct stat output = bystander.output();
  constexpr std::int32_t kNobody = 0x3fffffff;
  const auto of_output = [&](std::uint64_t first) {
    return MarksRecord{.output = {output.st_ino, output.st_ino},
                       .device = output.st_dev,
                       .first_ticks = first,
                       .last_ticks = process::ticks_now(),
                       .forks = forks};
  };
  const auto of_session = [&](std::uint64_t first, std::uint64_t last) {
    return MarksRecord{.first_ticks = first, .last_ticks = last, .forks = forks};
  };
  // The bystander is in the session of this test, and writes to a pipe of this test.
  const std::vector<std::pair<std::int32_t, MarksRecord>> wrong{
      {kNobody, of_output(before)},     // Its parent, this test, is alive.
      {kNobody, of_output(start + 1)},  // It is older than the command.
      {::getsid(0), of_session(before, process::ticks_now())},
      {::getsid(0), of_session(0, 1)},
      {bystander.ref().pid, of_session(start + 1, start + 2)},
      {bystander.ref().pid, of_session(start - 2, start - 1)},
  };
  for (const auto& [command, marks] : wrong) {
    const std::string id = orphaned_run();
    mark(id, command, marks);
    EXPECT_EQ(text_of(flock_.ended(id), "reason"), "keeper_lost");
    EXPECT_TRUE(bystander.is_untouched());
    EXPECT_EQ(text_of(flock_.show(id), "state"), "abandoned");
  }
}

// R7: a process to which the command has passed its output is not the run's, even if it has lost
// its parent, as a server has.
TEST_F(Strangers, WithAPassedDescriptor) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  struct stat pipe{};
  ASSERT_EQ(::fstat(ends[0], &pipe), 0);
  const std::uint64_t before = process::ticks_now();
  for (const int descriptor : {1, 7}) {
    const pid_t between = ::fork();
    if (between == 0) {
      if (::fork() != 0) ::_exit(0);
      ::setsid();
      ::alarm(120);
      const pid_t self = ::getpid();
      const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      for (const int fd : {0, 1, 2}) ::dup2(null, fd);
      ::dup2(write_end.get(), descriptor);
      (void)!::write(descriptor, &self, sizeof self);
      while (true) ::pause();
    }
    ::waitpid(between, nullptr, 0);
    pid_t server = 0;
    ASSERT_EQ(::read(read_end.get(), &server, sizeof server), static_cast<ssize_t>(sizeof server));
    const Fd process = tests::open_pid(server);
    const std::string id = orphaned_run();
    mark(id, 0x3fffffff,
         {.output = {pipe.st_ino, pipe.st_ino},
          .device = pipe.st_dev,
          .first_ticks = before,
          .last_ticks = process::ticks_now()});
    EXPECT_EQ(text_of(flock_.ended(id), "reason"), "keeper_lost");
    const bool is_alive = ::kill(server, 0) == 0 && process::look_at(server)->state != 'Z';
    // With it as its standard output, it is a process of the run that has lost its parent.
    EXPECT_EQ(is_alive, descriptor == 7) << descriptor;
    ::kill(server, SIGKILL);
    tests::wait_gone(process);
  }
}

// R7: a keeper whose socket does not answer is signaled only if its identity is certain.
TEST_F(Strangers, AreNotSignaledForASilentKeeper) {
  const Bystander bystander;
  const std::string id = flock_.run("sleep 1000");
  flock_.wait_for_state(id, "running");
  while (journal(id).text.identity->keeper.start_ticks == 0) (void)flock_.show(id);
  const pid_t keeper = flock_.keeper_of(id);
  ProcessRef later = bystander.ref();
  ++later.start_ticks;
  sign(id, process::boot_id().text, later);
  ASSERT_EQ(::kill(keeper, SIGSTOP), 0);  // It answers no one.
  EXPECT_EQ(flock_.drover({"cancel", "--no-wait", id}).code, 0);
  wait_for_text(flock_.home().log(), id + "\",\"message\":\"the keeper does not answer");
  EXPECT_TRUE(bystander.is_untouched());
  ASSERT_EQ(::kill(keeper, SIGCONT), 0);  // The request is still in its socket.
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "canceled");
  EXPECT_TRUE(bystander.is_untouched());
}

}  // namespace
}  // namespace drover::hostile
