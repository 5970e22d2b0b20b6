#include "process/pid_ref.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace drover::process {
namespace {

ssize_t read_text(const char* path, char* buffer, size_t size) {
  const Fd fd = open_file(path, O_RDONLY | O_CLOEXEC);
  if (!fd) return -1;
  const ssize_t n = ::read(fd.get(), buffer, size - 1);
  if (n >= 0) buffer[n] = '\0';
  return n;
}

}  // namespace

BootId boot_id() {
  BootId id;
  const ssize_t n = read_text("/proc/sys/kernel/random/boot_id", id.text, sizeof id.text);
  if (n > 0 && id.text[n - 1] == '\n') id.text[n - 1] = '\0';
  return id;
}

std::optional<Stat> look_at(std::int32_t pid) {
  char path[32];
  char text[512];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_text(path, text, sizeof text) <= 0) return std::nullopt;
  // "pid (name) state ppid pgrp session …": the name may contain anything, so look for the last
  // ")".
  const char* open = std::strchr(text, '(');
  const char* close = std::strrchr(text, ')');
  if (open == nullptr || close == nullptr || close < open) return std::nullopt;
  Stat stat;
  const auto length = std::min<size_t>(static_cast<size_t>(close - open - 1), sizeof stat.name - 1);
  std::memcpy(stat.name, open + 1, length);
  long threads = 0;
  long pages = 0;
  unsigned long long start = 0;
  unsigned long long cpu[4] = {};  // User and system; those of waited-for children.
  if (std::sscanf(close + 2,
                  "%c %d %d %d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %ld %*d "
                  "%llu %*u %ld",
                  &stat.state, &stat.parent, &stat.group, &stat.session, cpu, cpu + 1, cpu + 2,
                  cpu + 3, &threads, &start, &pages) != 11) {
    return std::nullopt;
  }
  stat.start_ticks = start;
  stat.cpu_ticks = cpu[0] + cpu[1] + cpu[2] + cpu[3];
  stat.rss_pages = pages;
  stat.threads = threads;
  // Only its first thread has exited; the others are alive and can be signaled.
  if (stat.state == 'Z' && threads > 1) stat.state = 'S';
  return stat;
}

ProcessRef ref_of(std::int32_t pid) {
  const auto stat = look_at(pid);
  return {.pid = pid, .reserved = 0, .start_ticks = stat ? stat->start_ticks : 0};
}

std::uint64_t ticks_now() {
  static const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  constexpr std::uint64_t kSecond = 1'000'000'000;
  return static_cast<std::uint64_t>(now.tv_sec) * per_second +
         static_cast<std::uint64_t>(now.tv_nsec) / (kSecond / per_second);
}

Fd open_process(const ProcessRef& ref) {
  Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, ref.pid, 0)));
  if (!fd) return {};
  // Checked after opening: if the start time still matches, the descriptor is the right process's.
  const auto stat = look_at(ref.pid);
  return stat && stat->start_ticks == ref.start_ticks ? std::move(fd) : Fd();
}

bool send_signal(const ProcessRef& ref, int signal) {
  const Fd fd = open_process(ref);
  return fd && ::syscall(SYS_pidfd_send_signal, fd.get(), signal, nullptr, 0) == 0;
}

}  // namespace drover::process
