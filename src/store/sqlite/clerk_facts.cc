// How a clerk records a fact about a run: it reads the run and its neighbors, run::apply judges,
// and the resulting change is written.
#include <algorithm>

#include "run/kind.h"
#include "store/lane_rules.h"
#include "store/refusals.h"
#include "store/scopes.h"
#include "store/sqlite/clerk.h"
#include "store/sqlite/rows.h"

namespace drover::store::sqlite {
namespace {

// An unreadable row fails only its own request; the others are not affected.
Result<> refuse(Error error, Answer& answer) {
  if (error.code != ErrorCode::corrupt) return std::unexpected(std::move(error));
  answer = std::unexpected(std::move(error));
  return {};
}

std::unexpected<Error> id_taken(const RunId& id) {
  return fail(ErrorCode::conflict, std::string(kAlreadyRecorded),
              id.str() + " was removed; its id cannot be used again", "run_id");
}

}  // namespace

// The other runs by which a submission is judged.
struct Clerk::Neighbors {
  std::optional<run::Record> retried, rival, parent;

  void add_to(run::JudgementContext& context) const {
    const auto seen = [](const std::optional<run::Record>& r) { return r ? &*r : nullptr; };
    context.retried = seen(retried);
    context.rival = seen(rival);
    context.parent = seen(parent);
  }
};

Result<> Clerk::record_fact(const run::Fact& fact, Answer& answer) {
  auto before = find(run::subject(fact).view());
  if (!before) return refuse(std::move(before.error()), answer);
  const run::Record* known = *before ? &**before : nullptr;
  const auto* submitted = std::get_if<run::Submitted>(&fact);
  if (submitted != nullptr && known == nullptr && !submitted->key.empty()) {
    auto replayed = replay(*submitted, answer);
    if (!replayed) return std::unexpected(replayed.error());
    if (*replayed) return {};
  }
  run::JudgementContext context{
      .kinds = *options_.kinds, .wall_ms = clock_.wall_ms(), .mono_ns = clock_.mono_ns()};
  if (auto ok = capacity_.look(fact, known, context); !ok) return ok;
  const auto dependencies = dependency_reader_.dependencies(fact, known);
  if (!dependencies) return std::unexpected(dependencies.error());
  context.dependencies = *dependencies;
  Neighbors near;
  if (submitted != nullptr) {
    if (auto ok = read_neighbors(*submitted, near); !ok)
      return refuse(std::move(ok.error()), answer);
    near.add_to(context);
  }
  auto change = run::apply(known, fact, context);
  if (!change) {
    answer = std::unexpected(std::move(change.error()));
    return {};
  }
  if (change->effect == run::Effect::none) {
    answer = Written{run::Effect::none, std::move(change->after), {}, false};
    return {};
  }
  if (submitted != nullptr && change->after.state == run::State::queued &&
      queued_ + queued_here_ >= static_cast<std::int64_t>(options_.queued_max)) {
    answer = queue_full(options_.queued_max);
    return {};
  }

  // Nothing was written so far: only the writes that a constraint may refuse need undoing.
  if (auto ok = sql_.savepoint.run(); !ok) return ok;
  if (auto ok = store_change(known, fact, *change); !ok) {
    if (ok.error().reason != kAlreadyRecorded || !database_.in_transaction()) return ok;
    if (auto undone = sql_.undo.run(); !undone) return undone;
    answer = std::unexpected(std::move(ok.error()));
    return sql_.release.run();
  }
  if (auto ok = sql_.release.run(); !ok) return ok;
  capacity_.count(known, *change);
  queued_here_ += int{change->after.state == run::State::queued} -
                  int{known != nullptr && known->state == run::State::queued};
  Written written{change->effect, std::move(change->after), std::move(change->events), false};
  for (const run::Record& other : change->also) {
    queued_here_ += int{other.state == run::State::queued};
  }
  written.also = std::move(change->also);
  answer = std::move(written);
  return {};
}

Result<> Clerk::store_change(const run::Record* before, const run::Fact& fact,
                             run::Change& change) {
  for (run::Event& event : change.events) {
    if (auto ok = add_event(event); !ok) return ok;
    if (event.type != name(run::EventType::progress)) continue;
    if (auto ok = forget_progress(event); !ok) return ok;
  }
  if (const auto* submitted = std::get_if<run::Submitted>(&fact)) {
    // The events of a removed run may be compacted: then no constraint of the log refuses its id.
    const auto removed = compactor_.knows(change.after.id);
    if (!removed) return std::unexpected(removed.error());
    if (*removed) return id_taken(change.after.id);
    if (auto ok = add_run(change.after, change.events); !ok) return ok;
    for (const run::Record& retried : change.also) {
      if (auto ok = update_links(sql_.update_links, retried); !ok) return ok;
    }
    if (submitted->key.empty()) return {};
    const run::Record& record = change.after;
    return sql_.add_key.run(record.scope, submitted->key, record.id.view(), submitted->digest);
  }
  if (const auto* taken = std::get_if<run::TakenUp>(&fact); taken != nullptr && before == nullptr) {
    if (auto ok = add_run(change.after, change.events); !ok) return ok;
    if (taken->key.empty()) return {};
    const run::Record& record = change.after;
    return sql_.take_up_key.run(record.scope, taken->key, record.id.view(), taken->digest);
  }
  if (change.effect == run::Effect::removed) return sql_.remove.run(change.after.number);
  if (auto ok = update_record(sql_.update, change.after); !ok) return ok;
  for (run::Record& next : change.also) {
    if (auto ok = add_run(next, change.events); !ok) return ok;
  }
  if (!differ_in_links(*before, change.after)) return {};
  if (auto ok = update_links(sql_.update_links, change.after); !ok) return ok;
  return add_lane(change.after.lane, change.events);
}

Result<> Clerk::forget_progress(const run::Event& newest) {
  std::vector<std::int64_t> old;
  auto found = sql_.old_progress.each([&](const Row& row) { old.push_back(row.integer(0)); },
                                      stored_subject(newest), limits::kProgressKept);
  if (!found) return found;
  for (const std::int64_t seq : old) {
    if (auto ok = sql_.remove_event.run(seq); !ok) return ok;
    for (const std::string_view scope : scopes_above(newest.scope)) {
      if (scope == kCommonScope) continue;
      if (auto ok = sql_.remove_event_scope.run(scope, seq); !ok) return ok;
    }
  }
  return {};
}

Result<> Clerk::add_run(run::Record& record, std::vector<run::Event>& events) {
  // The seq of its first event is the run's number: it is never reused, and a second counter would
  // cost a page in every commit.
  record.number = std::ranges::find(events, record.id, &run::Event::run_id)->seq;
  if (auto ok = insert_record(sql_.insert, record); !ok) return ok;
  for (const std::string_view scope : scopes_above(record.scope)) {
    if (auto ok = sql_.add_scope.run(scope, record.number); !ok) return ok;
  }
  for (const auto& [key, value] : record.labels) {
    if (auto ok = sql_.add_label.run(key, value, record.number); !ok) return ok;
  }
  return add_lane(record.lane, events);
}

// A lane is created by its first run.
Result<> Clerk::add_lane(const std::string& lane, std::vector<run::Event>& events) {
  if (lane.empty()) return {};
  auto capacity = capacity_.of(lane);
  if (!capacity) return std::unexpected(capacity.error());
  if (capacity->exists) return {};
  if (auto ok = lanes_.add(lane, capacity->limit); !ok) return ok;
  auto subject_event = add_subject_event(lane_set_event({.name = lane, .limit = capacity->limit}));
  if (!subject_event) return std::unexpected(subject_event.error());
  events.push_back(std::move(*subject_event));
  return {};
}

// A retry has a previous attempt; some kinds have rivals, or end with their parent.
Result<> Clerk::read_neighbors(const run::Submitted& fact, Neighbors& near) {
  if (fact.retries) {
    auto found = find(fact.retries->view());
    if (!found) return std::unexpected(found.error());
    near.retried = std::move(*found);
    if (near.retried && !near.retried->retried_by.empty()) {
      const auto again = find(near.retried->retried_by);
      if (!again) return std::unexpected(again.error());
      if (!*again) near.retried->retried_by.clear();  // Deleted: it may be retried once more.
    }
  }
  const run::Kind* kind = options_.kinds->find(fact.record.kind);
  if (kind != nullptr && kind->one_per_scope) {
    auto rival = rival_of(fact.record);
    if (!rival) return std::unexpected(rival.error());
    near.rival = std::move(*rival);
  }
  if (kind != nullptr && kind->ends_with_parent) {
    auto parent = find(fact.record.parent_run_id);
    if (!parent) return std::unexpected(parent.error());
    near.parent = std::move(*parent);
  }
  return {};
}

Result<bool> Clerk::replay(const run::Submitted& fact, Answer& answer) {
  std::string id;
  std::string digest;
  auto looked = sql_.find_key.each(
      [&](const Row& row) {
        id = row.text(0);
        digest = row.text(1);
      },
      fact.record.scope, fact.key);
  if (!looked) return std::unexpected(looked.error());
  if (id.empty()) return false;
  if (digest != fact.digest) {
    answer = key_reused(id);
    return true;
  }
  auto first = find(id);
  if (!first) {
    if (auto ok = refuse(std::move(first.error()), answer); !ok) return std::unexpected(ok.error());
    return true;
  }
  if (*first) {
    answer = Written{run::Effect::none, std::move(**first), {}, true};
  } else {
    answer = key_of_deleted(id);
  }
  return true;
}

// Another active run of its kind and scope.
Result<std::optional<run::Record>> Clerk::rival_of(const run::Record& record) {
  std::string id;
  auto asked = sql_.find_rival.each([&](const Row& row) { id = row.text(0); }, record.scope,
                                    record.kind, record.id.view());
  if (!asked) return std::unexpected(asked.error());
  if (id.empty()) return std::nullopt;
  return find(id);
}

Result<std::optional<run::Record>> Clerk::find(std::string_view id) {
  std::optional<Result<run::Record>> found;
  auto ok = sql_.find.each([&](const Row& row) { found = read_record(row); }, id);
  if (!ok) return std::unexpected(ok.error());
  if (!found) return std::nullopt;
  if (!*found) return std::unexpected(found->error());
  return std::move(**found);
}

}  // namespace drover::store::sqlite
