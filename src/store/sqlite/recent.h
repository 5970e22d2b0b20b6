// Recent caches the records that were written last, so that a client that waits for a run does not
// make the reading connection look up a WAL that changes with every commit.
//
// Any thread. It is never ahead of a commit, and never behind one that was answered: the writer
// updates it between the commit and the answers.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/limits.h"
#include "run/record.h"
#include "store/store.h"

namespace drover::store::sqlite {

class Recent {
 public:
  void see(const Written& written) {
    if (written.events.empty() || !written.is_of_run()) return;
    const std::lock_guard lock(mutex_);
    if (written.effect == run::Effect::removed) {
      records_.erase(written.record.id);
      return;
    }
    keep(written.record);
    for (const run::Record& other : written.also) keep(other);
    while (order_.size() > limits::kRecentRecords) {
      records_.erase(order_.front());
      order_.pop_front();
    }
  }

  // After a write of unknown fate.
  void forget(const RunId& id) {
    const std::lock_guard lock(mutex_);
    records_.erase(id);
  }

  void forget_all() {
    const std::lock_guard lock(mutex_);
    records_.clear();
  }

  std::optional<run::Record> find(const RunId& id) const {
    const std::lock_guard lock(mutex_);
    const auto it = records_.find(id);
    return it == records_.end() ? std::nullopt : std::optional(it->second);
  }

 private:
  void keep(const run::Record& record) {
    if (records_.insert_or_assign(record.id, record).second) order_.push_back(record.id);
  }

  mutable std::mutex mutex_;
  std::unordered_map<RunId, run::Record> records_;
  std::deque<RunId> order_;  // Oldest first; may contain removed ones.
};

}  // namespace drover::store::sqlite
