#include "dispatch/queue/submissions.h"

#include <utility>

#include "base/crash_point.h"
#include "dispatch/files/run_note.h"
#include "run/kind.h"
#include "run/redact.h"
#include "run/transition.h"

namespace drover::dispatch {
namespace {

std::unexpected<Error> stopping() {
  return fail(ErrorCode::unavailable, "stopping",
              "the daemon is stopping and accepts no runs; try again when it is back");
}

// A room's part of the transaction may have changed other runs before this one was recorded.
void put_first(store::Written& written, const RunId& id) {
  for (run::Record& other : written.also) {
    if (other.id == id) return std::swap(written.record, other);
  }
}

store::Write write_of(run::Submitted submitted, RoomWork room) {
  if (!room.first && !room.then) return run::Fact(std::move(submitted));
  return store::Work([fact = run::Fact(std::move(submitted)),
                      room = std::move(room)](store::Transaction& transaction) -> Result<> {
    if (room.first) {
      if (auto ok = room.first(transaction); !ok) return ok;
    }
    const auto written = transaction.record(fact);
    if (!written) return std::unexpected(written.error());
    return room.then ? room.then(transaction, written->record) : Result<>{};
  });
}

}  // namespace

asio::awaitable<Result<store::Written>> Submissions::submit(Submission submission) {
  if (closed_) co_return stopping();
  const RunId id = ids_.next();
  const run::Secrets secrets(submission.environment);
  run::Record record = run::first_record(submission.spec, id, host_.clock.wall_ms(), secrets);
  record.limits_by = means_of(record.limits, options_.cgroups.controllers);
  auto command =
      command_for(submission, record, options_.umask, options_.token_of, host_.home.socket());
  command.note = note_of(record, command,
                         {.key = submission.spec.key,
                          .digest = submission.digest,
                          .exact_reader = submission.spec.exact_reader});
  if (auto made = directories_.create(id, command); !made) co_return std::unexpected(made.error());
  crash_point("submit.spec_written");
  co_return co_await take_in(
      {.record = std::move(record), .key = submission.spec.key, .digest = submission.digest},
      {std::move(submission.first), std::move(submission.then)});
}

asio::awaitable<Result<store::Written>> Submissions::retry(RetryRequest again) {
  if (closed_) co_return stopping();
  const auto old = co_await host_.reads.find(again.id);
  if (closed_) co_return stopping();
  if (!old) co_return std::unexpected(old.error());
  if (!*old) co_return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
  const run::Kind* kind = host_.kinds.find((*old)->kind);
  if (kind == nullptr) co_return run::unknown_kind(**old);
  if (!kind->not_retriable.empty()) {
    co_return fail(ErrorCode::conflict, "not_retriable",
                   again.id.str() + " " + std::string(kind->not_retriable), "run_id");
  }
  auto command = process::read_command(host_.home.run_file(again.id));
  if (!command) {
    co_return fail(ErrorCode::conflict, "command_gone",
                   "the command of " + again.id.str() + " is no longer stored; submit it again",
                   "run_id");
  }
  run::Record record = run::next_attempt(**old, ids_.next(), host_.clock.wall_ms());
  const run::Secrets secrets(again.environment);
  record.command = run::redact_command(record.command, secrets);
  record.cwd = run::redact(record.cwd, secrets);
  if (record.kind == run::kCommand) record.name = run::redact(record.name, secrets);
  record.labels = run::redact_labels(record.labels, secrets);
  record.retry = {};  // A retry by hand is not retried automatically.
  record.held = false;
  record.not_before = 0;
  command->environment = std::move(again.environment);
  command->keeps_environment = false;
  command->has_exact_reader = false;
  name_run(*command, {record.id, record.trace_id, record.attempt, host_.home.socket()},
           options_.token_of);
  command->note = note_of(record, *command, {.key = again.key, .digest = again.digest});
  if (auto made = directories_.create(record.id, *command); !made) {
    co_return std::unexpected(made.error());
  }
  co_return co_await take_in({.record = std::move(record),
                              .key = std::move(again.key),
                              .digest = std::move(again.digest),
                              .retries = again.id},
                             {std::move(again.first), {}});
}

asio::awaitable<Result<store::Written>> Submissions::take_in(run::Submitted submitted,
                                                             RoomWork room) {
  const RunId id = submitted.record.id;
  ++pending_;
  auto written = co_await host_.spine.record(write_of(std::move(submitted), std::move(room)));
  --pending_;
  if (!written && written.error().code == ErrorCode::unavailable) {
    // It may have landed all the same: then it is a run like any other, and its caller gets it.
    auto stored = co_await host_.reads.find(id);
    if (!stored) co_return written;  // Unknown now; its file stays.
    if (*stored) written = store::Written{run::Effect::changed, **stored, {}, false};
  }
  if (!written || written->replayed) directories_.discard(id);
  if (written && !written->replayed) put_first(*written, id);
  co_return written;
}

}  // namespace drover::dispatch
