#include "dispatch/recovery/orphans.h"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <semaphore>
#include <thread>

#include "dispatch/dispatcher_fixture.h"

namespace drover::dispatch {
namespace {

bool is_alive(pid_t pid) {
  const auto stat = process::look_at(pid);
  return stat && !process::is_zombie(*stat);
}

// The pid of a process whose parent has exited: an orphan of this process.
pid_t make_orphan() {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) ::_exit(10);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t orphan = ::fork();
    if (orphan != 0) ::_exit(::write(pipe[1], &orphan, sizeof orphan) == sizeof orphan ? 0 : 1);
    ::setsid();
    for (;;) ::pause();
  }
  pid_t orphan = 0;
  if (::read(pipe[0], &orphan, sizeof orphan) != sizeof orphan) ::_exit(11);
  ::waitpid(parent, nullptr, 0);
  return orphan;
}

// Runs in a process of its own, which has no other children. Returns the exit code.
int clear_with_a_busy_janitor() {
  drover::testing::TestDirectory directory;
  const Home home{directory.file("config"), directory.file("state"), directory.file("run")};
  if (!home.create()) return 20;
  drover::testing::ManualClock clock;
  drover::testing::TestStore store(clock);
  asio::io_context loop{1};
  const auto guard = asio::make_work_guard(loop);
  store::ReadPool reads(loop.get_executor(), store);
  bus::Bell bell(store, 0);
  spine::Spine spine(loop.get_executor(), store, bell);
  const Host host{loop.get_executor(), home, clock, reads, spine, run::only_commands()};
  RunDirectories directories(home);
  KeeperLauncher launcher(loop.get_executor(), home, DROVER_BIN "/drover-keeper", 0, "");
  const Flights flights(loop.get_executor(), launcher, clock);
  Orphans orphans(host, launcher, flights, directories);
  orphans.begin();
  const pid_t orphan = make_orphan();

  std::counting_semaphore<> gate{0};
  asio::post(directories.janitor(), [&] { gate.acquire(); });
  bool cleared = false;
  host.spawn([](Orphans& of, bool& done) -> asio::awaitable<void> {
    (void)co_await of.clear();
    done = true;
  }(orphans, cleared));
  while (loop.poll() > 0) {
  }
  // The loop has nothing else to do, and has read and killed nothing itself.
  const bool waits = is_alive(orphan) && !cleared;
  gate.release();
  while (!cleared) loop.run_one();
  if (!waits) return 1;
  return is_alive(orphan) ? 2 : 0;
}

// Orphans are searched for and killed on the janitor's thread: the loop does not wait for /proc,
// however many processes and runs there are.
TEST(Orphans, AreKilledBesideTheLoop) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(::_exit(clear_with_a_busy_janitor()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace drover::dispatch
