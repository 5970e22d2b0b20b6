#include "store/sqlite/writer.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/crash_point.h"
#include "base/short_turns.h"
#include "store/refusals.h"

namespace drover::store::sqlite {
namespace {

// A sync costs more than waiting this long for other writes that need one, too. Only writes that
// come in groups wait: a single one is answered as fast as the disk allows.
constexpr std::chrono::microseconds kGather{400};

}  // namespace

Writer::Writer(std::unique_ptr<Clerk> clerk, Generation generation, std::string path,
               Options options, const Clock& clock)
    : path_(std::move(path)),
      options_(std::move(options)),
      clock_(clock),
      generation_(std::move(generation)),
      file_(options_.vfs.empty() ? path_ : ""),
      clerk_(std::move(clerk)) {
  generation_.note(clerk_->last_seq());
  thread_ = std::thread([this] { loop(); });
}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Writer::write(Write write, Done done) {
  bool wake = false;
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    full = waiting_.size() >= options_.write_queue_max;
    wake = waiting_.empty() || waiting_.size() + 1 == expected_together_;
    if (!full) waiting_.push_back({std::move(write), std::move(done)});
  }
  if (full) {
    done(write_queue_full());
  } else if (wake) {
    changed_.notify_one();
  }
}

void Writer::loop() {
  take_short_turns();
  std::vector<Item> batch;
  while (take(batch)) {
    carry_out(batch);
    batch.clear();
  }
}

bool Writer::take(std::vector<Item>& batch) {
  const auto ready = [this] { return stopping_ || !waiting_.empty(); };
  // Under constant load the writer is never idle, and the WAL must not grow for ever.
  if (clerk_ && clerk_->wal_pages() >= options_.wal_pages_max) {
    (void)clerk_->checkpoint();
    if (clerk_->wal_pages() >= options_.wal_pages_max) options_.interrupt_readers();
  }
  // All of it is saved, and yet it grows: some snapshot always uses it.
  if (clerk_ && clerk_->wal_size() >= 4 * options_.wal_pages_max) options_.interrupt_readers();
  std::unique_lock lock(mutex_);
  if (clerk_ && clerk_->wal_pages() >= options_.checkpoint_pages) {
    if (!changed_.wait_for(lock, std::chrono::milliseconds(limits::kCheckpointIdleMs), ready)) {
      lock.unlock();
      (void)clerk_->checkpoint();  // If it fails it is tried again; the WAL has everything.
      lock.lock();
    }
  }
  changed_.wait(lock, ready);
  if (expected_together_ > 1) {
    changed_.wait_for(lock, kGather,
                      [this] { return stopping_ || waiting_.size() >= expected_together_; });
  }
  if (waiting_.empty()) return false;
  expected_together_ =
      waiting_.size() == 1
          ? 1
          : waiting_.size() + 1;  // One more than this time, while writes come in groups.
  if (waiting_.size() <= limits::kCommitBatchMax) {
    std::swap(batch, waiting_);
    return true;
  }
  const auto end = waiting_.begin() + limits::kCommitBatchMax;
  std::move(waiting_.begin(), end, std::back_inserter(batch));
  waiting_.erase(waiting_.begin(), end);
  return true;
}

void Writer::carry_out(std::vector<Item>& batch) {
  std::vector<Answer> answers;
  answers.reserve(batch.size());
  full_ = false;
  auto ok = commit(batch, answers);
  // SQLite rolls everything back when it interrupts a write. Each round refuses one more Work.
  while (!ok && ok.error().reason == kWorkSlow) {
    answers.clear();
    ok = commit(batch, answers);
  }
  if (!ok && full_ && freed_wal_space()) {
    answers.clear();
    ok = commit(batch, answers);
  }
  if (!ok) {
    // The transaction is lost, and so are its refusals: they may depend on what was lost.
    answers.assign(batch.size(), Answer(std::unexpected(ok.error())));
  } else {
    commits_.fetch_add(1, std::memory_order_relaxed);
    // Before any caller gets its answer, so that no event number that a client has seen is reused.
    generation_.note(clerk_->last_seq());
    crash_point("commit.generation_noted");
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    batch[i].done(std::move(answers[i]));
    crash_point("commit.told");
  }
}

Result<> Writer::commit(std::vector<Item>& batch, std::vector<Answer>& answers) {
  if (auto there = file_.check(); !there) return there;
  if (!clerk_) {
    auto ok = reopen();
    if (!ok && repair_ != WalRepair::none) return commit_unknown(ok.error().message);
    if (!ok) return ok;
  }
  if (repair_ != WalRepair::none) {
    if (auto ok = repair_wal(); !ok) return ok;
  }
  if (auto ok = clerk_->begin(); !ok) return ok;
  crash_point("commit.begun");
  for (Item& item : batch) {
    if (item.refused) {
      answers.emplace_back(std::unexpected(*item.refused));
      continue;
    }
    auto ok = clerk_->record(item.write, answers.emplace_back());
    if (!ok) {
      if (ok.error().reason == kWorkSlow) item.refused = ok.error();
      clerk_->rollback();
      return ok;
    }
    crash_point("commit.part_written");
  }
  crash_point("commit.written");
  auto ok = clerk_->commit();
  crash_point("commit.durable");
  if (ok) return ok;
  return resolve_failed_commit(answers, ok.error());
}

Result<> Writer::resolve_failed_commit(const std::vector<Answer>& answers, const Error& why) {
  clerk_->rollback();
  full_ = clerk_->is_torn();
  clerk_.reset();
  if (full_) return std::unexpected(why);  // Its end was never written: nothing to look for.
  repair_ = WalRepair::seal;
  if (auto ok = reopen(); !ok) return commit_unknown(ok.error().message);
  const auto there = landed(answers);
  if (!there) return commit_unknown(there.error().message);
  if (*there) repair_ = WalRepair::save;
  if (auto ok = repair_wal(); !ok) return ok;
  if (*there) return {};
  return std::unexpected(why);
}

// The WAL cannot grow. But if all of it can be saved in the database file, which has most of its
// pages already, the next commit overwrites the saved part and needs no more space.
bool Writer::freed_wal_space() {
  return (clerk_ || reopen()) && clerk_->checkpoint() && clerk_->wal_pages() == 0;
}

// One transaction: if a part of it is missing, all of it is.
Result<bool> Writer::landed(const std::vector<Answer>& answers) {
  for (const Answer& answer : answers) {
    auto there = clerk_->landed(answer);
    if (!there || !*there) return there;
  }
  return true;
}

// After a failed sync, its pages may be in memory only, and later syncs will not save them either.
// Neither the database file nor later commits may depend on them.
Result<> Writer::repair_wal() {
  const bool sealed = repair_ == WalRepair::seal && clerk_->seal_wal();
  if (!sealed) {  // Or the WAL has no space left: then it starts again.
    auto ok = clerk_->empty_wal();
    if (ok) ok = clerk_->seal_wal();
    if (!ok) {
      clerk_.reset();
      return commit_unknown(ok.error().message);
    }
  }
  repair_ = WalRepair::none;
  return {};
}

// A database that is gone is not created again: it would begin empty beside its own runs.
Result<> Writer::reopen() {
  if (auto there = file_.check(); !there) return there;
  auto clerk = Clerk::open(path_, options_, clock_);
  if (!clerk) return std::unexpected(clerk.error());
  clerk_ = std::move(*clerk);
  return {};
}

}  // namespace drover::store::sqlite
