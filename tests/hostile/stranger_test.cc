// Journals that name the wrong process: a reused pid, another boot. Drover never signals the other
// process, and never reports a wrong state of the run.
#include <fcntl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "base/journal.h"
#include "process/pid_ref.h"
#include "tests/hostile/siege.h"

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

 private:
  tests::Started process_;
};

class Strangers : public Siege {
 protected:
  // A run whose daemon, cradle and keeper were killed.
  std::string orphaned_run() {
    const std::string id = flock_.run("sleep 1000");
    flock_.wait_for_state(id, "running");
    while (probe(id).text.identity->keeper.start_ticks == 0) (void)flock_.show(id);
    const Fd cradle = tests::open_pid(flock_.cradle());
    const pid_t keeper = flock_.keeper_of(id);
    const Fd gone = tests::open_pid(keeper);
    flock_.kill_daemon();
    EXPECT_EQ(::kill(keeper, SIGKILL), 0);
    tests::wait_gone(gone);
    tests::wait_gone(cradle);  // It stays until it has killed what the keeper left.
    return id;
  }
  Probe probe(const std::string& id) {
    return probe_journal(flock_.home().runs() + "/" + id + ".run").value();
  }
  void sign(const std::string& id, const char* boot, const ProcessRef& keeper) {
    const Fd fd(::open((flock_.home().runs() + "/" + id + ".run").c_str(), O_RDWR | O_CLOEXEC));
    IdentityRecord identity{.keeper = keeper};
    std::strncpy(identity.boot_id, boot, sizeof identity.boot_id - 1);
    EXPECT_TRUE(write_record(fd.get(), identity));
  }
};

// R7, H10: a process that has the keeper's reused pid is not ours, whatever the journal says.
TEST_F(Strangers, WithTheKeepersPid) {
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
TEST_F(Strangers, OfAnotherBoot) {
  const Bystander bystander;
  const std::string id = orphaned_run();
  sign(id, "00000000-0000-0000-0000-000000000000", bystander.ref());
  const auto record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "state"), "abandoned");
  EXPECT_EQ(text_of(record, "reason"), "host_restarted");
  EXPECT_TRUE(bystander.is_untouched());
  flock_.expect_verified();
}

// R7: a keeper whose socket does not answer is signaled only if its identity is certain.
TEST_F(Strangers, WhenAKeeperDoesNotAnswer) {
  const Bystander bystander;
  const std::string id = flock_.run("sleep 1000");
  flock_.wait_for_state(id, "running");
  while (probe(id).text.identity->keeper.start_ticks == 0) (void)flock_.show(id);
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
