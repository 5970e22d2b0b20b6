#include "diagnosis/proc_text.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace drover::diagnosis {
namespace {

struct Known {
  long number;
  std::string_view name;
};

// Calls that can block for long. Not every architecture has all of them.
constexpr auto kCalls = std::to_array<Known>({
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_pread64, "pread64"},
    {SYS_pwrite64, "pwrite64"},
#ifdef SYS_open
    {SYS_open, "open"},
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_pause, "pause"},
    {SYS_epoll_wait, "epoll_wait"},
#endif
    {SYS_openat, "openat"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect6"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_epoll_pwait2, "epoll_pwait2"},
    {SYS_connect, "connect"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_recvmmsg, "recvmmsg"},
    {SYS_sendto, "sendto"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_sendmmsg, "sendmmsg"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_futex, "futex"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_restart_syscall, "restart_syscall"},
    {SYS_fsync, "fsync"},
    {SYS_ioctl, "ioctl"},
});

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  while (true) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return out;
    const size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    out.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

template <class Each>
void for_each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "0100007F:1538", in the machine's byte order, four bytes at a time.
std::string address(std::string_view text) {
  const size_t colon = text.find(':');
  const auto port = number<std::uint32_t>(text.substr(std::min(colon + 1, text.size())), 16);
  if (colon == std::string_view::npos || !port) return "?";
  std::array<std::uint32_t, 4> parts{};
  const size_t count = colon / 8;
  if (count != 1 && count != 4) return "?";
  for (size_t i = 0; i < count; ++i) {
    const auto part = number<std::uint32_t>(text.substr(8 * i, 8), 16);
    if (!part) return "?";
    parts[i] = *part;
  }
  char shown[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(count == 1 ? AF_INET : AF_INET6, parts.data(), shown, sizeof shown);
  return fmt::format("{}:{}", shown, *port);
}

std::string_view state_name(std::string_view code) {
  constexpr std::array<std::string_view, 12> kStates{
      "?",         "established", "connecting", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2",
      "TIME_WAIT", "CLOSE",       "CLOSE_WAIT", "LAST_ACK", "listening", "CLOSING"};
  const auto place = number<size_t>(code, 16);
  return place && *place < kStates.size() ? kStates[*place] : kStates[0];
}

}  // namespace

std::optional<SystemCall> parse_syscall(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto parts = words(text);
  if (parts.size() < 7) return std::nullopt;  // "running", or blocked outside of a call ("-1 …").
  const auto call = number<long>(parts[0]);
  if (!call || *call < 0) return std::nullopt;
  SystemCall out{.number = *call};
  for (size_t i = 0; i < 6; ++i) {
    if (!parts[i + 1].starts_with("0x")) return std::nullopt;
    out.arguments[i] = number<std::uint64_t>(parts[i + 1].substr(2), 16).value_or(0);
  }
  return out;
}

std::string call_name(long number) {
  const auto known = std::ranges::find(kCalls, number, &Known::number);
  return known == kCalls.end() ? fmt::format("syscall {}", number) : std::string(known->name);
}

bool takes_descriptor(std::string_view call) {
  constexpr auto kNot = std::to_array<std::string_view>(
      {"open", "openat", "poll", "ppoll", "select", "pselect6", "futex", "wait4", "waitid",
       "nanosleep", "clock_nanosleep", "pause", "rt_sigsuspend", "rt_sigtimedwait",
       "restart_syscall"});
  return !call.starts_with("syscall ") && std::ranges::find(kNot, call) == kNot.end();
}

std::vector<LockWait> parse_lock_waits(std::string_view text) {
  // "3: FLOCK  ADVISORY  WRITE 100 fe:00:7 0 EOF", then the processes that wait for it:
  // "3: -> FLOCK  ADVISORY  WRITE 200 fe:00:7 0 EOF"
  std::vector<LockWait> out;
  std::int32_t holder = 0;
  for_each_line(text, [&](std::string_view line) {
    const auto parts = words(line);
    const size_t at = parts.size() > 1 && parts[1] == "->" ? 2 : 1;
    if (parts.size() < at + 4) return;
    const auto pid = number<std::int32_t>(parts[at + 3]);
    if (!pid) return;
    if (at == 1) {
      holder = std::max(*pid, 0);  // -1: the lock belongs to an open file, not to a process.
      return;
    }
    const std::string_view kind = parts[at];
    out.push_back({.waiter = *pid,
                   .kind = kind == "FLOCK"    ? "flock"
                           : kind == "OFDLCK" ? "ofd"
                                              : "posix",
                   .holder = holder});
  });
  return out;
}

std::vector<int> parse_epoll(std::string_view text) {
  std::vector<int> out;
  for_each_line(text, [&](std::string_view line) {
    const auto parts = words(line);
    if (parts.size() < 2 || parts[0] != "tfd:") return;
    if (const auto fd = number<int>(parts[1])) out.push_back(*fd);
  });
  return out;
}

void parse_internet(std::string_view text, std::string_view protocol,
                    std::map<std::uint64_t, std::string>& out) {
  for_each_line(text, [&](std::string_view line) {
    const auto parts = words(line);
    if (parts.size() < 10) return;
    const auto inode = number<std::uint64_t>(parts[9]);
    if (!inode || *inode == 0) return;
    const std::string_view state = state_name(parts[3]);
    out[*inode] =
        state == "listening"
            ? fmt::format("{} {}, listening", protocol, address(parts[1]))
            : fmt::format("{} {} → {}, {}", protocol, address(parts[1]), address(parts[2]), state);
  });
}

void parse_unix(std::string_view text, std::map<std::uint64_t, std::string>& out) {
  for_each_line(text, [&](std::string_view line) {
    const auto parts = words(line);
    if (parts.size() < 7) return;
    const auto inode = number<std::uint64_t>(parts[6]);
    if (!inode || *inode == 0) return;
    out[*inode] = parts.size() > 7 ? fmt::format("unix {}", parts[7]) : "unix";
  });
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view name) {
  std::optional<std::int64_t> out;
  for_each_line(text, [&](std::string_view line) {
    const auto parts = words(line);
    if (parts.size() >= 2 && parts[0] == name) out = number<std::int64_t>(parts[1]);
  });
  return out;
}

}  // namespace drover::diagnosis
