// The fixture of the disk tests: a daemon whose state is on a disk that can fail.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "tests/disk/failing_disk.h"
#include "tests/harness.h"

namespace drover::tests {

class DiskTest : public ::testing::Test {
 protected:
  void SetUp() override { disk_.holds(flock_.home().state); }
  void TearDown() override { disk_.repair(); }

  // Starts a daemon on the failing disk; returns its pid.
  pid_t start_daemon() {
    pid_t pid = 0;
    disk_.within([&] { pid = flock_.daemon(); });
    return pid;
  }

  void wait_for_refusal() {
    pollfd poll{.fd = disk_.refusal_fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&poll, 1, 60'000), 1) << "the disk refused nothing";
  }
  // Waits until the disk has refused a call or `program` has exited. Returns whether it refused
  // one.
  bool refuses_before_end_of(const Started& program) {
    const Fd end(static_cast<int>(::syscall(SYS_pidfd_open, program.pid(), 0)));
    pollfd polls[2] = {{.fd = disk_.refusal_fd(), .events = POLLIN, .revents = 0},
                       {.fd = end.get(), .events = POLLIN, .revents = 0}};
    EXPECT_GE(::poll(polls, 2, 60'000), 1) << "the program did not exit, and no call was refused";
    return disk_.refusals() > 0;
  }

  // Expects an error with advice for people and a reason for programs.
  void expect_refused(const Output& output, const std::string& advice) {
    EXPECT_EQ(output.code, 125) << output.out << output.err;
    EXPECT_NE(output.err.find(advice), std::string::npos) << output.err;
  }

  FailingDisk disk_;  // Before the flock: it must answer until the last program is gone.
  Flock flock_;
};

}  // namespace drover::tests
