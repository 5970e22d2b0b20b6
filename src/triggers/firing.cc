#include "triggers/firing.h"

#include <algorithm>
#include <utility>

#include "base/crash_point.h"
#include "base/limits.h"
#include "requests/environment.h"
#include "run/kind.h"
#include "triggers/active_runs.h"
#include "triggers/environment_file.h"
#include "triggers/limits.h"
#include "triggers/trigger_variable.h"

namespace drover::triggers {
namespace {

std::unexpected<Error> skipped(std::string reason, std::string message) {
  return fail(ErrorCode::conflict, std::move(reason), std::move(message), "trigger");
}

// The trigger has an active run that the new one does not wait for.
constexpr std::string_view kOtherRuns = "other_active_runs";
// Each time, another firing of the same trigger was faster.
constexpr int kTriesMax = 10;

// Reasons with which a row is written instead of a run. Every other refusal is returned.
bool is_reason_to_skip(const Error& error) {
  return error.code != ErrorCode::unavailable && error.code != ErrorCode::corrupt &&
         error.reason != "already_accounted" && error.reason != "trigger_changed" &&
         error.reason != kOtherRuns && error.reason != "not_found";
}

// `waits_for`: the runs that the new one waits for, unless its trigger skips.
Result<> check_overlap(store::Transaction& transaction, const FiringRequest& request,
                       const std::vector<RunId>& waits_for) {
  const auto active = active_runs(transaction, request.trigger.name);
  if (!active) return std::unexpected(active.error());
  if (active->empty()) return {};
  if (request.spec.overlap == Overlap::skip) {
    return skipped("overlap", "its last run, " + active->front().str() + ", is still active");
  }
  if (active->size() > kQueuedRunsMax) {
    return skipped("queue_full", std::to_string(kQueuedRunsMax) + " of its runs are waiting");
  }
  for (const RunId& id : *active) {
    if (std::ranges::find(waits_for, id) != waits_for.end()) continue;
    return fail(ErrorCode::conflict, std::string(kOtherRuns),
                "another firing was faster; try again", "trigger");
  }
  if (request.spec.overlap == Overlap::queue) return {};
  for (const RunId& id : *active) {
    const auto canceled = transaction.record(run::CancelRequested{.id = id});
    if (!canceled && canceled.error().code == ErrorCode::unavailable) {
      return std::unexpected(canceled.error());
    }
  }
  return {};
}

// The trigger must be as it was when this was decided.
Result<> check_trigger(store::Transaction& transaction, const FiringRequest& request) {
  const auto now = find_trigger(transaction, request.trigger.name);
  if (!now) return std::unexpected(now.error());
  if (now->revision != request.trigger.revision) {
    return fail(ErrorCode::conflict, "trigger_changed", "the trigger was changed meanwhile",
                "trigger");
  }
  if (now->paused_at != 0 && !request.by_hand && !request.is_pending) {
    return fail(ErrorCode::conflict, "trigger_changed", "the trigger is paused", "trigger");
  }
  if (request.position && now->next_slot != request.trigger.next_slot) {
    return fail(ErrorCode::conflict, "already_accounted", "these due times are in the ledger",
                "trigger");
  }
  return {};
}

// `ps`, `show` and queries by label find what started a run. Labels of the trigger itself come
// first.
void add_labels(std::map<std::string, std::string>& labels, const FiringRequest& request) {
  const Occurrence& row = request.occurrence;
  const auto add = [&](std::string name, const std::string& value) {
    if (labels.size() < limits::kLabelsMax) labels.emplace(std::move(name), value);
  };
  add("trigger", request.trigger.name);
  add(row.is_slot() ? "slot" : "event", row.key);
}

Result<> write_rows(store::Transaction& transaction, const FiringRequest& request,
                    const std::string& run_id) {
  for (Occurrence row : request.beside) {
    if (row.outcome == Outcome::coalesced) row.run_id = run_id;
    auto added = add_occurrence(transaction, request.trigger.name, std::move(row));
    if (!added && added.error().reason != "already_accounted") return added;
  }
  if (request.position) {
    auto moved = set_next(transaction, request.trigger.name, request.position->next_slot,
                          request.position->wake_at);
    if (!moved) return moved;
  }
  return {};
}

Result<> write_row(store::Transaction& transaction, const FiringRequest& request,
                   const Occurrence& row) {
  return request.is_pending ? decide_occurrence(transaction, request.trigger.name, row)
                            : add_occurrence(transaction, request.trigger.name, row);
}

}  // namespace

Result<dispatch::Submission> Firing::submission_for(const FiringRequest& request,
                                                    std::vector<RunId> waits_for) const {
  dispatch::Submission out;
  out.spec = request.spec.run;
  out.spec.after_any = waits_for;
  auto added = read_environment_file(home_, request.trigger.name);
  if (!added) return std::unexpected(added.error());
  requests::note_given(environment_.variables(), *added);
  if (auto set =
          set_trigger_variable(home_, request.trigger, request.occurrence, request.event, *added);
      !set) {
    return std::unexpected(set.error());
  }
  out.environment = requests::compose(environment_.variables(), *added, programs_);
  add_labels(out.spec.labels, request);
  // If an older database was restored, the due time comes again: it gets the run that it has.
  if (request.position && request.occurrence.is_slot()) {
    out.spec.key =
        "slot " + std::to_string(request.trigger.created_at) + " " + request.occurrence.key;
  }
  out.first = [request,
               waits_for = std::move(waits_for)](store::Transaction& transaction) -> Result<> {
    if (auto ok = check_trigger(transaction, request); !ok) return ok;
    return check_overlap(transaction, request, waits_for);
  };
  out.then = [request](store::Transaction& transaction, const run::Record& record) -> Result<> {
    if (auto ok = write_rows(transaction, request, record.id.str()); !ok) return ok;
    Occurrence row = request.occurrence;
    row.outcome = Outcome::fired;
    row.run_id = record.id.str();
    return write_row(transaction, request, row);
  };
  return out;
}

asio::awaitable<Result<store::Written>> Firing::submit(const FiringRequest& request) {
  for (int tries = 1;; ++tries) {
    std::vector<RunId> waits_for;
    if (request.spec.overlap != Overlap::skip) {
      // Inside the transaction nothing can be added to the run; a run that has finished meanwhile
      // is not waited for. All active runs, not the last alone: that one may be canceled before it
      // starts, while an earlier one is still running.
      const auto active = co_await reads_.ask(
          request.caller, [scope = scope_of(request.trigger.name)](store::Reads& store) {
            return store.list({.active_only = true,
                               .scope = scope,
                               .scope_alone = true,
                               .limit = kQueuedRunsMax + 1});
          });
      if (!active) co_return std::unexpected(active.error());
      for (const run::Record& record : *active) waits_for.push_back(record.id);
    }
    auto submission = submission_for(request, std::move(waits_for));
    if (!submission) co_return std::unexpected(submission.error());
    crash_point("trigger.decided");
    auto written = co_await dispatcher_.submit(std::move(*submission));
    if (written || written.error().reason != kOtherRuns || tries == kTriesMax) co_return written;
  }
}

asio::awaitable<Result<Occurrence>> Firing::fire(FiringRequest request) {
  const auto written = co_await submit(request);
  Occurrence row = request.occurrence;
  if (written) {
    crash_point("trigger.fired");
    row.outcome = Outcome::fired;
    row.run_id = written->record.id.str();
    if (request.spec.overlap == Overlap::replace) {
      for (const run::Record& other : written->also) {
        // The request is recorded; without this it would be carried out by the next daemon.
        if (other.cancel_requested) (void)co_await dispatcher_.cancel(other.id, std::nullopt);
      }
    }
    co_return row;
  }
  if (!is_reason_to_skip(written.error())) co_return std::unexpected(written.error());
  row.outcome = Outcome::skipped;
  row.reason = written.error().reason + ": " + written.error().message;
  request.occurrence = row;
  auto accounted = co_await account(std::move(request));
  if (!accounted) co_return std::unexpected(accounted.error());
  co_return row;
}

asio::awaitable<Result<>> Firing::lease(const StoredTrigger& trigger, WallMs until) {
  const auto written = co_await record_(store::Work(
      [name = trigger.name, revision = trigger.revision, until](store::Transaction& transaction) {
        // If it is lost, the poll is repeated.
        return transaction.execute_without_event(
            "UPDATE triggers SET wake_at = $1 WHERE name = $2 AND revision = $3",
            {until, name, revision});
      }));
  co_return written ? Result<>{} : std::unexpected(written.error());
}

asio::awaitable<Result<>> Firing::account(FiringRequest request) {
  const auto written = co_await record_(
      store::Work([request = std::move(request)](store::Transaction& transaction) -> Result<> {
        if (auto ok = check_trigger(transaction, request); !ok) return ok;
        if (auto ok = write_rows(transaction, request, {}); !ok) return ok;
        if (request.occurrence.key.empty()) return {};
        return write_row(transaction, request, request.occurrence);
      }));
  co_return written ? Result<>{} : std::unexpected(written.error());
}

asio::awaitable<Result<>> Firing::pass_over(FiringRequest request) {
  const auto written = co_await record_(
      store::Work([request = std::move(request)](store::Transaction& transaction) -> Result<> {
        if (auto ok = check_trigger(transaction, request); !ok) return ok;
        return write_rows(transaction, request, {});
      }));
  co_return written ? Result<>{} : std::unexpected(written.error());
}

}  // namespace drover::triggers
