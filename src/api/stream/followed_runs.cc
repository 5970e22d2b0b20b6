#include "api/stream/followed_runs.h"

#include <algorithm>

namespace drover::api {

void FollowedRuns::resume(const RunId& id, std::uint64_t offset) {
  runs_.try_emplace(id, OutputSource(id, services_.home.run_directory(id), offset));
}

bool FollowedRuns::add(const RunId& id, std::uint64_t offset) {
  if (runs_.contains(id)) return true;
  if (runs_.size() >= limits::kOutputRunsMax) return false;
  resume(id, offset);
  return true;
}

void FollowedRuns::open() {
  for (auto it = runs_.begin(); it != runs_.end();) {
    it = it->second.opened || open(it->first, it->second) ? std::next(it) : runs_.erase(it);
  }
}

// Only an active run is watched: watching creates its directory, and a deleted run must not have
// one.
bool FollowedRuns::open(const RunId& id, Followed& run) {
  run.opened = true;
  const auto record = services_.store.find(id);
  if (!record || !*record) return true;
  if (services_.kinds.is_composite((*record)->kind)) return false;
  if (!run::is_active((*record)->state)) return true;
  run.watch = std::make_unique<queries::OutputWatch::Subscription>(
      services_.output_watch, services_.home.run_directory(id), [this, id] {
        if (const auto it = runs_.find(id); it != runs_.end()) it->second.grown = true;
        grown_();
      });
  return true;
}

bool FollowedRuns::is_blind() const {
  return std::ranges::any_of(runs_, [](const auto& entry) {
    return entry.second.watch && !entry.second.watch->watching();
  });
}

void FollowedRuns::suspect() {
  for (auto& [id, run] : runs_) run.grown = run.grown || (run.watch && !run.watch->watching());
}

Result<bool> FollowedRuns::append_to(const OutputSource::Wish& wish, size_t out_max) {
  bool more = false;
  for (auto& [id, run] : runs_) {
    if (!run.grown) continue;
    if (wish.out.size() >= out_max) return true;
    const auto rest = run.source.append_to(wish);
    if (!rest) return rest;
    run.grown = *rest;
    more = more || *rest;
  }
  return more;
}

Result<bool> FollowedRuns::append_rest(const run::Event& end, const OutputSource::Wish& wish) {
  // A run that was not followed is followed for a moment, also beyond the limit.
  if (!runs_.contains(end.run_id)) resume(end.run_id, 0);
  Followed& run = runs_.at(end.run_id);
  run.opened = true;
  run.source.end_at(printed_by(end));
  const auto more = run.source.append_to(wish);
  if (more && !*more) runs_.erase(end.run_id);
  return more;
}

void FollowedRuns::add_to(Cursor& cursor) const {
  cursor.has_outputs = true;
  cursor.outputs.clear();
  for (const auto& [id, run] : runs_) cursor.outputs.emplace_back(id, run.source.offset());
}

}  // namespace drover::api
