#include "triggers/files/settle.h"

#include <algorithm>

namespace drover::triggers {

// The path at the end of the line; null if everything waits anyway.
Settle::Waiting* Settle::wait(std::string_view path, MonoMs now) {
  if (everything_) {
    everything_->last = now;
    return nullptr;
  }
  const auto known = by_path_.find(path);
  if (known == by_path_.end() && by_path_.size() >= bounds_.paths_max) {
    touch_everything(now);
    return nullptr;
  }
  if (known == by_path_.end()) {
    line_.push_back({.path = std::string(path), .since = now});
    by_path_.emplace(line_.back().path, std::prev(line_.end()));
  } else {
    line_.splice(line_.end(), line_, known->second);
    line_.back().since = now;
  }
  return &line_.back();
}

void Settle::touch(std::string_view path, MonoMs now) {
  Waiting* waiting = wait(path, now);
  if (waiting == nullptr) return;
  waiting->expected.reset();
  if (waiting->partner.empty()) return;
  if (!by_path_.contains(waiting->partner)) return;
  wait(waiting->partner, now)->expected.reset();
}

void Settle::move(std::string_view from, std::string_view to, MonoMs now) {
  touch(from, now);
  touch(to, now);
  const auto first = by_path_.find(from);
  const auto second = by_path_.find(to);
  if (first == by_path_.end() || second == by_path_.end() || from == to) return;
  first->second->partner = to;
  second->second->partner = from;
}

void Settle::see(std::string_view path, const Sighting& sighting, MonoMs now) {
  const auto known = by_path_.find(path);
  // An event restarts the wait by itself, and a second inspection of the same file changes nothing.
  if (known != by_path_.end() &&
      (!known->second->expected || *known->second->expected == sighting)) {
    return;
  }
  if (everything_) return;
  if (Waiting* waiting = wait(path, now)) waiting->expected = sighting;
}

void Settle::touch_everything(MonoMs now) {
  if (!everything_) everything_ = {.first = now, .last = now};
  everything_->last = now;
  by_path_.clear();
  line_.clear();
}

std::optional<MonoMs> Settle::wake() const {
  if (everything_) {
    return std::min(everything_->last + bounds_.quiet_ms,
                    everything_->first + std::max(bounds_.everything_ms_max, bounds_.quiet_ms));
  }
  if (line_.empty()) return std::nullopt;
  return line_.front().since + bounds_.quiet_ms;
}

Settle::Due Settle::take(MonoMs now) {
  Due out;
  if (everything_) {
    if (now < *wake()) return out;
    everything_.reset();
    out.everything = true;
    return out;
  }
  while (!line_.empty() && line_.front().since + bounds_.quiet_ms <= now) {
    by_path_.erase(line_.front().path);
    out.paths.push_back({std::move(line_.front().path), std::move(line_.front().expected)});
    line_.pop_front();
  }
  return out;
}

}  // namespace drover::triggers
