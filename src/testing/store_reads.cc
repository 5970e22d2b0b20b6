// The questions of MemoryStore: walks over everything, because a fake may be slow but not clever.
#include <algorithm>

#include "store/scopes.h"
#include "testing/store.h"

namespace drover::testing {
namespace {

bool matches(const run::Record& r, const store::Query& q) {
  if (q.state && r.state != *q.state) return false;
  if (q.active_only && !run::is_active(r.state)) return false;
  if (q.terminal_only && !run::is_terminal(r.state)) return false;
  if (q.scope_alone ? !q.scope.empty() && r.scope != q.scope
                    : !store::within_scope(r.scope, q.scope)) {
    return false;
  }
  if (!q.kind.empty() && r.kind != q.kind) return false;
  if (!q.name.empty() && r.name != q.name) return false;
  if (!q.chain.empty() && r.chain != q.chain) return false;
  if (!q.lane.empty() && r.lane != q.lane) return false;
  if (q.before && r.number >= *q.before) return false;
  if (q.since && r.id < RunId::earliest(*q.since)) return false;
  if (q.until && r.id >= RunId::earliest(*q.until)) return false;
  if (q.finished_before && (!run::is_terminal(r.state) || r.finished_at >= *q.finished_before)) {
    return false;
  }
  return std::ranges::all_of(q.labels, [&](const auto& label) {
    const auto found = r.labels.find(label.first);
    return found != r.labels.end() && found->second == label.second;
  });
}

}  // namespace

Result<std::optional<run::Record>> MemoryStore::find(const RunId& id) {
  const std::lock_guard lock(mutex_);
  const run::Record* record = known(id);
  if (record == nullptr) return std::nullopt;
  return *record;
}

Result<std::vector<RunId>> MemoryStore::find_prefix(const std::string& prefix, size_t limit) {
  const std::lock_guard lock(mutex_);
  std::vector<RunId> ids;
  for (auto it = numbers_.rbegin(); it != numbers_.rend() && ids.size() < limit; ++it) {
    if (it->first.view().starts_with(prefix)) ids.push_back(it->first);
  }
  return ids;
}

Result<std::vector<run::Record>> MemoryStore::list(const store::Query& query) {
  const std::lock_guard lock(mutex_);
  std::vector<run::Record> found;
  std::map<std::string, std::int64_t> latest;  // Of each chain.
  for (const auto& [number, record] : runs_) latest[record.chain] = number;
  for (const auto& [number, record] : runs_) {
    if (query.latest_only && !record.chain.empty() && latest[record.chain] != number) continue;
    if (matches(record, query)) found.push_back(record);
  }
  if (!query.oldest_first) {
    std::ranges::reverse(found);
  } else if (query.finished_before) {
    std::ranges::sort(found, {},
                      [](const run::Record& r) { return std::pair(r.finished_at, r.number); });
  }
  if (found.size() > query.limit) found.resize(query.limit);
  return found;
}

Result<std::vector<run::Event>> MemoryStore::events(const store::EventQuery& query) {
  const std::lock_guard lock(mutex_);
  std::vector<run::Event> found;
  for (const run::Event& event : spine_) {
    if (found.size() >= query.limit && !query.last) break;
    if (event.seq <= query.after || (query.run && event.run_id != *query.run)) continue;
    if (store::within_scope(event.scope, query.scope)) found.push_back(event);
  }
  if (found.size() > query.limit) {
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(query.limit));
  }
  return found;
}

Result<std::optional<run::Event>> MemoryStore::terminal_event(const RunId& id) {
  const std::lock_guard lock(mutex_);
  const auto end = ends_.find(id);
  if (end == ends_.end()) return std::nullopt;
  return spine_[static_cast<size_t>(end->second) - 1];
}

Result<bool> MemoryStore::knows_key(const std::string& scope, const std::string& key) {
  const std::lock_guard lock(mutex_);
  return keys_.contains({scope, key});
}

Result<std::int64_t> MemoryStore::last_seq() {
  const std::lock_guard lock(mutex_);
  return std::ssize(spine_);
}

Result<std::vector<store::Lane>> MemoryStore::lanes() {
  const std::lock_guard lock(mutex_);
  std::vector<store::Lane> lanes;
  for (const auto& [name, lane] : lanes_) {
    lanes.push_back(lane);
    lanes.back().active = count(name, false);
    lanes.back().queued = count(name, true);
  }
  return lanes;
}

Result<std::vector<store::Token>> MemoryStore::tokens() {
  const std::lock_guard lock(mutex_);
  std::vector<store::Token> tokens;
  for (const auto& [id, token] : tokens_) tokens.push_back(token);
  std::ranges::sort(tokens, {},
                    [](const store::Token& t) { return std::pair(t.created_at, t.id); });
  return tokens;
}

Result<std::vector<std::pair<std::string, std::int64_t>>> MemoryStore::crowded_scopes(
    std::int64_t count_max) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::int64_t> ended;
  for (const auto& [number, record] : runs_) {
    if (run::is_terminal(record.state)) ++ended[record.scope];
  }
  std::vector<std::pair<std::string, std::int64_t>> crowded;
  for (const auto& [scope, records] : ended) {
    if (records > count_max) crowded.emplace_back(scope, records);
  }
  return crowded;
}

Result<std::vector<store::Project>> MemoryStore::projects() {
  const std::lock_guard lock(mutex_);
  std::vector<store::Project> projects;
  for (const auto& [id, project] : projects_) projects.push_back(project);
  return projects;
}

}  // namespace drover::testing
