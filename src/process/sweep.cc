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
  crash_point("sweep.group_signaled");
  for (const Member& member : members) {
    const bool in_group = !leader_reaped_ && member.stat.group == leader_;
    if (!in_group && !send_signal(member.ref, signal)) continue;
    if (!remember || signaled_.size() >= kRememberedMax ||
        std::ranges::find(signaled_, member.ref) != signaled_.end()) {
      continue;
    }
    add_name(receipt_.killed_names, receipt_.signaled, member);
    signaled_.push_back(member.ref);
    ++receipt_.signaled;
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
  receipt_.survivors = std::max(receipt_.survivors, 1U);
}

void Sweep::write_to(EndingRecord& ending) const {
  ending.term_wall_ms = receipt_.term_wall_ms;
  ending.kill_wall_ms = receipt_.kill_wall_ms;
  ending.signaled = receipt_.signaled;
  ending.orphans = receipt_.orphans;
  ending.survivors = receipt_.survivors;
  std::memcpy(ending.killed_names, receipt_.killed_names, sizeof ending.killed_names);
  std::memcpy(ending.survivor_names, receipt_.survivor_names, sizeof ending.survivor_names);
}

std::vector<MarkedProcess> kill_marked(const MarkSearch& search) {
  const SystemClock clock;
  const std::int64_t deadline = clock.mono_ns() + limits::kKillWaitMs * 1'000'000;
  while (true) {
    std::vector<MarkedProcess> left;
    std::vector<Fd> killed;
    bool is_over = true;
    for (MarkedProcess& found : find_marked(search)) {
      Fd process = open_process(found.member.ref);
      if (!process) is_over = false;  // It has exited meanwhile, perhaps after a fork: look again.
      if (!process) continue;
      if (send_signal(found.member.ref, SIGKILL)) killed.push_back(std::move(process));
      left.push_back(std::move(found));
    }
    // Nothing is left, or nothing that we may signal.
    if (killed.empty() && (is_over || clock.mono_ns() > deadline)) return left;
    for (const Fd& process : killed) {
      const std::int64_t wait_ms = (deadline - clock.mono_ns()) / 1'000'000;
      if (wait_ms <= 0) return left;
      pollfd poll{.fd = process.get(), .events = POLLIN, .revents = 0};
      ::poll(&poll, 1, static_cast<int>(wait_ms));
    }
  }
}

}  // namespace drover::process
