// How a clerk carries out a Work: in a savepoint, with a bound on its time. If it is refused,
// everything is undone, including the counters that are kept outside the tables.
#include <algorithm>
#include <ctime>
#include <exception>

#include "base/limits.h"
#include "store/refusals.h"
#include "store/sqlite/clerk.h"

namespace drover::store::sqlite {
namespace {

// Instructions of SQLite's virtual machine: some microseconds.
constexpr int kStepsBetweenLooks = 1'000;

// The CPU time of this thread, not the time that has passed: a busy machine must not make a Work
// look slow.
std::int64_t worked_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Interrupts the statements of a Work that has used up its time.
class WorkDeadline {
 public:
  explicit WorkDeadline(sqlite3* database)
      : database_(database), until_(worked_ns() + limits::kWorkMs * 1'000'000) {
    sqlite3_progress_handler(database_, kStepsBetweenLooks, &WorkDeadline::look, this);
  }
  ~WorkDeadline() { sqlite3_progress_handler(database_, 0, nullptr, nullptr); }
  WorkDeadline(const WorkDeadline&) = delete;
  WorkDeadline& operator=(const WorkDeadline&) = delete;

  bool is_over() const { return worked_ns() > until_; }

 private:
  static int look(void* self) { return static_cast<WorkDeadline*>(self)->is_over() ? 1 : 0; }

  sqlite3* database_;
  std::int64_t until_;
};

// The dispatcher moves a run's files away before its record is deleted; a Work cannot.
std::unexpected<Error> cannot_delete() {
  return fail(ErrorCode::invalid, "not_in_a_work", "a Work cannot delete a run", "run_id");
}

}  // namespace

// The Transaction that a Work gets. It remembers an error of the database: a Work that ignores it
// must not hide it.
class Clerk::WorkTransaction final : public Transaction {
 public:
  explicit WorkTransaction(Clerk& clerk) : clerk_(clerk) {}

  WallMs now() const override { return clerk_.clock_.wall_ms(); }

  Result<> execute(std::string_view sql, const Values& values) override {
    auto rows = query(sql, values);
    return rows ? Result<>{} : std::unexpected(rows.error());
  }
  Result<> execute_without_event(std::string_view sql, const Values& values) override {
    const std::int64_t before = changes();
    auto done = execute(sql, values);
    changed_without_event_ += changes() - before;
    return done;
  }
  Result<Table> query(std::string_view sql, const Values& values) override {
    if (auto ok = check_transaction(); !ok) return std::unexpected(ok.error());
    return note(clerk_.statements_of_rooms_.ask(clerk_.database_, sql, values));
  }
  Result<std::optional<run::Record>> find(const RunId& id) override {
    if (auto ok = check_transaction(); !ok) return std::unexpected(ok.error());
    return note(clerk_.find(id.view()));
  }
  Result<Written> record(const run::Fact& fact) override {
    if (std::holds_alternative<run::Deleted>(fact)) return cannot_delete();
    if (auto ok = check_transaction(); !ok) return std::unexpected(ok.error());
    Answer answer;
    if (auto ok = clerk_.record_fact(fact, answer); !ok) {
      failure_ = ok.error();
      return std::unexpected(ok.error());
    }
    if (answer) keep(*answer);
    return answer;
  }
  Result<> append(SubjectEvent subject_event) override {
    if (auto ok = check_transaction(); !ok) return ok;
    auto event = note(clerk_.add_subject_event(std::move(subject_event)));
    if (!event) return std::unexpected(event.error());
    written_.events.push_back(std::move(*event));
    return {};
  }

  const std::optional<Error>& failure() const { return failure_; }
  // Whether rows were changed without an event for them.
  bool lacks_an_event() const {
    return changes() - changes_before_ != changed_without_event_ && written_.events.empty();
  }
  Written& written() { return written_; }

 private:
  // A Work may continue after an interrupt that ended the transaction. Without this check SQLite
  // would commit each further statement by itself.
  Result<> check_transaction() const {
    return clerk_.database_.in_transaction() ? Result<>{} : work_slow();
  }
  // A constraint, or an unreadable row, refuses only the Work; every other error fails the
  // transaction.
  template <class T>
  Result<T> note(Result<T> result) {
    const bool own = result || result.error().reason == kAlreadyRecorded ||
                     result.error().reason == kStatementRefused ||
                     result.error().code == ErrorCode::corrupt;
    if (!own || !clerk_.database_.in_transaction()) {
      failure_ = result ? Error{} : result.error();
    }
    return result;
  }

  // The first record is the answer; the others are added to `also`.
  void keep(const Written& part) {
    written_.replayed = written_.replayed || part.replayed;
    if (std::exchange(has_record_, true)) {
      keep(part.record);
    } else {
      written_.record = part.record;
      written_.effect = part.effect;
    }
    for (const run::Record& other : part.also) keep(other);
    written_.events.insert(written_.events.end(), part.events.begin(), part.events.end());
  }

  // A run that changed twice is returned in its last version.
  void keep(const run::Record& record) {
    if (written_.record.id == record.id) {
      written_.record = record;
      return;
    }
    const auto known = std::ranges::find(written_.also, record.id, &run::Record::id);
    if (known == written_.also.end()) {
      written_.also.push_back(record);
    } else {
      *known = record;
    }
  }

  std::int64_t changes() const { return sqlite3_total_changes64(clerk_.database_.raw()); }

  Clerk& clerk_;
  const std::int64_t changes_before_ = changes();
  std::int64_t changed_without_event_ = 0;
  Written written_;
  std::optional<Error> failure_;
  bool has_record_ = false;
};

Result<> Clerk::record_work(const Work& work, Answer& answer) {
  const std::int64_t queued = queued_here_;
  if (auto ok = sql_.work_savepoint.run(); !ok) return ok;
  WorkTransaction transaction(*this);
  Result<> done;
  {
    const WorkDeadline patience(database_.raw());
    try {
      done = work(transaction);
    } catch (const std::exception& thrown) {
      done = fail(ErrorCode::conflict, "work_failed", thrown.what());
    }
    if (patience.is_over()) done = work_slow();
  }
  if (done && transaction.lacks_an_event()) done = work_without_event();
  // An interrupted write ends the whole transaction; so does a failing disk.
  if (!database_.in_transaction()) {
    if (!done && done.error().reason == kWorkSlow) return std::unexpected(done.error());
    return std::unexpected(transaction.failure().value_or(Error{}));
  }
  if (transaction.failure() && (done || done.error().reason != kWorkSlow)) {
    return std::unexpected(*transaction.failure());
  }
  if (done) {
    answer = std::move(transaction.written());
    return sql_.work_release.run();
  }
  if (auto undone = sql_.work_undo.run(); !undone) return undone;
  capacity_.forget();
  queued_here_ = queued;
  answer = std::unexpected(done.error());
  return sql_.work_release.run();
}

}  // namespace drover::store::sqlite
