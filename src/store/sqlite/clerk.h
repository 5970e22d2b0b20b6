// A clerk carries out writes inside an open transaction: it reads the row, has run::apply judge the
// fact, and writes what the judgement says. It holds the writing connection and its prepared
// statements, decides nothing itself and starts no thread.
//
// Lives on the writer's thread. After a failed commit it is thrown away and another one opened.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "store/sqlite/database.h"
#include "store/sqlite/free_statements.h"
#include "store/sqlite/lane_book.h"
#include "store/sqlite/lane_capacity.h"
#include "store/sqlite/links.h"
#include "store/sqlite/options.h"
#include "store/store.h"

namespace drover::store::sqlite {

// What a caller will be told once the transaction is committed.
using Answer = Result<Written>;

class Clerk {
 public:
  // Opens the database, brings its schema up to date. `clock` must outlive the clerk.
  static Result<std::unique_ptr<Clerk>> open(const std::string& path, const Options& options,
                                             const Clock& clock);

  Result<> begin();
  // An error means that the transaction is lost, and with it every answer given in it. A refusal
  // is an answer, and leaves the transaction as it was.
  Result<> record(const Write& write, Answer& answer);
  Result<> commit();
  void rollback();
  // Whether the end of the failed commit was never written, for want of room.
  bool is_torn() const { return torn_; }

  // Whether what `answer` says was written is there. Asked after a commit whose fate is unknown.
  Result<bool> landed(const Answer& answer);

  // Log pages that a checkpoint could save; the log itself is reused once all are saved.
  int log_pages() const;
  Result<> checkpoint();
  // Saves everything and cuts the log to nothing.
  Result<> empty_log();
  // Commits once more what is there, so that nothing a failed commit left in the log can ever be
  // found behind it, not even after a power cut.
  Result<> seal_log();

 private:
  struct Statements {
    Statement begin, commit, rollback, savepoint, release, undo;
    Statement work_savepoint, work_release, work_undo;
    Statement find, insert, update, update_links, remove, add_event, find_event;
    Statement add_scope, add_event_scope, add_label, find_key, add_key, find_rival, last_of_subject;
  };

  Clerk(Database database, const Options& options, const Clock& clock)
      : options_(options), clock_(clock), database_(std::move(database)) {}
  Result<> prepare();
  Result<> checkpoint(int mode);

  // Facts about runs: clerk_facts.cc.
  struct Neighbours;
  Result<> record_fact(const run::Fact& fact, Answer& answer);
  Result<> look_around(const run::Submitted& fact, Neighbours& near);
  template <class LaneWrite>
  Result<> write_lane(const LaneWrite& wish, Answer& answer);
  // What somebody above has defined: clerk_work.cc.
  class Desk;
  Result<> record_work(const Work& work, Answer& answer);
  // Writes an event, and gives it its place.
  Result<> add_event(run::Event& event);
  Result<run::Event> add_notice(Notice notice);
  Result<std::optional<run::Record>> rival_of(const run::Record& record);
  // True: the key was used before, and `answer` says what follows from that.
  Result<bool> replay(const run::Submitted& fact, Answer& answer);
  Result<std::optional<run::Record>> find(std::string_view id);
  Result<> store_change(const run::Record* before, const run::Fact& fact, run::Change& change);
  Result<> add_run(run::Record& record, std::vector<run::Event>& events);
  Result<> add_lane(const std::string& lane, std::vector<run::Event>& events);

  const Options options_;
  const Clock& clock_;
  Database database_;
  Statements sql_;
  LaneCapacity capacity_;
  LaneBook lanes_;
  Links links_;
  FreeStatements statements_of_rooms_;
  std::int64_t queued_ = 0;       // As committed; a bound on the queue, not a promise.
  std::int64_t queued_here_ = 0;  // What this transaction adds to it.
  int log_pages_ = 0;
  int saved_pages_ = 0;
  bool torn_ = false;
};

}  // namespace drover::store::sqlite
