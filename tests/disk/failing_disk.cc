#include "tests/disk/failing_disk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <future>
#include <span>

#include "tests/disk/pending_call.h"

namespace drover::tests {
namespace {

// Installs a filter that asks about each call in the list and allows all others: for the calling
// thread and everything that it starts, permanently.
Fd ask_from_here(std::span<const int> calls) {
  std::vector<sock_filter> program{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const int call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog text{.len = static_cast<unsigned short>(program.size()), .filter = program.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Signals must not interrupt a waiting call, as they do not interrupt a real write.
  constexpr unsigned kFlags =
      SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  return Fd(static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &text)));
}

}  // namespace

FailingDisk::FailingDisk()
    : refused_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), stop_(::eventfd(0, EFD_CLOEXEC)) {}

FailingDisk::~FailingDisk() {
  ::eventfd_write(stop_.get(), 1);
  for (std::thread& listener : listeners_) listener.join();
}

void FailingDisk::holds(const std::string& directory) {
  const std::lock_guard lock(mutex_);
  directory_ = directory;
}

void FailingDisk::within(const std::function<void()>& start) {
  std::promise<Fd> listening;
  std::promise<void> go;
  std::thread inside([&] {
    listening.set_value(ask_from_here(calls_that_change_files()));
    go.get_future().wait();
    start();
  });
  // Our thread must not be a child of the filtered thread, or it would ask itself.
  Fd listener = listening.get_future().get();
  EXPECT_TRUE(listener) << "this kernel does not let us answer for system calls (seccomp user "
                           "notification, errno "
                        << errno << "): these tests need it";
  if (listener) {
    listeners_.emplace_back([this, fd = std::move(listener)] { listen(fd); });
  }
  go.set_value();
  inside.join();
}

void FailingDisk::fail(Trouble trouble, int n) {
  const std::lock_guard lock(mutex_);
  eventfd_t count = 0;
  ::eventfd_read(refused_.get(), &count);
  trouble_ = trouble;
  countdown_ = n;
  refusals_ = 0;
}

void FailingDisk::repair() {
  const std::lock_guard lock(mutex_);
  countdown_ = 0;
}

int FailingDisk::refusals() const {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

int FailingDisk::answer(const PendingCall& call) {
  const std::lock_guard lock(mutex_);
  if (countdown_ == 0 || directory_.empty()) return 0;
  const int error = error_of(trouble_, call, directory_);
  if (error == 0) return 0;
  if (countdown_ > 1) {
    --countdown_;
    return 0;
  }
  ++refusals_;
  ::eventfd_write(refused_.get(), 1);
  return error;
}

void FailingDisk::listen(const Fd& listener) {
  while (true) {
    pollfd polls[2] = {{.fd = listener.get(), .events = POLLIN, .revents = 0},
                       {.fd = stop_.get(), .events = POLLIN, .revents = 0}};
    if (::poll(polls, 2, -1) < 0 && errno == EINTR) continue;
    // All programs have exited.
    if (polls[1].revents != 0 || (polls[0].revents & POLLHUP) != 0) return;
    seccomp_notif asked{};
    if (::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) continue;
    std::uint64_t arguments[6];
    std::copy(std::begin(asked.data.args), std::end(asked.data.args), arguments);
    const int error = answer({static_cast<pid_t>(asked.pid), asked.data.nr, arguments});
    seccomp_notif_resp told{};
    told.id = asked.id;
    told.error = -error;
    if (error == 0) told.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &told);  // The caller may have been killed.
  }
}

}  // namespace drover::tests
