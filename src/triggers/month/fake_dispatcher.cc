#include "triggers/month/fake_dispatcher.h"

#include <algorithm>
#include <set>

namespace drover::triggers::month {
namespace {

// Claims the run if nothing keeps it waiting, and starts it.
Result<> start_in(store::Transaction& transaction, run::Record record, WallMs now) {
  if (record.state == run::State::queued && !record.held) {
    const auto claimed = transaction.record(run::Claimed{record.id});
    if (!claimed) return std::unexpected(claimed.error());
    record = claimed->record;
  }
  if (record.state != run::State::starting) return {};
  const auto started = transaction.record(run::Started{record.id, now});
  return started ? Result<>{} : std::unexpected(started.error());
}

}  // namespace

asio::awaitable<Result<store::Written>> FakeDispatcher::submit(dispatch::Submission submission) {
  const RunId id = ids_.next();
  const run::Secrets secrets(submission.environment);
  run::Record record = run::first_record(submission.spec, id, clock_.wall_ms(), secrets);
  auto written =
      co_await record_(store::Work([record = std::move(record), first = std::move(submission.first),
                                    then = std::move(submission.then), now = clock_.wall_ms()](
                                       store::Transaction& transaction) -> Result<> {
        if (first) {
          if (auto ok = first(transaction); !ok) return ok;
        }
        const auto submitted =
            transaction.record(run::Submitted{.record = record, .key = "", .digest = ""});
        if (!submitted) return std::unexpected(submitted.error());
        if (then) {
          if (auto ok = then(transaction, submitted->record); !ok) return ok;
        }
        return start_in(transaction, submitted->record, now);
      }));
  if (!written && written.error().code == ErrorCode::unavailable) {
    const auto stored = store_.find(id);
    if (!stored || !*stored) co_return written;
    written = store::Written{run::Effect::changed, **stored, {}, false};
  }
  if (!written) co_return written;
  for (run::Record& other : written->also) {
    if (other.id == id) std::swap(written->record, other);
  }
  const auto stored = store_.find(id);
  if (stored && *stored) see(**stored);
  co_return written;
}

void FakeDispatcher::see(const run::Record& record) {
  if (record.state == run::State::running) processes_.start(record);
  if (record.state == run::State::queued) waiting_[record.id] = record.after_any;
}

asio::awaitable<Result<dispatch::CancelOutcome>> FakeDispatcher::cancel(
    RunId id, std::optional<std::int64_t>) {
  const auto canceled = co_await record_(run::Fact(run::CancelRequested{.id = id}));
  if (!canceled) co_return std::unexpected(canceled.error());
  if (canceled->record.state == run::State::running) processes_.cancel(id);
  if (run::is_finished(canceled->record.state)) waiting_.erase(id);
  (void)co_await review_waiting();
  co_return dispatch::CancelOutcome::cancel_requested;
}

asio::awaitable<Result<>> FakeDispatcher::recover(bool is_start) {
  const auto active = store_.list({.active_only = true, .limit = 100'000});
  if (!active) co_return std::unexpected(active.error());
  std::set<RunId> known;
  for (const run::Record& record : *active) {
    known.insert(record.id);
    see(record);
    if (is_start && record.cancel_requested) processes_.cancel(record.id);
  }
  // A process whose end was recorded in a commit of unknown fate.
  std::vector<RunId> finished;
  for (const auto& [id, process] : processes_.all()) {
    if (!known.contains(id)) finished.push_back(id);
  }
  for (const RunId& id : finished) processes_.forget(id);
  if (auto recorded = co_await record_ends(); !recorded) co_return recorded;
  co_return co_await review_waiting();
}

asio::awaitable<Result<>> FakeDispatcher::record_ends() {
  std::vector<std::pair<RunId, Process>> ended;
  for (const auto& [id, process] : processes_.all()) {
    if (process.ends_at_ms <= processes_.now_ms()) ended.emplace_back(id, process);
  }
  for (const auto& [id, process] : ended) {
    const WallMs finished_at = clock_.wall_ms() - (processes_.now_ms() - process.ends_at_ms);
    run::Ended fact;
    fact.id = id;
    fact.ending = run::Exited{process.exit_code};
    if (process.canceled) fact.ending = run::Killed{15};
    if (process.canceled) fact.cause = StopCause::cancel;
    fact.finished_at = finished_at;
    const auto written = co_await record_(run::Fact(fact));
    if (!written && written.error().code == ErrorCode::unavailable) {
      co_return std::unexpected(written.error());
    }
    processes_.forget(id);
  }
  if (ended.empty()) co_return Result<>{};
  co_return co_await review_waiting();
}

asio::awaitable<Result<>> FakeDispatcher::review_waiting() {
  const auto waiting = waiting_;
  for (const auto& [id, others] : waiting) {
    const bool is_held = std::ranges::any_of(others, [&](const RunId& other) {
      return processes_.all().contains(other) || waiting_.contains(other);
    });
    if (is_held) continue;
    const auto stored = store_.find(id);
    if (!stored) co_return std::unexpected(stored.error());
    if (!*stored || (*stored)->state != run::State::queued) {
      waiting_.erase(id);
      if (*stored) see(**stored);
      continue;
    }
    bool ready = true;
    for (const RunId& other : (*stored)->after_any) {
      const auto found = store_.find(other);
      if (!found) co_return std::unexpected(found.error());
      ready = ready && (!*found || run::is_finished((*found)->state));
    }
    if (!ready) continue;
    const auto written = co_await record_(
        store::Work([id, now = clock_.wall_ms()](store::Transaction& transaction) -> Result<> {
          const auto reviewed = transaction.record(run::Reviewed{id});
          if (!reviewed) return std::unexpected(reviewed.error());
          return start_in(transaction, reviewed->record, now);
        }));
    if (!written) {
      if (written.error().code == ErrorCode::unavailable)
        co_return std::unexpected(written.error());
      continue;
    }
    waiting_.erase(id);
    const auto started = store_.find(id);
    if (started && *started) see(**started);
  }
  co_return Result<>{};
}

asio::awaitable<Result<store::Written>> FakeDispatcher::retry(dispatch::RetryRequest) {
  co_return unused();
}
asio::awaitable<Result<size_t>> FakeDispatcher::send_input(RunId, dispatch::Input) {
  co_return unused();
}
asio::awaitable<Result<dispatch::ProgressOutcome>> FakeDispatcher::say_progress(RunId,
                                                                                run::SaidProgress) {
  co_return unused();
}
asio::awaitable<Result<std::chrono::milliseconds>> FakeDispatcher::probe() {
  co_return std::chrono::milliseconds(0);
}

}  // namespace drover::triggers::month
