#include "store/sqlite/clerk.h"

#include <fmt/format.h>

#include "base/crash_point.h"
#include "store/scopes.h"
#include "store/sqlite/fixed_sql.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/schema.h"

namespace drover::store::sqlite {
namespace {

// SQLite calls this after each commit with the length of the WAL.
int note_wal_pages(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

}  // namespace

Result<std::unique_ptr<Clerk>> Clerk::open(const std::string& path, const Options& options,
                                           const Clock& clock) {
  auto database = Database::open(path, {.read_only = false, .vfs = options.vfs});
  if (!database) return std::unexpected(database.error());
  if (auto ok = migrate(*database, path, options.rooms); !ok) return std::unexpected(ok.error());
  auto ok = database->execute(fmt::format(
      "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
      "PRAGMA temp_store = MEMORY;"  // For the undo data of savepoints: some twenty pages.
      "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = {};",
      std::int64_t{limits::kWalPagesMax} * 4096));
  if (!ok) return std::unexpected(ok.error());
  std::unique_ptr<Clerk> clerk(new Clerk(std::move(*database), options, clock));
  if (auto prepared = clerk->prepare(); !prepared) return std::unexpected(prepared.error());
  if (auto ready = clerk->prepare_epoch(); !ready) return std::unexpected(ready.error());
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
      {sql_.work_savepoint, "SAVEPOINT work"},
      {sql_.work_release, "RELEASE work"},
      {sql_.work_undo, "ROLLBACK TO work"},
      {sql_.find, fmt::format("SELECT {} FROM runs WHERE id = ?1", run_columns())},
      {sql_.remove, "DELETE FROM runs WHERE number = ?1"},
      {sql_.find_event, "SELECT type, time FROM spine WHERE subject = ?1 AND run_seq = ?2"},
      {sql_.last_of_subject, "SELECT ifnull(max(run_seq), 0) FROM spine WHERE subject = ?1"},
      {sql_.old_progress, fixed_sql::kOldProgress},
      {sql_.remove_event, "DELETE FROM spine WHERE seq = ?1"},
      {sql_.remove_event_scope, "DELETE FROM spine_scopes WHERE scope = ?1 AND seq = ?2"},
      {sql_.add_scope, "INSERT INTO run_scopes (scope, number) VALUES (?1, ?2)"},
      {sql_.add_event_scope, "INSERT INTO spine_scopes (scope, seq) VALUES (?1, ?2)"},
      {sql_.add_label, "INSERT INTO run_labels (key, value, number) VALUES (?1, ?2, ?3)"},
      {sql_.find_key, fixed_sql::kKey},
      {sql_.find_rival, fixed_sql::kRival},
      {sql_.add_key,
       "INSERT INTO idempotency (scope, key, run_id, digest) VALUES (?1, ?2, ?3, ?4)"},
      {sql_.take_up_key,
       "INSERT OR IGNORE INTO idempotency (scope, key, run_id, digest) VALUES (?1, ?2, ?3, ?4)"},
  };
  for (const Wanted& wanted : all) {
    auto statement = database_.prepare(wanted.sql);
    if (!statement) return std::unexpected(statement.error());
    wanted.statement = std::move(*statement);
  }
  if (auto ok = capacity_.prepare(database_, *options_.kinds); !ok) return ok;
  if (auto ok = lanes_.prepare(database_); !ok) return ok;
  if (auto ok = dependency_reader_.prepare(database_); !ok) return ok;
  if (auto ok = compactor_.prepare(database_); !ok) return ok;
  auto insert = prepare_insert_record(database_);
  if (!insert) return std::unexpected(insert.error());
  sql_.insert = std::move(*insert);
  auto update = prepare_update_record(database_);
  if (!update) return std::unexpected(update.error());
  sql_.update = std::move(*update);
  auto links = prepare_update_links(database_);
  if (!links) return std::unexpected(links.error());
  sql_.update_links = std::move(*links);
  auto add_event = prepare_insert_event(database_);
  if (!add_event) return std::unexpected(add_event.error());
  sql_.add_event = std::move(*add_event);

  const auto queued = database_.integer(
      "SELECT count(*) FROM runs INDEXED BY runs_active WHERE state = 0 AND state < 3");
  if (!queued) return std::unexpected(queued.error());
  queued_ = *queued;
  sqlite3_wal_hook(database_.raw(), note_wal_pages, &wal_pages_);
  return {};
}

Result<> Clerk::begin() {
  capacity_.forget();
  queued_here_ = 0;
  last_seq_here_ = last_seq_;
  return sql_.begin.run();
}

Result<> Clerk::commit() {
  if (!epoch_stored_ && last_seq_here_ > last_seq_) {
    if (auto added = add_epoch(); !added) return added;
  }
  auto ok = sql_.commit.run();
  torn_ =
      !ok && (ok.error().reason == kFileLimit || sqlite3_errcode(database_.raw()) == SQLITE_FULL);
  if (ok) {
    queued_ += queued_here_;
    epoch_stored_ |= last_seq_here_ > last_seq_;
    last_seq_ = last_seq_here_;
  }
  // Everything was saved, and the WAL started again.
  if (wal_pages_ < saved_pages_) saved_pages_ = 0;
  return ok;
}

void Clerk::rollback() {
  if (database_.in_transaction()) (void)sql_.rollback.run();
}

Result<> Clerk::record(const Write& write, Answer& answer) {
  if (const auto* lane = std::get_if<LaneSet>(&write)) return write_lane(*lane, answer);
  if (const auto* lane = std::get_if<LaneRemoved>(&write)) return write_lane(*lane, answer);
  if (const auto* work = std::get_if<Work>(&write)) return record_work(*work, answer);
  if (const auto* wish = std::get_if<Compaction>(&write)) {
    auto done = compactor_.step(*wish);
    if (!done) return std::unexpected(done.error());
    answer = Written{.effect = run::Effect::none, .compacted = *done};
    return {};
  }
  return record_fact(std::get<run::Fact>(write), answer);
}

template <class LaneWrite>
Result<> Clerk::write_lane(const LaneWrite& wish, Answer& answer) {
  auto subject_event = [&] {
    if constexpr (std::is_same_v<LaneWrite, LaneSet>) {
      return lanes_.set(wish, clock_.wall_ms());
    } else {
      return lanes_.remove(wish, *options_.kinds);
    }
  }();
  if (!subject_event) return std::unexpected(subject_event.error());
  capacity_.forget(wish.name);
  if (!*subject_event) {
    answer = std::unexpected(subject_event->error());
    return {};
  }
  if (!**subject_event) {
    answer = Written{.effect = run::Effect::none};
    return {};
  }
  auto event = add_subject_event(std::move(***subject_event));
  if (!event) return std::unexpected(event.error());
  answer = Written{.events = {std::move(*event)}};
  return {};
}

Result<> Clerk::add_event(run::Event& event) {
  if (auto ok = insert_event(sql_.add_event, event); !ok) return ok;
  event.seq = database_.last_number();
  last_seq_here_ = event.seq;
  for (const std::string_view scope : scopes_above(event.scope)) {
    if (scope == kCommonScope) continue;
    if (auto ok = sql_.add_event_scope.run(scope, event.seq); !ok) return ok;
  }
  return {};
}

Result<run::Event> Clerk::add_subject_event(SubjectEvent subject_event) {
  run::Event event{.seq = 0,
                   .run_id = {},
                   .other = std::move(subject_event.subject),
                   .run_seq = 0,
                   .type = std::move(subject_event.type),
                   .time = clock_.wall_ms(),
                   .trace_id = {},
                   .scope = std::move(subject_event.scope),
                   .is_final = false,
                   .data = std::move(subject_event.data)};
  auto last = sql_.last_of_subject.each([&](const Row& row) { event.run_seq = row.integer(0) + 1; },
                                        event.other);
  if (!last) return std::unexpected(last.error());
  if (auto ok = add_event(event); !ok) return std::unexpected(ok.error());
  return event;
}

Result<bool> Clerk::landed(const Answer& answer) {
  if (!answer) return true;  // A refusal writes nothing.
  bool there = true;
  for (const run::Event& event : answer->events) {
    bool found = false;
    auto ok = sql_.find_event.each(
        [&](const Row& row) { found = row.text(0) == event.type && row.integer(1) == event.time; },
        stored_subject(event), event.run_seq);
    if (!ok) return std::unexpected(ok.error());
    there = there && found;
  }
  return there ? compactor_.landed(answer->compacted.step) : Result<bool>(false);
}

int Clerk::wal_pages() const {
  return wal_pages_ - saved_pages_;
}

Result<> Clerk::checkpoint() {
  return checkpoint(SQLITE_CHECKPOINT_PASSIVE);
}

Result<> Clerk::empty_wal() {
  return checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

Result<> Clerk::seal_wal() {
  auto ok = database_.execute(
      fmt::format("BEGIN IMMEDIATE; PRAGMA user_version = {}; COMMIT", schema_version()));
  if (!ok) rollback();
  return ok;
}

Result<> Clerk::checkpoint(int mode) {
  int in_wal = 0;
  int saved = 0;
  crash_point("checkpoint.begun");
  auto ok = database_.checkpoint(mode, in_wal, saved);
  crash_point("checkpoint.done");
  if (!ok) return ok;
  wal_pages_ = in_wal;
  saved_pages_ = saved;
  return {};
}

}  // namespace drover::store::sqlite
