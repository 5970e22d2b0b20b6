#include "testing/store.h"

#include <algorithm>

#include "store/refusals.h"
#include "store/scopes.h"

namespace drover::testing {

using store::Written;

MemoryStore::MemoryStore(const Clock& clock, Telling telling, size_t queued_max)
    : clock_(clock),
      telling_(telling),
      queued_max_(queued_max),
      limits_{{"default", limits::kDefaultLaneLimit}, {"apps", limits::kAppsLaneLimit}} {
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
    limits_[lane->name] = lane->limit;
    return Written{};
  }
  return record(std::get<run::Fact>(write));
}

Result<Written> MemoryStore::record(const run::Fact& fact) {
  const run::Record* before = known(run::subject(fact));
  const auto* submitted = std::get_if<run::Submitted>(&fact);
  if (submitted != nullptr && before == nullptr) {
    if (auto answer = replay(*submitted)) return *std::move(answer);
  }
  const run::Moment moment{clock_.wall_ms(), clock_.mono_ns(), has_room(fact, before)};
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
  if (submitted != nullptr) {
    after.number = change->events.front().seq;
    numbers_[after.id] = after.number;
    limits_.try_emplace(after.lane, limits::kNewLaneLimit);
    if (!submitted->key.empty()) {
      keys_[{after.scope, submitted->key}] = {after.id, submitted->digest};
    }
  }
  if (change->effect == run::Effect::removed) {
    runs_.erase(after.number);
    numbers_.erase(after.id);
  } else {
    runs_[after.number] = after;
  }
  return Written{change->effect, std::move(after), std::move(change->events), false};
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

bool MemoryStore::has_room(const run::Fact& fact, const run::Record* before) const {
  const auto* submitted = std::get_if<run::Submitted>(&fact);
  const bool claims = std::holds_alternative<run::Claimed>(fact) && before != nullptr;
  if (!claims && (submitted == nullptr || before != nullptr)) return false;
  const std::string& lane = claims ? before->lane : submitted->record.lane;
  const auto limit = limits_.find(lane);
  if (count(lane, false) >= (limit == limits_.end() ? limits::kNewLaneLimit : limit->second)) {
    return false;
  }
  return claims || count(lane, true) == 0;
}

std::int64_t MemoryStore::count(const std::string& lane, bool queued) const {
  return std::ranges::count_if(runs_, [&](const auto& item) {
    const run::Record& r = item.second;
    return r.lane == lane && (queued ? r.state == run::State::queued : run::holds_slot(r.state));
  });
}

}  // namespace drover::testing
