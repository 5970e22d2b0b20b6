#include "triggers/explain/why.h"

#include <algorithm>
#include <array>

#include "triggers/ledger/lookup.h"
#include "triggers/limits.h"

namespace drover::triggers {
namespace {

constexpr auto kVerdicts =
    std::to_array<std::string_view>({"recorded", "upcoming", "undecided", "before_added",
                                     "forgotten", "other_schedule", "not_due", "nothing_yet"});

// The time in question, as a range of instants.
struct TimeSpan {
  explicit TimeSpan(WallMs at) : from(at), to(at % 1'000 == 0 ? at + 1'000 : at + 1) {}
  WallMs from;
  WallMs to;
};

Result<> add_run(store::Reads& store, TriggerWhy& out) {
  const auto id = RunId::parse(out.occurrence->run_id);
  if (!id) return {};
  auto record = store.find(*id);
  if (!record) return std::unexpected(record.error());
  out.run = std::move(*record);
  return {};
}

// A due time of the present schedule that has passed and has no occurrence.
Result<TimeVerdict> without_occurrence(store::Reads& store, const StoredTrigger& trigger,
                                       WallMs due_time) {
  if (due_time <= trigger.created_at) return TimeVerdict::before_added;
  if (trigger.next_due && due_time >= *trigger.next_due) return TimeVerdict::undecided;
  const auto oldest = oldest_occurrence(store, trigger.name);
  if (!oldest) return std::unexpected(oldest.error());
  const bool has_more = *oldest && (*oldest)->number > 1;
  return has_more && due_time < (*oldest)->due_at ? TimeVerdict::forgotten
                                                  : TimeVerdict::other_schedule;
}

Result<> explain_time(store::Reads& store, TriggerWhy& out, TimeSpan span, WallMs now) {
  const Schedule* schedule = out.spec.schedule();
  const auto due_time = schedule == nullptr ? std::nullopt : next_after(*schedule, span.from - 1);
  const bool is_due_time = due_time && *due_time < span.to;
  auto occurrence = occurrence_between(store, out.trigger.name, span.from, span.to);
  if (!occurrence) return std::unexpected(occurrence.error());
  // An occurrence for many due times counts for each of them, but not for the times between them.
  if (*occurrence && ((*occurrence)->count == 1 || is_due_time)) {
    out.occurrence = std::move(*occurrence);
    out.verdict = TimeVerdict::recorded;
    return add_run(store, out);
  }
  if (is_due_time) {
    if (*due_time > now) {
      out.verdict = TimeVerdict::upcoming;
      return {};
    }
    const auto verdict = without_occurrence(store, out.trigger, *due_time);
    if (!verdict) return std::unexpected(verdict.error());
    out.verdict = *verdict;
    return {};
  }
  if (schedule != nullptr && span.to <= out.trigger.created_at) {
    out.verdict = TimeVerdict::before_added;
    return {};
  }
  out.verdict = TimeVerdict::not_due;
  if (schedule == nullptr) {
    const auto around = occurrences_around(store, out.trigger.name, span.from, span.to);
    if (!around) return std::unexpected(around.error());
    out.due_before = around->before;
    out.due_after = around->after;
    return {};
  }
  out.due_before = nth_latest(*schedule, out.trigger.created_at + 1, span.from - 1, 1);
  // The first seconds of a trigger may have due times of its schedule before it.
  out.due_after = next_after(*schedule, std::max(span.from - 1, out.trigger.created_at));
  return {};
}

}  // namespace

std::string_view name(TimeVerdict verdict) {
  return kVerdicts[static_cast<size_t>(verdict)];
}

Result<std::vector<run::Record>> active_runs_of(store::Reads& store, const std::string& trigger) {
  return store.list({.active_only = true,
                     .scope = scope_of(trigger),
                     .scope_alone = true,
                     .limit = kQueuedRunsMax + 1});
}

Result<TriggerWhy> explain(store::Reads& store, const std::string& name, std::optional<WallMs> at,
                           WallMs now) {
  auto trigger = find_trigger(store, name);
  if (!trigger) return std::unexpected(trigger.error());
  auto spec = read_spec(trigger->spec, trigger->anchor);
  if (!spec) return std::unexpected(spec.error());
  auto active = active_runs_of(store, name);
  if (!active) return std::unexpected(active.error());
  TriggerWhy out{.trigger = std::move(*trigger), .spec = std::move(*spec), .at = at};
  out.active = std::move(*active);
  if (at) {
    if (auto ok = explain_time(store, out, TimeSpan(*at), now); !ok) {
      return std::unexpected(ok.error());
    }
    return out;
  }
  auto newest = ledger(store, {.trigger = name, .limit = 1});
  if (!newest) return std::unexpected(newest.error());
  if (newest->empty()) return out;
  out.verdict = TimeVerdict::recorded;
  out.occurrence = std::move(newest->front());
  if (auto ok = add_run(store, out); !ok) return std::unexpected(ok.error());
  return out;
}

}  // namespace drover::triggers
