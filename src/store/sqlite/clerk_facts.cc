// How a clerk records a fact about a run: what is known of it and around it is read, run::apply
// judges, and what the judgement says is written.
#include <algorithm>

#include "run/kind.h"
#include "session/session.h"
#include "store/refusals.h"
#include "store/scopes.h"
#include "store/sqlite/clerk.h"
#include "store/sqlite/rows.h"

namespace drover::store::sqlite {
namespace {

// A row that holds nonsense is the trouble of who asked for it; the others are well.
Result<> refuse(Error error, Answer& answer) {
  if (error.code != ErrorCode::corrupt) return std::unexpected(std::move(error));
  answer = std::unexpected(std::move(error));
  return {};
}

}  // namespace

// What a submission is judged by, beside the run itself.
struct Clerk::Neighbours {
  std::optional<run::Record> retried, rival, parent;
  bool project_known = true;

  void tell(run::Moment& moment) const {
    const auto seen = [](const std::optional<run::Record>& r) { return r ? &*r : nullptr; };
    moment.retried = seen(retried);
    moment.rival = seen(rival);
    moment.parent = seen(parent);
    moment.project_known = project_known;
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
  run::Moment moment{.wall_ms = clock_.wall_ms(), .mono_ns = clock_.mono_ns()};
  if (auto ok = rooms_.look(fact, known, moment); !ok) return ok;
  const auto dependencies = links_.dependencies(fact, known);
  if (!dependencies) return std::unexpected(dependencies.error());
  moment.dependencies = *dependencies;
  Neighbours near;
  if (submitted != nullptr) {
    if (auto ok = look_around(*submitted, near); !ok) return refuse(std::move(ok.error()), answer);
    near.tell(moment);
  }
  auto change = run::apply(known, fact, moment);
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

  // Nothing above has written: only what may still be refused by a constraint needs undoing.
  if (auto ok = sql_.savepoint.run(); !ok) return ok;
  if (auto ok = store_change(fact, *change); !ok) {
    if (ok.error().reason != kAlreadyRecorded || !database_.in_transaction()) return ok;
    if (auto undone = sql_.undo.run(); !undone) return undone;
    answer = std::unexpected(std::move(ok.error()));
    return sql_.release.run();
  }
  if (auto ok = sql_.release.run(); !ok) return ok;
  rooms_.count(known, *change);
  queued_here_ += int{change->after.state == run::State::queued} -
                  int{known != nullptr && known->state == run::State::queued};
  Written written{change->effect, std::move(change->after), std::move(change->events), false};
  for (const run::Record& other : change->also) {
    queued_here_ += int{other.state == run::State::queued};
  }
  written.also = std::move(change->also);
  if (std::holds_alternative<run::Moved>(fact)) written.left = Place{known->lane, known->priority};
  answer = std::move(written);
  return {};
}

Result<> Clerk::store_change(const run::Fact& fact, run::Change& change) {
  for (run::Event& event : change.events) {
    if (auto ok = insert_event(sql_.add_event, event); !ok) return ok;
    event.seq = database_.last_number();
    for (const std::string_view scope : scopes_above(event.scope)) {
      if (scope == kCommonScope) continue;
      if (auto ok = sql_.add_event_scope.run(scope, event.seq); !ok) return ok;
    }
  }
  if (const auto* submitted = std::get_if<run::Submitted>(&fact)) {
    if (auto ok = add_run(change.after, change.events); !ok) return ok;
    for (const run::Record& retried : change.also) {
      if (auto ok = links_.update(retried); !ok) return ok;
    }
    if (submitted->key.empty()) return {};
    const run::Record& record = change.after;
    return sql_.add_key.run(record.scope, submitted->key, record.id.view(), submitted->digest);
  }
  if (change.effect == run::Effect::removed) return sql_.remove.run(change.after.number);
  if (auto ok = update_record(sql_.update, change.after); !ok) return ok;
  if (!Links::changes_in(fact, change)) return {};
  if (auto ok = links_.update(change.after); !ok) return ok;
  for (run::Record& next : change.also) {
    if (auto ok = add_run(next, change.events); !ok) return ok;
  }
  return add_lane(change.after.lane);
}

Result<> Clerk::add_run(run::Record& record, const std::vector<run::Event>& events) {
  // The place of its first event is the run's number: it is never given again, and keeping a
  // second count would cost a page in every commit.
  record.number = std::ranges::find(events, record.id, &run::Event::run_id)->seq;
  if (auto ok = insert_record(sql_.insert, record); !ok) return ok;
  for (const std::string_view scope : scopes_above(record.scope)) {
    if (auto ok = sql_.add_scope.run(scope, record.number); !ok) return ok;
  }
  for (const auto& [key, value] : record.labels) {
    if (auto ok = sql_.add_label.run(key, value, record.number); !ok) return ok;
  }
  return add_lane(record.lane);
}

// A lane comes into being with its first run.
Result<> Clerk::add_lane(const std::string& lane) {
  if (lane.empty()) return {};
  auto room = rooms_.of(lane);
  if (!room) return std::unexpected(room.error());
  if (room->exists) return {};
  return lanes_.add(lane, room->limit);
}

// A play has rivals and a project, a runtime its play, another attempt the one before.
Result<> Clerk::look_around(const run::Submitted& fact, Neighbours& near) {
  if (fact.retries) {
    auto found = find(fact.retries->view());
    if (!found) return std::unexpected(found.error());
    near.retried = std::move(*found);
    if (near.retried && !near.retried->retried_by.empty()) {
      const auto again = find(near.retried->retried_by);
      if (!again) return std::unexpected(again.error());
      if (!*again) near.retried->retried_by.clear();  // Removed: it may be tried once more.
    }
  }
  if (run::is_composite(fact.record.kind)) {
    auto rival = rival_of(fact.record);
    if (!rival) return std::unexpected(rival.error());
    near.rival = std::move(*rival);
    const auto session = session::parse_session(fact.record.session);
    if (!session) return std::unexpected(session.error());
    const auto project = projects_.knows(session->project);
    if (!project) return std::unexpected(project.error());
    near.project_known = *project;
  } else if (fact.record.kind == run::kRuntime) {
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

// P6: another play of the same project that has not ended.
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
