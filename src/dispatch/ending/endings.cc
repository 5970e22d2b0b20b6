#include "dispatch/ending/endings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/text.h"

namespace drover::dispatch {
namespace {

run::Ending ending_of(const StatusRecord& status, const std::string& program,
                      const std::string& cwd) {
  if (status.failed_step != LaunchStep::none) {
    return run::NotLaunched{.step = status.failed_step,
                            .error_number = status.error_number,
                            .detail = status.failed_step == LaunchStep::cwd ? cwd : program};
  }
  if (status.exited != 0) return run::Exited{status.exit_code};
  return run::Killed{.signal = status.signal, .core_dumped = status.core_dumped != 0};
}

run::Ended ended_from_status(const RunId& id, const StatusRecord& status,
                             const std::string& program, const std::string& cwd) {
  run::Ended ended{.id = id, .ending = ending_of(status, program, cwd)};
  ended.cause = status.cause;
  ended.exit_mono_ns = status.mono_ns;
  ended.finished_at = sound_time(status.wall_ms);
  return ended;
}

// The kernel may cut a name within a character, and a process can give itself any name.
std::string named(std::int32_t pid, const char (&text)[20]) {
  const std::string_view name(text, ::strnlen(text, sizeof text));
  return fmt::format("{} {}", pid, bounded(name, 3 * sizeof text));
}

std::vector<std::string> names(const NamedProcess (&list)[limits::kReceiptNamesMax],
                               std::uint32_t count) {
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min<size_t>(count, limits::kReceiptNamesMax); ++i) {
    out.push_back(named(list[i].pid, list[i].name));
  }
  return out;
}

}  // namespace

std::int64_t sound_count(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  return static_cast<std::int64_t>(std::min(count, kMost));
}

WallMs sound_time(WallMs time) {
  constexpr WallMs kMost = 253'402'300'799'999;  // 9999-12-31T23:59:59.999Z
  return time >= 0 && time <= kMost ? time : 0;
}

void complete_start(run::Ended& ended) {
  if (ended.started_at != 0 || !std::holds_alternative<run::Exited>(ended.ending)) return;
  ended.started_at = ended.finished_at;
  if (ended.started_at == 0) ended.ending = run::Unknown{run::Reason::keeper_lost};
}

run::Ended ended_from(const RunId& id, const EndingRecord& ending, const std::string& program,
                      const std::string& cwd, std::optional<UsageRecord> usage) {
  run::Ended ended = ended_from_status(id, ending.status, program, cwd);
  ended.finished_at = sound_time(ending.ended_wall_ms);
  ended.cpu_ms = sound_count(ending.cpu_us / 1000);
  ended.peak_rss_bytes = sound_count(ending.peak_rss_bytes);
  ended.stdout_bytes = sound_count(ending.stdout_bytes);
  ended.stderr_bytes = sound_count(ending.stderr_bytes);
  if (ending.status.failed_step != LaunchStep::none) return ended;
  ended.receipt = run::Receipt{.term_at = sound_time(ending.term_wall_ms),
                               .kill_at = sound_time(ending.kill_wall_ms),
                               .signaled = ending.signaled,
                               .orphans = ending.orphans,
                               .survivors = ending.survivors,
                               .drained = ending.drained != 0,
                               .dropped_bytes = sound_count(ending.dropped_bytes),
                               .killed_names = names(ending.killed_names, ending.signaled),
                               .survivor_names = names(ending.survivor_names, ending.survivors),
                               .usage = usage};
  return ended;
}

run::Ended ended_from_journal(const RunId& id, const JournalText& text, std::string_view boot_id,
                              const std::string& program, const std::string& cwd) {
  run::Ended ended{.id = id, .ending = run::Unknown{run::Reason::keeper_lost}};
  if (text.ending) {
    ended = ended_from(id, *text.ending, program, cwd, text.usage);
  } else if (text.status) {
    ended = ended_from_status(id, *text.status, program, cwd);
  } else if (text.identity && std::string_view(text.identity->boot_id) != boot_id) {
    ended.ending = run::Unknown{run::Reason::host_restarted};
  }
  if (text.started) ended.started_at = sound_time(text.started->wall_ms);
  complete_start(ended);
  return ended;
}

void name_survivors(run::Ended& ended, const std::vector<process::Member>& survivors) {
  if (survivors.empty()) return;
  if (!ended.receipt) ended.receipt.emplace().drained = false;
  ended.receipt->survivors = static_cast<std::uint32_t>(survivors.size());
  for (const process::Member& left : survivors) {
    if (ended.receipt->survivor_names.size() >= limits::kReceiptNamesMax) break;
    ended.receipt->survivor_names.push_back(named(left.ref.pid, left.stat.name));
  }
}

}  // namespace drover::dispatch
