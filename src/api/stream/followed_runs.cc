#include "api/stream/followed_runs.h"

#include <algorithm>
#include <utility>

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

asio::awaitable<void> FollowedRuns::open(const Find& find) {
  std::vector<run::Record> records;
  std::vector<RunId> others;
  for (auto& [id, run] : runs_) {
    if (std::exchange(run.opened, true)) continue;
    auto record = services_.store.at_hand(id);
    if (record) {
      records.push_back(std::move(*record));
    } else {
      others.push_back(id);
    }
  }
  if (!others.empty()) {
    for (run::Record& record : co_await find(std::move(others))) {
      records.push_back(std::move(record));
    }
  }
  for (const run::Record& record : records) {
    const auto it = runs_.find(record.id);
    if (it != runs_.end() && !open(record, it->second)) runs_.erase(it);
  }
}

// Only an active run is watched: watching creates its directory, and a deleted run must not have
// one.
bool FollowedRuns::open(const run::Record& record, Followed& run) {
  const RunId id = record.id;
  if (services_.kinds.is_composite(record.kind)) return false;
  if (!run::is_active(record.state)) return true;
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

asio::awaitable<Result<bool>> FollowedRuns::append_to(OutputSource::Sink sink, size_t out_max) {
  bool more = false;
  for (auto& [id, run] : runs_) {
    if (!run.grown) continue;
    if (sink.out.size() >= out_max) co_return true;
    run.grown = false;  // It may grow while it is read.
    const auto rest = co_await run.source.append_to(sink);
    if (!rest) co_return rest;
    run.grown = run.grown || *rest;
    more = more || *rest;
  }
  co_return more;
}

asio::awaitable<Result<bool>> FollowedRuns::append_rest(bus::EventPtr end,
                                                        OutputSource::Sink sink) {
  // A run that was not followed is followed for a moment, also beyond the limit.
  if (!runs_.contains(end->run_id)) resume(end->run_id, 0);
  Followed& run = runs_.at(end->run_id);
  run.opened = true;
  run.source.end_at(printed_by(*end));
  const auto more = co_await run.source.append_to(std::move(sink));
  if (more && !*more) runs_.erase(end->run_id);
  co_return more;
}

void FollowedRuns::add_to(Cursor& cursor) const {
  cursor.has_outputs = true;
  cursor.outputs.clear();
  for (const auto& [id, run] : runs_) cursor.outputs.emplace_back(id, run.source.offset());
}

}  // namespace drover::api
