#include "store/sqlite/clerk.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/crash_point.h"
#include "run/kind.h"
#include "store/refusals.h"
#include "store/scopes.h"
#include "store/sqlite/questions.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/schema.h"

namespace drover::store::sqlite {
namespace {

// The writer is told how long the log has become after each commit.
int note_log_pages(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

// A row that holds nonsense is the trouble of who asked for it; the others are well.
Result<> refuse(Error error, Answer& answer) {
  if (error.code != ErrorCode::corrupt) return std::unexpected(std::move(error));
  answer = std::unexpected(std::move(error));
  return {};
}

}  // namespace

Result<std::unique_ptr<Clerk>> Clerk::open(const std::string& path, const Options& options,
                                           const Clock& clock) {
  auto database = Database::open(path, {.read_only = false, .vfs = options.vfs});
  if (!database) return std::unexpected(database.error());
  if (auto ok = migrate(*database, path); !ok) return std::unexpected(ok.error());
  auto ok = database->execute(
      fmt::format("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                  "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = {};",
                  std::int64_t{limits::kLogPagesMax} * 4096));
  if (!ok) return std::unexpected(ok.error());
  std::unique_ptr<Clerk> clerk(new Clerk(std::move(*database), options, clock));
  if (auto prepared = clerk->prepare(); !prepared) return std::unexpected(prepared.error());
  return clerk;
}

Result<> Clerk::prepare() {
  struct Wanted {
    Statement& statement;
    std::string sql;
  };
  const Wanted all[] = {
      {sql_.begin, "BEGIN IMMEDIATE"},
      {sql_.commit, "COMMIT"},
      {sql_.rollback, "ROLLBACK"},
      {sql_.savepoint, "SAVEPOINT fact"},
      {sql_.release, "RELEASE fact"},
      {sql_.undo, "ROLLBACK TO fact"},
      {sql_.find, fmt::format("SELECT {} FROM runs WHERE id = ?1", kRunColumns)},
      {sql_.remove, "DELETE FROM runs WHERE number = ?1"},
      {sql_.find_event, "SELECT type, time FROM spine WHERE run_id = ?1 AND run_seq = ?2"},
      {sql_.add_scope, "INSERT INTO run_scopes (scope, number) VALUES (?1, ?2)"},
      {sql_.add_event_scope, "INSERT INTO spine_scopes (scope, seq) VALUES (?1, ?2)"},
      {sql_.add_label, "INSERT INTO run_labels (key, value, number) VALUES (?1, ?2, ?3)"},
      {sql_.find_key, questions::kKey},
      {sql_.find_rival, questions::kRival},
      {sql_.add_key,
       "INSERT INTO idempotency (scope, key, run_id, digest) VALUES (?1, ?2, ?3, ?4)"},
  };
  for (const Wanted& wanted : all) {
    auto statement = database_.prepare(wanted.sql);
    if (!statement) return std::unexpected(statement.error());
    wanted.statement = std::move(*statement);
  }
  if (auto ok = rooms_.prepare(database_); !ok) return ok;
  if (auto ok = lanes_.prepare(database_); !ok) return ok;
  if (auto ok = tokens_.prepare(database_); !ok) return ok;
  if (auto ok = projects_.prepare(database_); !ok) return ok;
  if (auto ok = links_.prepare(database_); !ok) return ok;
  auto insert = prepare_insert_record(database_);
  if (!insert) return std::unexpected(insert.error());
  sql_.insert = std::move(*insert);
  auto update = prepare_update_record(database_);
  if (!update) return std::unexpected(update.error());
  sql_.update = std::move(*update);
  auto add_event = prepare_insert_event(database_);
  if (!add_event) return std::unexpected(add_event.error());
  sql_.add_event = std::move(*add_event);

  const auto queued = database_.integer(
      "SELECT count(*) FROM runs INDEXED BY runs_active WHERE state = 0 AND state < 3");
  if (!queued) return std::unexpected(queued.error());
  queued_ = *queued;
  sqlite3_wal_hook(database_.raw(), note_log_pages, &log_pages_);
  return {};
}

Result<> Clerk::begin() {
  rooms_.forget();
  queued_here_ = 0;
  return sql_.begin.run();
}

Result<> Clerk::commit() {
  auto ok = sql_.commit.run();
  torn_ =
      !ok && (ok.error().reason == kFileLimit || sqlite3_errcode(database_.raw()) == SQLITE_FULL);
  if (ok) queued_ += queued_here_;
  if (log_pages_ < saved_pages_) saved_pages_ = 0;  // All was saved, and the log began anew.
  return ok;
}

void Clerk::rollback() {
  if (database_.in_transaction()) (void)sql_.rollback.run();
}

Result<> Clerk::record(const Write& write, Answer& answer) {
  if (const auto* lane = std::get_if<LaneSet>(&write)) return write_lane(*lane, answer);
  if (const auto* lane = std::get_if<LaneRemoved>(&write)) return write_lane(*lane, answer);
  if (const auto* token = std::get_if<TokenIssued>(&write))
    return write_in(tokens_, *token, answer);
  if (const auto* token = std::get_if<TokenRevoked>(&write)) {
    return write_in(tokens_, *token, answer);
  }
  if (const auto* project = std::get_if<ProjectAdded>(&write)) {
    return write_in(projects_, *project, answer);
  }
  if (const auto* project = std::get_if<ProjectRemoved>(&write)) {
    return write_in(projects_, *project, answer);
  }
  return record_fact(std::get<run::Fact>(write), answer);
}

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
  std::optional<run::Record> retried;
  if (submitted != nullptr && submitted->retries) {
    auto found = find(submitted->retries->view());
    if (!found) return refuse(std::move(found.error()), answer);
    retried = std::move(*found);
    if (retried && !retried->retried_by.empty()) {
      auto again = find(retried->retried_by);
      if (!again) return refuse(std::move(again.error()), answer);
      if (!*again) retried->retried_by.clear();  // Removed: it may be tried once more.
    }
    moment.retried = retried ? &*retried : nullptr;
  }
  std::optional<run::Record> rival, parent;
  if (submitted != nullptr && run::is_composite(submitted->record.kind)) {
    auto found = rival_of(submitted->record);
    if (!found) return refuse(std::move(found.error()), answer);
    rival = std::move(*found);
    moment.rival = rival ? &*rival : nullptr;
    const auto session = session::parse_session(submitted->record.session);
    if (!session) return refuse(session.error(), answer);
    auto project = projects_.knows(session->project);
    if (!project) return std::unexpected(project.error());
    moment.project_known = *project;
  } else if (submitted != nullptr && submitted->record.kind == run::kRuntime) {
    auto found = find(submitted->record.parent_run_id);
    if (!found) return refuse(std::move(found.error()), answer);
    parent = std::move(*found);
    moment.parent = parent ? &*parent : nullptr;
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

template <class Wish>
Result<> Clerk::write_lane(const Wish& wish, Answer& answer) {
  auto told = [&] {
    if constexpr (std::is_same_v<Wish, LaneSet>) {
      return lanes_.set(wish, clock_.wall_ms());
    } else {
      return lanes_.remove(wish);
    }
  }();
  if (!told) return std::unexpected(told.error());
  rooms_.forget(wish.name);
  answer = std::move(*told);
  return {};
}

template <class Book, class Wish>
Result<> Clerk::write_in(Book& book, const Wish& wish, Answer& answer) {
  auto told = book.write(wish);
  if (!told) return std::unexpected(told.error());
  answer = std::move(*told);
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

Result<bool> Clerk::landed(const Write& write, const Answer& answer) {
  if (!answer) return true;  // A refusal writes nothing.
  bool there = true;
  if (const auto* lane = std::get_if<LaneSet>(&write)) return lanes_.landed(*lane);
  if (const auto* lane = std::get_if<LaneRemoved>(&write)) return lanes_.landed(*lane);
  if (const auto* token = std::get_if<TokenIssued>(&write)) return tokens_.landed(*token);
  if (const auto* token = std::get_if<TokenRevoked>(&write)) return tokens_.landed(*token);
  if (const auto* project = std::get_if<ProjectAdded>(&write)) return projects_.landed(*project);
  if (const auto* project = std::get_if<ProjectRemoved>(&write)) return projects_.landed(*project);
  for (const run::Event& event : answer->events) {
    bool found = false;
    auto ok = sql_.find_event.each(
        [&](const Row& row) { found = row.text(0) == event.type && row.integer(1) == event.time; },
        event.run_id.view(), event.run_seq);
    if (!ok) return std::unexpected(ok.error());
    there = there && found;
  }
  return there;
}

int Clerk::log_pages() const {
  return log_pages_ - saved_pages_;
}

Result<> Clerk::checkpoint() {
  return checkpoint(SQLITE_CHECKPOINT_PASSIVE);
}

Result<> Clerk::empty_log() {
  return checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

Result<> Clerk::seal_log() {
  auto ok = database_.execute(
      fmt::format("BEGIN IMMEDIATE; PRAGMA user_version = {}; COMMIT", schema_version()));
  if (!ok) rollback();
  return ok;
}

Result<> Clerk::checkpoint(int mode) {
  int in_log = 0;
  int saved = 0;
  crash_point("checkpoint.begun");
  auto ok = database_.checkpoint(mode, in_log, saved);
  crash_point("checkpoint.done");
  if (!ok) return ok;
  log_pages_ = in_log;
  saved_pages_ = saved;
  return {};
}

}  // namespace drover::store::sqlite
