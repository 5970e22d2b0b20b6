#include "testing/store.h"

#include <algorithm>

#include "run/kind.h"
#include "store/lane_rules.h"
#include "store/refusals.h"
#include "store/scopes.h"

namespace drover::testing {

using store::Written;

MemoryStore::MemoryStore(const Clock& clock, Telling telling, size_t queued_max)
    : clock_(clock),
      telling_(telling),
      queued_max_(queued_max),
      lanes_{{"default", {.name = "default", .limit = limits::kDefaultLaneLimit}},
             {"apps", {.name = "apps", .limit = limits::kAppsLaneLimit}},
             {"play", {.name = "play", .limit = limits::kPlayLaneLimit}}} {
  if (telling_ == Telling::own_thread) thread_ = std::thread([this] { loop(); });
}

MemoryStore::~MemoryStore() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void MemoryStore::write(store::Write write, store::Done done) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(write), std::move(done)});
  }
  changed_.notify_one();
}

void MemoryStore::damage_session(const RunId& id, const std::string& text) {
  const std::lock_guard lock(mutex_);
  runs_.at(numbers_.at(id)).session = text;
}

void MemoryStore::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    lock.unlock();
    flush();
    lock.lock();
  }
}

std::deque<MemoryStore::Item> MemoryStore::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

size_t MemoryStore::flush() {
  size_t told = 0;
  for (auto batch = take(); !batch.empty(); batch = take()) {
    std::vector<Result<Written>> answers;
    {
      const std::lock_guard lock(mutex_);
      for (const Item& item : batch) answers.push_back(carry_out(item.write));
    }
    for (size_t i = 0; i < batch.size(); ++i, ++told) batch[i].done(std::move(answers[i]));
  }
  return told;
}

Result<Written> MemoryStore::carry_out(const store::Write& write) {
  if (const auto* lane = std::get_if<store::LaneSet>(&write)) {
    auto changed = store::changed_lane(lane_named(lane->name), *lane, clock_.wall_ms());
    if (!changed) return std::unexpected(changed.error());
    lanes_[lane->name] = *changed;
    return Written{};
  }
  if (const auto* lane = std::get_if<store::LaneRemoved>(&write)) return remove_lane(lane->name);
  if (const auto* token = std::get_if<store::TokenIssued>(&write)) return write_token(*token);
  if (const auto* token = std::get_if<store::TokenRevoked>(&write)) return write_token(*token);
  if (const auto* added = std::get_if<store::ProjectAdded>(&write)) return write_project(*added);
  if (const auto* gone = std::get_if<store::ProjectRemoved>(&write)) return write_project(*gone);
  return record(std::get<run::Fact>(write));
}

Result<Written> MemoryStore::remove_lane(const std::string& name) {
  if (store::is_lasting(name)) return store::lane_stays(name);
  if (count(name, true) + count(name, false) > 0) return store::lane_busy(name);
  if (lanes_.erase(name) == 0) return store::no_such_lane(name);
  return Written{};
}

Result<Written> MemoryStore::write_token(const store::TokenIssued& wish) {
  if (tokens_.contains(wish.token.id)) return store::token_exists();
  std::erase_if(tokens_, [&](const auto& item) {
    const store::Token& token = item.second;
    return token.expires_at < wish.forget_before ||
           (token.revoked_at != 0 && token.revoked_at < wish.forget_before);
  });
  tokens_[wish.token.id] = wish.token;
  return Written{};
}

Result<Written> MemoryStore::write_token(const store::TokenRevoked& wish) {
  const auto token = tokens_.find(wish.id);
  if (token == tokens_.end()) return store::no_such_token(wish.id);
  if (token->second.revoked_at == 0) token->second.revoked_at = wish.at;
  return Written{};
}

Result<Written> MemoryStore::write_project(const store::ProjectAdded& wish) {
  for (const auto& [id, other] : projects_) {
    if (id != wish.project.id && other.root != wish.project.root) continue;
    if (id == wish.project.id && other.root == wish.project.root) return Written{};
    return store::project_elsewhere(id, other.root);
  }
  projects_[wish.project.id] = wish.project;
  return Written{};
}

Result<Written> MemoryStore::write_project(const store::ProjectRemoved& wish) {
  if (!projects_.contains(wish.id)) return store::no_such_project(wish.id);
  for (const auto& [number, run] : runs_) {
    const bool plays = run.kind == run::kPlay && run.scope == session::scope_of(wish.id);
    if (plays && run::is_active(run.state)) {
      return store::project_is_played(wish.id, run.id.view());
    }
  }
  projects_.erase(wish.id);
  return Written{};
}

const run::Record* MemoryStore::rival_of(const run::Record& record) const {
  if (!run::is_composite(record.kind)) return nullptr;
  for (const auto& [number, other] : runs_) {
    const bool like = other.kind == record.kind && other.scope == record.scope;
    if (like && run::is_active(other.state) && other.id != record.id) return &other;
  }
  return nullptr;
}

Result<Written> MemoryStore::record(const run::Fact& fact) {
  const run::Record* before = known(run::subject(fact));
  const auto* submitted = std::get_if<run::Submitted>(&fact);
  if (submitted != nullptr && before == nullptr) {
    if (auto answer = replay(*submitted)) return *std::move(answer);
  }
  run::Moment moment = moment_of(fact, before);
  const run::Record* waits = submitted != nullptr ? &submitted->record : before;
  std::vector<run::Dependency> dependencies;
  if (waits != nullptr) {
    dependencies = *store::dependencies_of(
        *waits, [this](const RunId& id) -> Result<store::Standing> { return standing_of(id); });
  }
  moment.dependencies = dependencies;
  std::optional<run::Record> retried;
  if (submitted != nullptr && submitted->retries) {
    if (const run::Record* found = known(*submitted->retries)) retried = *found;
    if (retried && !retried->retried_by.empty() && !known(*RunId::parse(retried->retried_by))) {
      retried->retried_by.clear();  // Removed: it may be tried once more.
    }
    moment.retried = retried ? &*retried : nullptr;
  }
  if (submitted != nullptr) {
    moment.rival = rival_of(submitted->record);
    if (run::is_composite(submitted->record.kind)) {
      const auto session = session::parse_session(submitted->record.session);
      if (!session) return std::unexpected(session.error());
      moment.project_known = projects_.contains(session->project);
    }
    const auto parent = RunId::parse(submitted->record.parent_run_id);
    if (parent && submitted->record.kind == run::kRuntime) moment.parent = known(*parent);
  }
  auto change = run::apply(before, fact, moment);
  if (!change) return std::unexpected(change.error());
  run::Record& after = change->after;
  if (change->effect == run::Effect::none) return Written{change->effect, after, {}, false};
  if (submitted != nullptr && after.state == run::State::queued &&
      std::ranges::count(runs_, run::State::queued, [](const auto& r) { return r.second.state; }) >=
          static_cast<std::int64_t>(queued_max_)) {
    return store::queue_full(queued_max_);
  }
  if (auto fresh = check_new(change->events); !fresh) return std::unexpected(fresh.error());

  for (run::Event& event : change->events) {
    event.seq = std::ssize(spine_) + 1;
    recorded_.emplace(event.run_id, event.run_seq);
    if (event.terminal) ends_[event.run_id] = event.seq;
    spine_.push_back(event);
  }
  Written written{change->effect, {}, {}, false};
  if (std::holds_alternative<run::Moved>(fact)) {
    written.left = store::Place{before->lane, before->priority};
  }
  if (submitted != nullptr) {
    after.number = change->events.front().seq;
    numbers_[after.id] = after.number;
    if (!submitted->key.empty()) {
      keys_[{after.scope, submitted->key}] = {after.id, submitted->digest};
    }
  }
  if (!after.lane.empty())
    lanes_.try_emplace(after.lane, store::Lane{.name = after.lane, .limit = limits::kNewLaneLimit});
  for (run::Record& other : change->also) {
    if (other.number == 0) other.number = change->events.back().seq;
    numbers_[other.id] = other.number;
    runs_[other.number] = other;
  }
  if (change->effect == run::Effect::removed) {
    runs_.erase(after.number);
    numbers_.erase(after.id);
  } else {
    runs_[after.number] = after;
  }
  written.record = std::move(after);
  written.events = std::move(change->events);
  written.also = std::move(change->also);
  return written;
}

std::optional<Result<Written>> MemoryStore::replay(const run::Submitted& fact) const {
  if (fact.key.empty()) return std::nullopt;
  const auto key = keys_.find({fact.record.scope, fact.key});
  if (key == keys_.end()) return std::nullopt;
  const RunId& first = key->second.id;
  if (key->second.digest != fact.digest) return store::key_reused(first.view());
  const run::Record* record = known(first);
  if (record == nullptr) return store::key_of_deleted(first.view());
  return Written{run::Effect::none, *record, {}, true};
}

// What the unique indexes of a database promise: no place of a run's history is taken twice, and a
// run ends once (H7).
Result<> MemoryStore::check_new(const std::vector<run::Event>& events) const {
  for (const run::Event& event : events) {
    if (recorded_.contains({event.run_id, event.run_seq}) ||
        (event.terminal && ends_.contains(event.run_id))) {
      return fail(ErrorCode::conflict, "already_recorded",
                  "this is on record already; read the run again", "run_id");
    }
  }
  return {};
}

const run::Record* MemoryStore::known(const RunId& id) const {
  const auto number = numbers_.find(id);
  return number == numbers_.end() ? nullptr : &runs_.at(number->second);
}

run::Moment MemoryStore::moment_of(const run::Fact& fact, const run::Record* before) const {
  run::Moment moment{.wall_ms = clock_.wall_ms(), .mono_ns = clock_.mono_ns()};
  const std::string* name = run::lane_of_interest(fact, before);
  if (name == nullptr) return moment;
  const store::Lane* known = lane_named(*name);
  const store::Lane lane =
      known != nullptr ? *known : store::Lane{.name = *name, .limit = limits::kNewLaneLimit};
  moment.lane_paused = lane.paused_at != 0;
  moment.lane_draining = lane.draining_at != 0;
  const bool others_wait = std::ranges::any_of(runs_, [&](const auto& item) {
    const run::Record& r = item.second;
    return r.lane == *name && r.state == run::State::queued && !r.held;
  });
  moment.lane_has_room = !moment.lane_paused && count(*name, false) < lane.limit &&
                         (std::holds_alternative<run::Claimed>(fact) || !others_wait);
  return moment;
}

store::Standing MemoryStore::standing_of(const RunId& id) const {
  if (const run::Record* record = known(id)) {
    return {.known = true, .state = record->state, .retried_by = record->retried_by};
  }
  const auto end = ends_.find(id);
  if (end == ends_.end()) return {};
  return store::standing_of(spine_[static_cast<size_t>(end->second) - 1]);
}

const store::Lane* MemoryStore::lane_named(const std::string& name) const {
  const auto found = lanes_.find(name);
  return found == lanes_.end() ? nullptr : &found->second;
}

std::int64_t MemoryStore::count(const std::string& lane, bool queued) const {
  return std::ranges::count_if(runs_, [&](const auto& item) {
    const run::Record& r = item.second;
    return r.lane == lane && (queued ? r.state == run::State::queued : run::holds_slot(r.state));
  });
}

}  // namespace drover::testing
