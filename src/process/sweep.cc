#include "process/sweep.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/clock.h"
#include "base/crash_point.h"

namespace drover::process {
namespace {

constexpr size_t kRememberedMax = 4'096;  // Bounds the keeper's memory in a fork storm.

void add_name(NamedProcess (&names)[limits::kReceiptNamesMax], std::uint32_t count,
              const Member& member) {
  if (count >= limits::kReceiptNamesMax) return;
  names[count].pid = member.ref.pid;
  std::memcpy(names[count].name, member.stat.name, sizeof names[count].name);
}

}  // namespace

void Sweep::terminate(std::int64_t wall_ms) {
  if (receipt_.term_wall_ms == 0) receipt_.term_wall_ms = wall_ms;
  signal_all(SIGTERM, true);
  signal_all(SIGCONT, false);
}

void Sweep::kill(std::int64_t wall_ms) {
  if (receipt_.kill_wall_ms == 0) receipt_.kill_wall_ms = wall_ms;
  signal_all(SIGKILL, true);
}

void Sweep::signal_all(int signal, bool remember) {
  const std::vector<Member> members = descendants(::getpid());
  // The group first, in one call, so that no process forks out of it in between. The unreaped
  // leader keeps the group's number from being reused.
  if (!leader_reaped_) ::kill(-leader_, signal);
  crash_point("sweep.group_signalled");
  for (const Member& member : members) {
    const bool in_group = !leader_reaped_ && member.stat.group == leader_;
    if (!in_group && !send_signal(member.ref, signal)) continue;
    if (!remember || signalled_.size() >= kRememberedMax ||
        std::ranges::find(signalled_, member.ref) != signalled_.end()) {
      continue;
    }
    add_name(receipt_.killed_names, receipt_.signalled, member);
    signalled_.push_back(member.ref);
    ++receipt_.signalled;
  }
}

void Sweep::count_orphans(const std::vector<Member>& members) {
  receipt_.orphans = static_cast<std::uint32_t>(members.size());
}

void Sweep::count_survivors() {
  receipt_.survivors = 0;
  for (const Member& member : descendants(::getpid())) {
    add_name(receipt_.survivor_names, receipt_.survivors, member);
    ++receipt_.survivors;
  }
}

void Sweep::write_to(EndingRecord& ending) const {
  ending.term_wall_ms = receipt_.term_wall_ms;
  ending.kill_wall_ms = receipt_.kill_wall_ms;
  ending.signalled = receipt_.signalled;
  ending.orphans = receipt_.orphans;
  ending.survivors = receipt_.survivors;
  std::memcpy(ending.killed_names, receipt_.killed_names, sizeof ending.killed_names);
  std::memcpy(ending.survivor_names, receipt_.survivor_names, sizeof ending.survivor_names);
}

std::vector<Member> kill_marked(std::string_view mark) {
  const SystemClock clock;
  const std::int64_t deadline = clock.mono_ns() + limits::kKillWaitMs * 1'000'000;
  while (true) {
    std::vector<Member> members = marked(mark);
    std::erase_if(members, [](const Member& m) { return m.ref.pid == ::getpid(); });
    std::vector<Fd> killed;
    for (const Member& member : members) {
      Fd process = open_process(member.ref);
      if (process && send_signal(member.ref, SIGKILL)) killed.push_back(std::move(process));
    }
    // Nothing is left, or nothing that we may signal.
    if (killed.empty()) return members;
    for (const Fd& process : killed) {
      const std::int64_t left = (deadline - clock.mono_ns()) / 1'000'000;
      if (left <= 0) return members;
      pollfd poll{.fd = process.get(), .events = POLLIN, .revents = 0};
      ::poll(&poll, 1, static_cast<int>(left));
    }
  }
}

}  // namespace drover::process
