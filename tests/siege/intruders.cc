// Runs turn against their own keeper, which belongs to the same user: they write into its
// descriptors, take its report socket out of it, take its descriptors away. That costs at most this
// run.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <boost/json/array.hpp>

#include "tests/siege/attack.h"
#include "tests/siege/connections.h"

namespace drover::siege {
namespace {

constexpr int kDescriptorsMax = 64;

// Too short for a header; a header that promises more; a kind that does not exist.
constexpr auto kJunk =
    std::to_array<const char*>({"x", "0123456789abcdef", R"(\020\0\0\0\077\0\0\0aaaaaaaa)"});

void write_junk(Target& target, tests::SeededRandom& random) {
  const std::string junk = kJunk[static_cast<size_t>(random.below(kJunk.size()))];
  (void)target.ended(target.submit(
      {"/bin/sh", "-c",
       "for pipe in /proc/$PPID/fd/*; do test -p $pipe && printf '" + junk + "' > $pipe; done"}));
}

// Only root can do this: a keeper is not dumpable.
void send_junk(Target& target, tests::SeededRandom& random) {
  const std::string den = target.census.plant_den();
  const std::string id = target.submit({DROVER_BIN "/zoo_animal", "own_session", den});
  if (!target.is_ready(id, den)) return;
  const Fd keeper = tests::open_pid(target.flock.keeper_of(id));
  for (int number = 3; number < kDescriptorsMax; ++number) {
    const Fd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, keeper.get(), number, 0)));
    int type = 0;
    socklen_t size = sizeof type;
    if (!copy || ::getsockopt(copy.get(), SOL_SOCKET, SO_TYPE, &type, &size) != 0) continue;
    if (type == SOCK_SEQPACKET) say(copy, kJunk[static_cast<size_t>(random.below(kJunk.size()))]);
  }
  (void)target.ask({.method = "POST", .target = "/api/runs/" + id + "/cancel"});
  const tests::DaemonAnswer record = target.ended(id);
  EXPECT_EQ(Census::alive_in(den), std::vector<std::string>{}) << record.text;
}

void limit_keeper(Target& target, tests::SeededRandom& random) {
  constexpr auto kLimits = std::to_array<const char*>(
      {"--nofile=4:4", "--nproc=1:1", "--fsize=64:64", "--as=4096:4096", "--cpu=1:1"});
  const std::string limit = kLimits[static_cast<size_t>(random.below(kLimits.size()))];
  (void)target.ended(target.submit({"/bin/sh", "-c", "prlimit --pid $PPID " + limit}));
}

constexpr auto kAll = std::to_array<Attack>({
    {"junk in a keeper's pipes", write_junk},
    {"junk in the report socket", send_junk},
    {"limits for a keeper", limit_keeper},
});

}  // namespace

std::span<const Attack> intruders() {
  return kAll;
}

}  // namespace drover::siege
