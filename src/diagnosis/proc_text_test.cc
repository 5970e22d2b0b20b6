#include "diagnosis/proc_text.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "diagnosis/look.h"

namespace drover::diagnosis {
namespace {

// The call of a blocked thread is read with its arguments; a running thread has none.
TEST(ProcText, ReadsASystemCall) {
  const auto call = parse_syscall("0 0x3 0x7fed 0x20000 0x0 0xffffffff 0x0 0x7ffd 0x7fed\n");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->number, 0);
  EXPECT_EQ(call->arguments[0], 3U);
  EXPECT_EQ(call->arguments[2], 0x20000U);
  for (const char* none : {"running\n", "", "-1 0x7ffd 0x7fed\n", "x 0x1 0x1 0x1 0x1 0x1 0x1 0x1",
                           "-1 0x3 0x7fed 0x20000 0x0 0xffffffff 0x0 0x7ffd 0x7fed\n"}) {
    EXPECT_FALSE(parse_syscall(none)) << none;
  }
  EXPECT_EQ(call_name(SYS_read), "read");
  EXPECT_EQ(call_name(9999), "syscall 9999");
  EXPECT_TRUE(takes_descriptor("recvfrom"));
  for (const char* none : {"futex", "poll", "wait4", "syscall 9999"}) {
    EXPECT_FALSE(takes_descriptor(none)) << none;
  }
}

// Only waits are read, each with its holder. The lock of an open file description has no holder.
TEST(ProcText, ReadsLockWaits) {
  const auto waits = parse_lock_waits(
      "1: POSIX  ADVISORY  READ 12 fe:00:1 128 128\n"
      "2: FLOCK  ADVISORY  WRITE 100 fe:00:7 0 EOF\n"
      "2: -> FLOCK  ADVISORY  WRITE 200 fe:00:7 0 EOF\n"
      "2: -> FLOCK  ADVISORY  WRITE 201 fe:00:7 0 EOF\n"
      "3: OFDLCK ADVISORY  WRITE -1 fe:00:8 0 EOF\n"
      "3: -> POSIX  ADVISORY  WRITE 300 fe:00:8 0 EOF\n"
      "nonsense\n\n4:\n");
  ASSERT_EQ(waits.size(), 3U);
  EXPECT_EQ(waits[0].waiter, 200);
  EXPECT_EQ(waits[0].holder, 100);
  EXPECT_EQ(waits[0].kind, "flock");
  EXPECT_EQ(waits[1].waiter, 201);
  EXPECT_EQ(waits[1].holder, 100);
  EXPECT_EQ(waits[2].kind, "posix");
  EXPECT_EQ(waits[2].holder, 0);
}

// A socket's description has its protocol, both addresses and its state.
TEST(ProcText, ReadsSockets) {
  std::map<std::uint64_t, std::string> known;
  parse_internet(
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0 0 77 1\n"
      "   1: 0100007F:1538 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0 0 78 1\n"
      "   2: 0100007F:1538 0100007F:C350 06 00000000:00000000 00:00000000 00000000     0 0 0 1\n",
      "tcp", known);
  parse_internet(
      "0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 08 0:0 0:0 0 "
      "0 0 79 1\n",
      "tcp", known);
  parse_unix(
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "0000000000000000: 00000002 00000000 00010000 0005 01 80 /run/x.sock\n"
      "0000000000000000: 00000003 00000000 00000000 0001 03 81\n",
      known);
  EXPECT_EQ(known[77], "tcp 127.0.0.1:5432, listening");
  EXPECT_EQ(known[78], "tcp 127.0.0.1:5432 → 127.0.0.1:50000, established");
  EXPECT_EQ(known[79], "tcp ::1:80 → :::0, CLOSE_WAIT");
  EXPECT_EQ(known[80], "unix /run/x.sock");
  EXPECT_EQ(known[81], "unix");
  EXPECT_EQ(known.size(), 5U);
}

// The descriptors that an epoll watches, and the number after a name, are read.
TEST(ProcText, ReadsEpollAndNumbers) {
  EXPECT_EQ(parse_epoll("pos:\t0\ntfd:        5 events: 19 data: 5\ntfd:       12 events: 1\n"),
            (std::vector<int>{5, 12}));
  EXPECT_EQ(number_after("rchar: 1\nread_bytes: 4096\n", "read_bytes:"), 4096);
  EXPECT_FALSE(number_after("rchar: 1\n", "read_bytes:"));
}

// Against the real kernel: a child that reads a pipe is seen blocked in read, at that pipe.
TEST(Look, SeesAChildBlockedOnAPipe) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  Fd read_end(pipe[0]), write_end(pipe[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe[1]);
    char c = 0;
    ::_exit(::read(pipe[0], &c, 1) == 0 ? 0 : 1);
  }
  const auto reads = [&](const Scene& scene) {
    for (const Process& process : scene.processes) {
      if (process.pid != child || process.threads.empty()) continue;
      const Thread& thread = process.threads[0];
      return thread.state == 'S' && thread.call && thread.call->name == "read" &&
             thread.call->targets.size() == 1 && thread.call->targets[0].name.starts_with("pipe:[");
    }
    return false;
  };
  Scene scene = look(::getpid(), child, Depth::whole);
  while (!scene.blind && !reads(scene)) scene = look(::getpid(), child, Depth::whole);
  EXPECT_TRUE(scene.blind || reads(scene));
  EXPECT_FALSE(scene.keeper_pipes.empty());
  EXPECT_GE(usage_of(scene).processes, 1);
  write_end.close();
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace drover::diagnosis
