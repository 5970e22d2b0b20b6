// The Processes of a simulated month are what outlives a daemon: the commands of its runs. Each is
// a length of time and an exit code, chosen when its run starts. They finish whether a daemon
// watches or not; the next one records it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "base/clock.h"
#include "run/record.h"

namespace drover::triggers::month {

struct Process {
  std::int64_t ends_at_ms = 0;  // By the monotonic clock, which nobody sets.
  int exit_code = 0;
  bool canceled = false;
};

class Processes {
 public:
  using Choose = std::function<Process(const run::Record&)>;
  Processes(const Clock& clock, Choose choose) : clock_(clock), choose_(std::move(choose)) {}

  std::int64_t now_ms() const { return clock_.mono_ns() / 1'000'000; }
  void start(const run::Record& record) {
    if (!all_.contains(record.id)) all_.emplace(record.id, choose_(record));
  }
  void cancel(const RunId& id) {
    const auto found = all_.find(id);
    if (found == all_.end() || found->second.canceled) return;
    found->second.canceled = true;
    found->second.ends_at_ms = std::min(found->second.ends_at_ms, now_ms() + 200);
  }
  void forget(const RunId& id) { all_.erase(id); }
  const std::map<RunId, Process>& all() const { return all_; }

  std::optional<std::int64_t> next_end_ms() const {
    std::optional<std::int64_t> out;
    for (const auto& [id, process] : all_) {
      if (!out || process.ends_at_ms < *out) out = process.ends_at_ms;
    }
    return out;
  }

 private:
  const Clock& clock_;
  const Choose choose_;
  std::map<RunId, Process> all_;
};

}  // namespace drover::triggers::month
