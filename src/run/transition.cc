#include "run/transition.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "run/evidence.h"

namespace drover::run {
namespace {

std::unexpected<Error> no_such_run() {
  return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
}

std::unexpected<Error> refused(const Record& record, Happening happening) {
  if (is_terminal(record.state)) {
    return fail(
        ErrorCode::conflict, "already_terminal",
        fmt::format("{} has ended ({}); an end is final", record.id.view(), name(record.state)),
        "run_id");
  }
  return fail(ErrorCode::conflict, "illegal_transition",
              fmt::format("{} is {} and cannot be {}", record.id.view(), name(record.state),
                          name(happening)),
              "run_id");
}

// The only assignment to a record's state. An illegal one is refused and changes nothing.
Result<> step(Record& record, Happening happening) {
  const auto to = next(record.state, happening);
  if (!to) return refused(record, happening);
  record.state = *to;
  return {};
}

void add_event(Change& change, EventType type, WallMs time) {
  ++change.after.events;
  change.events.push_back(make_event(type, change.after, time));
}

Result<Change> on(const Record* before, const Submitted& fact, const Moment& moment) {
  if (before != nullptr) return Change{Effect::none, *before, {}};
  Change change{Effect::changed, fact.record, {}};
  change.after.events = 0;
  add_event(change, EventType::queued, fact.record.queued_at);
  if (moment.lane_has_room) {
    if (auto ok = step(change.after, Happening::claimed); !ok) return std::unexpected(ok.error());
    add_event(change, EventType::starting, moment.wall_ms);
  }
  return change;
}

Result<Change> on(const Record& before, const Claimed&, const Moment& moment) {
  Change change{Effect::changed, before, {}};
  if (auto ok = step(change.after, Happening::claimed); !ok) return std::unexpected(ok.error());
  if (!moment.lane_has_room) {
    return fail(ErrorCode::conflict, "lane_full",
                fmt::format("lane {} has no free slot", before.lane), "lane");
  }
  add_event(change, EventType::starting, moment.wall_ms);
  return change;
}

Result<Change> on(const Record& before, const Started& fact, const Moment&) {
  if (before.state == State::running) return Change{Effect::none, before, {}};
  Change change{Effect::changed, before, {}};
  if (auto ok = step(change.after, Happening::started); !ok) return std::unexpected(ok.error());
  change.after.started_at = fact.at;
  add_event(change, EventType::started, fact.at);
  return change;
}

Result<Change> on(const Record& before, const Ended& fact, const Moment& moment) {
  if (is_terminal(before.state)) return refused(before, Happening::failed);
  Change change{Effect::changed, before, {}};
  Record& after = change.after;
  // Found out only now that it had started: a life is told in order, also after the fact.
  if (after.state == State::starting && fact.started_at != 0) {
    if (auto ok = step(after, Happening::started); !ok) return std::unexpected(ok.error());
    after.started_at = fact.started_at;
    add_event(change, EventType::started, fact.started_at);
  }
  const Circumstances circumstances{
      .cause = fact.cause,
      .cancel_came_first = before.cancel_requested &&
                           (fact.exit_mono_ns == 0 || before.cancel_mono_ns <= fact.exit_mono_ns),
      .forced = fact.receipt && fact.receipt->kill_at != 0,
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
  after.finished_at = fact.finished_at != 0 ? fact.finished_at : moment.wall_ms;
  // Somebody may set the clock back while it runs; it has not taken less than no time.
  after.finished_at = std::max(after.finished_at, after.started_at);
  after.cpu_ms = fact.cpu_ms;
  after.peak_rss_bytes = fact.peak_rss_bytes;
  after.stdout_bytes = fact.stdout_bytes;
  after.stderr_bytes = fact.stderr_bytes;
  if (fact.receipt) after.receipt = boost::json::serialize(describe(*fact.receipt));
  add_event(change, terminal_type(after.state), after.finished_at);
  return change;
}

Result<Change> on(const Record& before, const CancelRequested&, const Moment& moment) {
  if (is_terminal(before.state) || before.cancel_requested) {
    return Change{Effect::none, before, {}};
  }
  Change change{Effect::changed, before, {}};
  change.after.cancel_requested = true;
  change.after.cancel_mono_ns = moment.mono_ns;
  add_event(change, EventType::cancel_requested, moment.wall_ms);
  if (before.state != State::queued) return change;
  // Still waiting: nothing was spawned, and nothing will be.
  if (auto ok = step(change.after, Happening::canceled); !ok) return std::unexpected(ok.error());
  change.after.reason = Reason::canceled_by_owner;
  change.after.origin = Origin::owner;
  change.after.message = "was canceled before it started";
  change.after.finished_at = moment.wall_ms;
  add_event(change, EventType::canceled, moment.wall_ms);
  return change;
}

Result<Change> on(const Record& before, const Deleted&, const Moment& moment) {
  if (!is_terminal(before.state)) {
    return fail(ErrorCode::conflict, "active_process_conflict",
                fmt::format("{} is {}; cancel it first", before.id.view(), name(before.state)),
                "run_id");
  }
  Change change{Effect::removed, before, {}};
  add_event(change, EventType::deleted, moment.wall_ms);
  return change;
}

}  // namespace

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

Result<Change> apply(const Record* before, const Fact& fact, const Moment& moment) {
  if (const auto* submitted = std::get_if<Submitted>(&fact)) return on(before, *submitted, moment);
  if (before == nullptr) return no_such_run();
  return std::visit(
      [&](const auto& f) -> Result<Change> {
        if constexpr (std::is_same_v<std::decay_t<decltype(f)>, Submitted>) {
          std::unreachable();
        } else {
          return on(*before, f, moment);
        }
      },
      fact);
}

}  // namespace drover::run
