#include "run/transition.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "run/admission.h"
#include "run/kind.h"
#include "run/phase.h"
#include "run/record_json.h"

namespace drover::run {
namespace {

std::unexpected<Error> no_such_run() {
  return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
}

std::unexpected<Error> already_active(const Record& rival) {
  return fail(ErrorCode::conflict, "already_active",
              fmt::format("{} is {}; only one {} at a time is allowed in {}", rival.id.view(),
                          name(rival.state), rival.kind, rival.scope),
              "scope");
}

// If its parent was stopped or has finished, it never starts.
Result<> check_parent(const Record* parent) {
  if (parent == nullptr || (!parent->cancel_requested && is_active(parent->state))) return {};
  return fail(ErrorCode::conflict, "stopped",
              fmt::format("{} was stopped before this run started", parent->id.view()));
}

Result<> claim(Change& change, const JudgementContext& context) {
  if (auto ok = step(change.after, Happening::claimed); !ok) return ok;
  add_event(change, EventType::starting, context.wall_ms);
  return {};
}

// Finishes a run that was never spawned.
Result<> finish_unstarted(Change& change, Reason reason, std::string message,
                          const JudgementContext& context) {
  if (auto ok = step(change.after, Happening::canceled); !ok) return ok;
  change.after.reason = reason;
  change.after.origin = reason == Reason::dependency_failed ? Origin::runtime : Origin::owner;
  change.after.message = std::move(message);
  change.after.finished_at = context.wall_ms;
  add_event(change, EventType::canceled, context.wall_ms);
  return {};
}

// Applies the verdict on its dependencies: it starts, waits, or never will start.
Result<> apply_wait(Change& change, const JudgementContext& context) {
  WaitVerdict verdict = judge_waiting(change.after, context.dependencies, context.wall_ms);
  change.after.held = verdict.wait == Wait::waiting;
  if (verdict.wait == Wait::never) {
    return finish_unstarted(change, Reason::dependency_failed, std::move(verdict.message), context);
  }
  const bool has_room = change.after.lane.empty() || context.lane_has_free_slot;
  return verdict.wait == Wait::over && has_room ? claim(change, context) : Result<>{};
}

// Links a run and the finished one that it retries.
Result<> link(Change& change, const Record* retried) {
  if (retried == nullptr) return no_such_run();
  if (!is_finished(retried->state)) {
    return fail(ErrorCode::conflict, "not_ended",
                fmt::format("{} is {}; it can be retried once it has finished", retried->id.view(),
                            name(retried->state)),
                "run_id");
  }
  if (!retried->retried_by.empty()) {
    return fail(
        ErrorCode::conflict, "already_retried",
        fmt::format("{0} has already been retried as {1}; retry that one: `drover retry {1}`",
                    retried->id.view(), retried->retried_by),
        "run_id");
  }
  Record& old = change.also.emplace_back(*retried);
  if (old.chain.empty()) old.chain = old.id.str();
  old.retried_by = change.after.id.str();
  change.after.chain = old.chain;
  change.after.attempt = old.attempt + 1;
  return {};
}

Result<Change> on(const Record* before, const Submitted& fact, const JudgementContext& context) {
  if (before != nullptr) return Change{Effect::none, *before, {}};
  const Kind* kind = context.kinds.find(fact.record.kind);
  if (kind == nullptr) return unknown_kind(fact.record);
  if (context.rival != nullptr) return already_active(*context.rival);
  if (auto ok = admit(fact.record, context); !ok) return std::unexpected(ok.error());
  for (const Dependency& other : context.dependencies) {
    if (other.known) continue;
    return fail(ErrorCode::not_found, "not_found",
                fmt::format("there is no run {} to wait for", other.id.view()),
                other.must_complete ? "after" : "after_any");
  }
  Change change{Effect::changed, fact.record, {}};
  if (fact.retries) {
    if (auto ok = link(change, context.retried); !ok) return std::unexpected(ok.error());
  }
  if (auto ok = check_parent(context.parent); !ok) return std::unexpected(ok.error());
  change.after.events = 0;
  add_event(change, EventType::queued, fact.record.queued_at);
  if (auto ok = apply_wait(change, context); !ok) return std::unexpected(ok.error());
  if (kind->composite) {
    if (auto ok = begin_phase(change, *kind, context.wall_ms); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return change;
}

Result<Change> on(const Record& before, const PhaseChanged& fact, const JudgementContext& context) {
  return change_phase(before, *context.kinds.find(before.kind), fact, context.wall_ms);
}

Result<Change> on(const Record& before, const Reviewed&, const JudgementContext& context) {
  if (before.state != State::queued || !before.held) return Change{Effect::none, before, {}};
  const Wait wait = judge_waiting(before, context.dependencies, context.wall_ms).wait;
  if (wait == Wait::waiting) return Change{Effect::none, before, {}};
  Change change{Effect::changed, before, {}};
  if (wait == Wait::over) {
    change.after.held = false;
    add_event(change, EventType::ready, context.wall_ms);
  }
  if (auto ok = apply_wait(change, context); !ok) return std::unexpected(ok.error());
  return change;
}

Result<Change> on(const Record& before, const Moved& fact, const JudgementContext& context) {
  if (before.state != State::queued) {
    return fail(ErrorCode::conflict, "not_queued",
                fmt::format("{} {} ({}); only queued runs can {}", before.id.view(),
                            is_finished(before.state) ? "has already finished" : "has started",
                            name(before.state), fact.lane ? "be moved" : "change their priority"),
                "run_id");
  }
  Change change{Effect::changed, before, {}};
  change.after.lane = fact.lane.value_or(before.lane);
  change.after.priority = fact.priority.value_or(before.priority);
  if (change.after.lane == before.lane && change.after.priority == before.priority) {
    return Change{Effect::none, before, {}};
  }
  if (change.after.lane != before.lane) {
    if (auto ok = admit(change.after, context); !ok) return std::unexpected(ok.error());
  }
  add_event(change, EventType::moved, context.wall_ms);
  return change;
}

Result<Change> on(const Record& before, const Claimed&, const JudgementContext& context) {
  Change change{Effect::changed, before, {}};
  if (auto ok = claim(change, context); !ok) return std::unexpected(ok.error());
  if (before.held) {
    return fail(
        ErrorCode::conflict, "not_ready",
        fmt::format("{} still waits for other runs or for its start time", before.id.view()),
        "run_id");
  }
  if (auto ok = give_slot(before, context); !ok) return std::unexpected(ok.error());
  return change;
}

Result<Change> on(const Record& before, const Started& fact, const JudgementContext&) {
  if (before.state == State::running) return Change{Effect::none, before, {}};
  Change change{Effect::changed, before, {}};
  if (auto ok = step(change.after, Happening::started); !ok) return std::unexpected(ok.error());
  change.after.started_at = fact.at;
  add_event(change, EventType::started, fact.at);
  return change;
}

Result<Change> on(const Record& before, const Ended& fact, const JudgementContext& context) {
  if (is_finished(before.state)) return refused(before, Happening::failed);
  Change change{Effect::changed, before, {}};
  Record& after = change.after;
  // Its start was not recorded yet: the events stay in order, even if they are late.
  if (after.state == State::starting && fact.started_at != 0) {
    if (auto ok = step(after, Happening::started); !ok) return std::unexpected(ok.error());
    after.started_at = fact.started_at;
    add_event(change, EventType::started, fact.started_at);
  }
  const EndingContext circumstances{
      .cause = fact.cause,
      .cancel_came_first = before.cancel_requested &&
                           (fact.exit_mono_ns == 0 || before.cancel_mono_ns <= fact.exit_mono_ns),
      .forced = fact.receipt && fact.receipt->kill_at != 0,
      .memory_bytes = before.limits.memory_bytes,
  };
  const Verdict verdict = judge(fact.ending, circumstances);
  if (auto ok = step(after, verdict.happening); !ok) return std::unexpected(ok.error());
  after.reason = verdict.reason;
  after.origin = verdict.origin;
  after.message = verdict.message;
  after.exit_code = verdict.exit_code;
  after.signal = verdict.signal;
  if (const auto* launch = std::get_if<NotLaunched>(&fact.ending)) {
    after.failed_step = launch->step;
    after.launch_error = launch->error_number;
  }
  after.finished_at = fact.finished_at != 0 ? fact.finished_at : context.wall_ms;
  // If the clock was set back while it ran: its duration must not be negative.
  after.finished_at = std::max(after.finished_at, after.started_at);
  after.cpu_ms = fact.cpu_ms;
  after.peak_rss_bytes = fact.peak_rss_bytes;
  after.stdout_bytes = fact.stdout_bytes;
  after.stderr_bytes = fact.stderr_bytes;
  if (fact.receipt) {
    Receipt receipt = *fact.receipt;
    receipt.limits = before.limits;
    after.receipt = boost::json::serialize(describe(receipt));
  }
  if (fact.progress && after.started_at != 0) {
    add_progress(change, *fact.progress, after.finished_at);
  }
  if (!fact.next || !has_next_attempt(after)) {
    add_event(change, final_type(after.state), after.finished_at);
    return change;
  }
  after.retried_by = fact.next->str();
  add_event(change, final_type(after.state), after.finished_at);
  Record& next = change.also.emplace_back(next_attempt(after, *fact.next, context.wall_ms));
  next.events = 1;
  change.events.push_back(make_event(EventType::queued, next, context.wall_ms));
  return change;
}

Result<Change> on(const Record& before, const CancelRequested& fact,
                  const JudgementContext& context) {
  if (is_finished(before.state) || before.cancel_requested) {
    return Change{Effect::none, before, {}};
  }
  const bool has_begun = before.state != State::queued;
  const std::string_view why_not = context.kinds.find(before.kind)->not_cancellable;
  if ((fact.only_queued && has_begun) || (!fact.of_any_kind && !why_not.empty())) {
    return fail(
        ErrorCode::conflict, "not_cancellable",
        fmt::format("{} {}", before.id.view(), why_not.empty() ? "has already started" : why_not),
        "run_id");
  }
  Change change{Effect::changed, before, {}};
  change.after.cancel_requested = true;
  change.after.cancel_mono_ns = context.mono_ns;
  add_event(change, EventType::cancel_requested, context.wall_ms);
  if (has_begun) return change;
  auto ended = finish_unstarted(change, Reason::canceled_by_owner, "was canceled before it started",
                                context);
  if (!ended) return std::unexpected(ended.error());
  return change;
}

Result<Change> on(const Record& before, const Deleted&, const JudgementContext& context) {
  if (!is_finished(before.state)) {
    return fail(ErrorCode::conflict, "active_process_conflict",
                fmt::format("{} is {}; cancel it first", before.id.view(), name(before.state)),
                "run_id");
  }
  Change change{Effect::removed, before, {}};
  add_event(change, EventType::deleted, context.wall_ms);
  return change;
}

// The final event of a run is the last of its own, except for its deletion.
Result<Change> on(const Record& before, const RequestRefused& fact,
                  const JudgementContext& context) {
  if (is_finished(before.state)) return Change{Effect::none, before, {}};
  Change change{Effect::changed, before, {}};
  ++change.after.events;
  change.events.push_back(make_request_event(fact.type, change.after, context.wall_ms, fact.data));
  return change;
}

// Ends a run as its files say.
Result<> finish_as_known(Change& change, const KnownEnd& end, const Kind* kind,
                         const JudgementContext& context) {
  Record& after = change.after;
  const Record& known = end.record;
  if (known.started_at != 0 && after.state == State::queued) {
    if (auto ok = claim(change, context); !ok) return ok;
  }
  if (known.started_at != 0 && after.state == State::starting) {
    if (auto ok = step(after, Happening::started); !ok) return ok;
    after.started_at = known.started_at;
    add_event(change, EventType::started, after.started_at);
  }
  if (known.cancel_requested && !after.cancel_requested) {
    after.cancel_requested = true;
    add_event(change, EventType::cancel_requested, known.finished_at);
  }
  if (kind != nullptr && kind->composite) {
    after.phase = known.phase;
    if (!end.phase_event.empty()) add_phase_event(change, end.phase_event, known.finished_at);
  }
  if (auto ok = step(after, happening_of(known.state)); !ok) return ok;
  after.reason = known.reason;
  after.origin = known.origin;
  after.message = known.message;
  after.exit_code = known.exit_code;
  after.signal = known.signal;
  after.failed_step = known.failed_step;
  after.launch_error = known.launch_error;
  after.finished_at = std::max(known.finished_at, after.started_at);
  after.stdout_bytes = known.stdout_bytes;
  after.stderr_bytes = known.stderr_bytes;
  after.receipt = known.receipt;
  after.held = false;
  add_event(change, final_type(after.state), after.finished_at);
  return {};
}

Result<Change> on(const Record* before, const TakenUp& fact, const JudgementContext& context) {
  const Record& known = before != nullptr ? *before : fact.record;
  const Kind* kind = context.kinds.find(known.kind);
  const bool was_queued = before == nullptr || before->state == State::queued;
  const bool says_more = before == nullptr || fact.end || (fact.begun && was_queued);
  if (is_finished(known.state) || !says_more) return Change{Effect::none, known, {}};
  if (before != nullptr && kind == nullptr) return unknown_kind(known);
  Change change{Effect::changed, known, {}};
  if (before == nullptr) {
    change.after.events = 0;
    add_event(change, EventType::taken_up, context.wall_ms);
  }
  if (fact.end) {
    auto ok = finish_as_known(change, *fact.end, kind, context);
    if (!ok) return std::unexpected(ok.error());
    return change;
  }
  if (fact.begun) {
    change.after.held = false;
    if (auto ok = claim(change, context); !ok) return std::unexpected(ok.error());
    return change;
  }
  // It waits again, as after its submission; its slot is given to it once recovery is done.
  if (kind != nullptr && kind->composite) {
    if (auto ok = claim(change, context); !ok) return std::unexpected(ok.error());
    if (auto ok = begin_phase(change, *kind, known.queued_at); !ok) {
      return std::unexpected(ok.error());
    }
    return change;
  }
  change.after.held =
      judge_waiting(change.after, context.dependencies, context.wall_ms).wait != Wait::over;
  return change;
}

// Its final event is the last one, and nothing comes before its start.
Result<Change> on(const Record& before, const Progressed& fact, const JudgementContext& context) {
  if (before.state != State::running) {
    return fail(ErrorCode::conflict, "not_running",
                fmt::format("{} is {}, not running", before.id.view(), name(before.state)),
                "run_id");
  }
  Change change{Effect::changed, before, {}};
  std::visit([&](const auto& what) { add_progress(change, what, context.wall_ms); }, fact.what);
  return change;
}

}  // namespace

std::unexpected<Error> unknown_kind(const Record& record) {
  return fail(
      ErrorCode::conflict, "unknown_kind",
      fmt::format("{} has the kind {}, which this daemon does not know; it is left unchanged",
                  record.id.view(), record.kind),
      "run_id");
}

const RunId& subject(const Fact& fact) {
  return std::visit(
      [](const auto& f) -> const RunId& {
        if constexpr (requires { f.id; }) {
          return f.id;
        } else {
          return f.record.id;
        }
      },
      fact);
}

std::string_view lane_of_interest(const Kinds& kinds, const Fact& fact, const Record* before) {
  if (const auto* submitted = std::get_if<Submitted>(&fact)) {
    if (before != nullptr) return {};
    const Kind* kind = kinds.find(submitted->record.kind);
    return kind != nullptr && kind->composite ? kind->lane : submitted->record.lane;
  }
  if (before == nullptr) return {};
  if (const auto* moved = std::get_if<Moved>(&fact)) {
    return moved->lane ? std::string_view(*moved->lane) : std::string_view();
  }
  const bool begins =
      std::holds_alternative<Claimed>(fact) || std::holds_alternative<Reviewed>(fact);
  return begins ? std::string_view(before->lane) : std::string_view();
}

Result<Change> apply(const Record* before, const Fact& fact, const JudgementContext& context) {
  if (const auto* submitted = std::get_if<Submitted>(&fact)) return on(before, *submitted, context);
  if (const auto* taken = std::get_if<TakenUp>(&fact)) return on(before, *taken, context);
  if (before == nullptr) return no_such_run();
  if (!context.kinds.knows(before->kind)) return unknown_kind(*before);
  return std::visit(
      [&](const auto& f) -> Result<Change> {
        if constexpr (!requires { f.id; }) {
          std::unreachable();  // Handled above.
        } else {
          return on(*before, f, context);
        }
      },
      fact);
}

}  // namespace drover::run
