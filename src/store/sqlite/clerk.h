// A Clerk carries out writes inside an open transaction: it reads the row, lets run::apply judge
// the fact, and writes the result. It owns the writing connection and its prepared statements,
// decides nothing itself and starts no thread.
//
// Lives on the writer's thread. After a failed commit it is destroyed and another one is opened.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "store/epochs.h"
#include "store/sqlite/compactor.h"
#include "store/sqlite/database.h"
#include "store/sqlite/dependency_reader.h"
#include "store/sqlite/free_statements.h"
#include "store/sqlite/lane_book.h"
#include "store/sqlite/lane_capacity.h"
#include "store/sqlite/options.h"
#include "store/store.h"

namespace drover::store::sqlite {

// The result for a caller, sent once the transaction is committed.
using Answer = Result<Written>;

class Clerk {
 public:
  // Opens the database and migrates its schema. `clock` must outlive the clerk.
  static Result<std::unique_ptr<Clerk>> open(const std::string& path, const Options& options,
                                             const Clock& clock);

  Result<> begin();
  // An error means that the transaction is lost, with every answer given in it. A refusal is an
  // answer, and leaves the transaction as it was.
  Result<> record(const Write& write, Answer& answer);
  Result<> commit();
  void rollback();
  // Whether the failed commit left an incomplete WAL because the disk is full.
  bool is_torn() const { return torn_; }

  // The epoch of this start (store/epochs.h). It is stored with its first event.
  Epoch epoch() const {
    return {.name = options_.epoch, .first_seq = epoch_first_seq_, .follows = epoch_follows_};
  }
  // The last event that was committed.
  std::int64_t last_seq() const { return last_seq_; }

  // Whether the changes that `answer` reports are stored. Asked after a commit of unknown fate.
  Result<bool> landed(const Answer& answer);

  // WAL pages that a checkpoint could save; the WAL is reused once all are saved.
  int wal_pages() const;
  int wal_size() const { return wal_pages_; }  // In pages, saved or not.
  Result<> checkpoint();
  // Saves all pages and truncates the WAL.
  Result<> empty_wal();
  // Commits again without changes, so that the remains of a failed commit in the WAL can never be
  // recovered, not even after a power cut.
  Result<> seal_wal();

 private:
  struct Statements {
    Statement begin, commit, rollback, savepoint, release, undo;
    Statement work_savepoint, work_release, work_undo;
    Statement find, insert, update, update_links, remove, add_event, find_event;
    Statement add_scope, add_event_scope, add_label, find_key, add_key, take_up_key, find_rival,
        last_of_subject;
    Statement old_progress, remove_event, remove_event_scope;
  };

  Clerk(Database database, const Options& options, const Clock& clock)
      : options_(options), clock_(clock), database_(std::move(database)) {}
  Result<> prepare();
  Result<> checkpoint(int mode);
  // Epochs and restored databases: clerk_epoch.cc.
  Result<> prepare_epoch();
  Result<> record_restore();
  Result<> add_epoch();

  // Facts about runs: clerk_facts.cc.
  struct Neighbors;
  Result<> record_fact(const run::Fact& fact, Answer& answer);
  Result<> read_neighbors(const run::Submitted& fact, Neighbors& near);
  template <class LaneWrite>
  Result<> write_lane(const LaneWrite& wish, Answer& answer);
  // Works: clerk_work.cc.
  class WorkTransaction;
  Result<> record_work(const Work& work, Answer& answer);
  // Writes an event and assigns its seq.
  Result<> add_event(run::Event& event);
  Result<run::Event> add_subject_event(SubjectEvent subject_event);
  Result<std::optional<run::Record>> rival_of(const run::Record& record);
  // True: the key was used before, and `answer` is set accordingly.
  Result<bool> replay(const run::Submitted& fact, Answer& answer);
  Result<std::optional<run::Record>> find(std::string_view id);
  Result<> store_change(const run::Record* before, const run::Fact& fact, run::Change& change);
  // Removes the older progress events of a run (limits::kProgressKept).
  Result<> forget_progress(const run::Event& newest);
  Result<> add_run(run::Record& record, std::vector<run::Event>& events);
  Result<> add_lane(const std::string& lane, std::vector<run::Event>& events);

  const Options options_;
  const Clock& clock_;
  Database database_;
  Statements sql_;
  std::int64_t epoch_first_seq_ = 1;
  std::int64_t epoch_follows_ = 0;
  bool epoch_stored_ = false;
  std::int64_t last_seq_ = 0;
  std::int64_t last_seq_here_ = 0;  // Including this transaction.
  LaneCapacity capacity_;
  LaneBook lanes_;
  DependencyReader dependency_reader_;
  Compactor compactor_;
  FreeStatements statements_of_rooms_;
  std::int64_t queued_ = 0;       // As committed; bounds the queue approximately.
  std::int64_t queued_here_ = 0;  // Added by this transaction.
  int wal_pages_ = 0;
  int saved_pages_ = 0;
  bool torn_ = false;
};

}  // namespace drover::store::sqlite
