#include "dispatch/recovery/take_up.h"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <utility>

#include "base/crash_point.h"
#include "base/journal.h"
#include "base/limits.h"
#include "base/probe_note.h"
#include "dispatch/ending/endings.h"
#include "dispatch/files/run_end.h"
#include "dispatch/files/run_note.h"
#include "log/log.h"
#include "process/command.h"
#include "run/known_end.h"

namespace drover::dispatch {
namespace {

constexpr auto kUnfinished =
    "SELECT seq, database_seq, known_seq FROM restores "
    "WHERE taken_up IS NULL ORDER BY seq";
constexpr size_t kBatch = 500;  // Facts in one commit.

// No keeper writes any more, and this is all that will ever be known.
run::KnownEnd files_gone(WallMs now) {
  return run::end_with(run::State::abandoned, run::Reason::keeper_lost,
                       "an older database was restored, and the files of the run are gone: it had "
                       "finished and was removed; its outcome is not known",
                       now);
}

run::KnownEnd end_not_known(WallMs now) {
  return run::end_with(run::State::abandoned, run::Reason::keeper_lost,
                       "an older database was restored, and the file of the run does not say how "
                       "it finished",
                       now);
}

run::KnownEnd cannot_be_started(WallMs now) {
  return run::end_with(run::State::failed, run::Reason::host_restarted,
                       "an older database was restored before the run had started, and its file, "
                       "of an earlier Drover, does not say enough to start it; submit it again",
                       now);
}

bool is_begun(const JournalState& journal) {
  if (journal.liveness == Liveness::alive) return true;
  const JournalText& text = journal.text;
  return text.identity ? text.identity->keeper.pid != 0
                       : text.started || text.status || text.ending;
}

}  // namespace

asio::awaitable<Result<>> TakeUp::take_up(store::Reads& store) {
  const auto due = is_due(store);
  if (!due) co_return std::unexpected(due.error());
  if (!*due) co_return Result<>{};
  busy_ = true;
  auto done = co_await correct_active(store);
  if (done) done = co_await add_unknown(store);
  crash_point("restore.all_taken_up");
  if (done) done = co_await finish();
  crash_point("restore.done");
  busy_ = false;
  co_return done;
}

Result<bool> TakeUp::is_due(store::Reads& store) {
  const auto rows = store.query(kUnfinished, {});
  if (!rows) return std::unexpected(rows.error());
  for (const store::Values& row : *rows) {
    log::warn(
        "an older database was restored: it ends with event {}, but {} was the last one; "
        "taking up what the run files know",
        row[1].integer(), row[2].integer());
  }
  return !rows->empty();
}

asio::awaitable<Result<>> TakeUp::correct_active(store::Reads& store) {
  auto active =
      store.list({.active_only = true, .oldest_first = true, .limit = limits::kQueuedMax});
  if (!active) co_return std::unexpected(active.error());
  std::vector<run::Fact> facts;
  for (const run::Record& record : *active) {
    auto fact = correction_of(record);
    if (!fact) co_return std::unexpected(fact.error());
    if (*fact) facts.push_back(std::move(**fact));
  }
  co_return co_await this->record(std::move(facts));
}

Result<std::optional<run::Fact>> TakeUp::correction_of(const run::Record& record) const {
  const RunId& id = record.id;
  run::TakenUp taken{.record = record};
  if (::access(host_.home.run_file(id).c_str(), F_OK) != 0) {
    if (host_.kinds.is_composite(record.kind)) return std::nullopt;  // Its script ends it.
    taken.end = files_gone(host_.clock.wall_ms());
    return taken;
  }
  taken.end = read_end(host_.home, id);
  if (taken.end) return taken;
  if (record.state != run::State::queued) return std::nullopt;
  const auto journal = read_journal_state(host_.home.run_file(id));
  if (!journal) return std::unexpected(journal.error());
  taken.begun = is_begun(*journal);
  return taken.begun ? std::optional<run::Fact>(taken) : std::nullopt;
}

// In the order of their ids, which is that of their submission: a run is recorded after those that
// it waits for.
asio::awaitable<Result<>> TakeUp::add_unknown(store::Reads& store) {
  std::vector<run::Fact> facts;
  for (const RunId& id : directories_.all()) {
    if (auto added = add_facts_of(id, store, facts); !added) co_return added;
    if (facts.size() < kBatch) continue;
    if (auto ok = co_await record(std::exchange(facts, {})); !ok) co_return ok;
  }
  co_return co_await record(std::move(facts));
}

Result<> TakeUp::add_facts_of(const RunId& id, store::Reads& store,
                              std::vector<run::Fact>& facts) const {
  auto known = store.events({.run = id, .limit = 1});
  if (!known) return std::unexpected(known.error());
  if (!known->empty()) return {};
  const std::string file = host_.home.run_file(id);
  const auto command = process::read_command(file);
  if (command && command->note == kProbeNote) return {};  // Removed later (files/leftovers.h).
  auto noted = command ? noted_run(id, *command) : std::unexpected(command.error());
  if (!noted) {
    log::warn(id, "cannot be taken up: {}", noted.error().message);
    return {};
  }
  const auto journal = read_journal_state(file);
  if (!journal) return std::unexpected(journal.error());
  run::TakenUp taken{.record = std::move(noted->record),
                     .key = std::move(noted->submission.key),
                     .digest = std::move(noted->submission.digest),
                     .begun = is_begun(*journal),
                     .end = read_end(host_.home, id)};
  const WallMs now = host_.clock.wall_ms();
  const bool cut = command->environment.empty();
  if (!taken.end && !taken.begun && cut) taken.end = end_not_known(now);
  if (!taken.end && !taken.begun && command->note.empty()) taken.end = cannot_be_started(now);
  // Its keeper is done, and no other attempt can follow: no need to look at it once more.
  const bool has_ended = journal->liveness != Liveness::alive && journal->text.ending && cut;
  const std::string program = taken.record.command.empty() ? "" : taken.record.command.front();
  const std::string cwd = taken.record.cwd;
  const bool is_over = taken.end || has_ended;
  if (!taken.end && has_ended) {
    facts.emplace_back(std::move(taken));
    facts.emplace_back(ended_from_journal(id, journal->text, boot_.text, program, cwd));
  } else {
    facts.emplace_back(std::move(taken));
  }
  if (is_over && !cut) directories_.forget_environment(id);
  return {};
}

asio::awaitable<Result<>> TakeUp::record(std::vector<run::Fact> facts) {
  if (facts.empty()) co_return Result<>{};
  asio::steady_timer all_recorded(host_.loop, asio::steady_timer::time_point::max());
  size_t left = facts.size();
  Result<> outcome;
  for (run::Fact& fact : facts) {
    const RunId id = run::subject(fact);
    host_.spine.record(std::move(fact), [&, id](const Result<store::Written>& written) {
      crash_point("restore.one_taken_up");
      if (!written && written.error().code == ErrorCode::unavailable) {
        outcome = std::unexpected(written.error());
      } else if (!written) {
        log::error(id, "cannot be taken up: {}", written.error().message);
      }
      if (--left == 0) all_recorded.cancel();
    });
  }
  while (left > 0) {
    boost::system::error_code ignored;
    co_await all_recorded.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  co_return outcome;
}

// Counts the events, so that the number is right after an interruption as well.
asio::awaitable<Result<>> TakeUp::finish() {
  auto written = co_await host_.spine.record(store::Work([](store::Transaction& t) -> Result<> {
    const auto open = t.query("SELECT min(seq) FROM restores WHERE taken_up IS NULL", {});
    if (!open) return std::unexpected(open.error());
    if (open->empty() || open->front()[0].is_null()) return {};
    const auto count = t.query(
        "SELECT count(*) FROM spine WHERE type = 'run.taken_up' AND seq > $1", {open->front()[0]});
    if (!count) return std::unexpected(count.error());
    const std::int64_t runs = count->front()[0].integer();
    if (auto ok = t.execute("UPDATE restores SET taken_up = $1 WHERE taken_up IS NULL", {runs});
        !ok)
      return ok;
    return t.append({.subject = "store/drover.db",
                     .type = "store.taken_up",
                     .data = "{\"runs\":" + std::to_string(runs) + "}"});
  }));
  if (!written) co_return std::unexpected(written.error());
  log::warn("the runs of the restored database are taken up");
  co_return Result<>{};
}

}  // namespace drover::dispatch
