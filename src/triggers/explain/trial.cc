#include "triggers/explain/trial.h"

#include <algorithm>

#include "triggers/events/dedup_window.h"
#include "triggers/events/envelope.h"
#include "triggers/events/event_digest.h"
#include "triggers/events/event_producer.h"
#include "triggers/events/event_type.h"
#include "triggers/explain/cause.h"
#include "triggers/explain/why.h"
#include "triggers/firing/firing_steps.h"
#include "triggers/ledger/lookup.h"
#include "triggers/limits.h"

namespace drover::triggers {
namespace {

constexpr auto kEventId = "evt_test";  // Of an event that exists nowhere.

std::string any_of_its_runs(const std::vector<run::Record>& active) {
  return active.size() == 1 ? "its last run, " + active.front().id.str() + ","
                            : std::to_string(active.size()) + " of its runs";
}

// "filter payload.size lt 10: it does not hold" without its first word.
std::string without_noun(const std::string& reason) {
  return reason.substr(std::string_view("filter ").size());
}

// One trial: the checks in the order of accept_event, firing/firing_steps and firing/firing.
class Trying {
 public:
  Trying(store::Reads& store, Trial& out, WallMs now) : store_(store), out_(out), now_(now) {}

  Result<> try_time(std::optional<WallMs> at) {
    const Schedule& schedule = *out_.spec.schedule();
    const auto due_time = next_after(schedule, at.value_or(now_ + 1) - 1);
    const bool is_due = due_time && (!at || *due_time < *at + (*at % 1'000 == 0 ? 1'000 : 1));
    const WallMs time = is_due ? *due_time : at.value_or(now_);
    out_.occurrence = {.key = due_time_key(time), .due_at = time};
    add("due", is_due, is_due ? "it is a due time" : "it is not a due time");
    if (!is_due) {
      out_.due_before = nth_latest(schedule, out_.trigger.created_at + 1, time - 1, 1);
      out_.due_after = due_time;
    } else if (const auto wake = position_after(out_.spec, out_.trigger, time - 1).wake_at) {
      out_.occurrence.due_at = *wake;  // With its jitter.
    }
    if (auto ok = check_ledger(time); !ok) return ok;
    check_pause();
    const bool waits = time < out_.trigger.backoff_until;
    add("backoff", !waits,
        waits ? "it skips due times " + backoff_detail(out_.trigger.errors)
              : "no backoff at this time");
    if (waits) out_.checks.back().until = out_.trigger.backoff_until;
    return check_run();
  }

  Result<> try_event(const TrialRequest& request) {
    auto event = event_of(request);
    if (!event) return std::unexpected(event.error());
    const auto value = to_value(*event);
    if (!value) return std::unexpected(value.error());
    out_.event = to_json_text(*event);
    out_.occurrence = {.key = event->id, .due_at = event->time, .event = out_.event};
    if (const auto* source = std::get_if<EventSource>(&out_.spec.source)) {
      const bool matches = source->on.matches(event->type);
      add("type", matches,
          event->type + (matches ? " matches " : " does not match ") + source->on.text());
    }
    check_pause();
    check_filters(*value);
    if (auto ok = check_dedup(*event); !ok) return ok;
    return check_run();
  }

 private:
  void add(std::string name, bool passes, std::string text) {
    out_.checks.push_back({.name = std::move(name), .passes = passes, .text = std::move(text)});
  }

  Result<EventEnvelope> event_of(const TrialRequest& request) const {
    const std::string_view own = event_type_of(out_.spec.source);
    EventEnvelope event{.id = kEventId,
                        .type = std::string(own),
                        .producer = producer_of(out_.spec.source, out_.trigger.name),
                        .time = now_,
                        .dedup_key = request.dedup_key.value_or(""),
                        .chain = {},
                        .payload = request.payload.value_or("null")};
    if (std::holds_alternative<WebhookSource>(out_.spec.source)) {
      event.dedup_key = digest_of(event.payload);
    }
    if (own.empty()) {
      const std::string pattern = std::get<EventSource>(out_.spec.source).on.text();
      if (!request.type && pattern.ends_with('*')) {
        return fail_invalid("type", "type is missing: the trigger is on " + pattern);
      }
      event.type = request.type.value_or(pattern);
      const bool is_posted = check_posted_type(event.type, "type").has_value();
      event.producer = is_posted ? "emit" : event.type.starts_with("run.") ? "run" : "drover";
    } else if (request.type && *request.type != own) {
      return fail_invalid("type", "the events of this trigger have the type " + std::string(own));
    } else if (request.dedup_key) {
      return fail_invalid("dedup_key", "the events of this trigger have no dedup key");
    }
    if (auto ok = check_event(event); !ok) return std::unexpected(ok.error());
    return event;
  }

  void check_pause() {
    const bool paused = out_.trigger.paused_at != 0;
    add("pause", !paused, paused ? "the trigger is paused" : "the trigger is not paused");
  }

  Result<> check_ledger(WallMs due_time) {
    const auto occurrence = find_occurrence(store_, out_.trigger.name, due_time_key(due_time));
    if (!occurrence) return std::unexpected(occurrence.error());
    if (!*occurrence) return {};
    add("ledger", false,
        "it is in the ledger: " + std::string(name((*occurrence)->outcome)) +
            ((*occurrence)->run_id.empty() ? "" : ", " + (*occurrence)->run_id));
    return {};
  }

  // Each rule by itself, so that all that fail are shown. All rules of a filter share a budget of
  // work: the whole filter is evaluated, too.
  void check_filters(const boost::json::value& event) {
    bool passes = true;
    for (const FilterRule& rule : out_.spec.filters) {
      const FilterVerdict verdict = evaluate({&rule, 1}, event);
      passes &= verdict.passes();
      add("filter", verdict.passes(),
          verdict.passes() ? rule.text() + " holds" : without_noun(verdict.reason));
      if (const boost::json::value* value = rule.path().find_in(event)) {
        out_.checks.back().value = *value;
      }
    }
    const FilterVerdict whole = evaluate(out_.spec.filters, event);
    if (passes && !whole.passes()) add("filter", false, without_noun(whole.reason));
  }

  Result<> check_dedup(const EventEnvelope& event) {
    if (out_.spec.dedup_ms == 0) return {};
    if (event.dedup_key.empty()) {
      add("dedup", true, "an event without a key repeats no other");
      return {};
    }
    const auto window = find_window(store_, out_.trigger.name, window_key(event));
    if (!window) return std::unexpected(window.error());
    const auto decided = decide_dedup(*window, event.id, event.time, out_.spec.dedup_ms);
    const auto* duplicate = std::get_if<Duplicate>(&decided);
    add("dedup", duplicate == nullptr,
        duplicate == nullptr ? "no event had this key within " + format_duration(out_.spec.dedup_ms)
                             : "it repeats event " + duplicate->of + " (dedup)");
    return {};
  }

  Result<> check_run() {
    const auto active = active_runs_of(store_, out_.trigger.name);
    if (!active) return std::unexpected(active.error());
    if (active->empty()) {
      add("overlap", true, "none of its runs is active");
    } else if (out_.spec.overlap == Overlap::skip) {
      add("overlap", false, any_of_its_runs(*active) + " is still active; overlap: skip");
    } else if (active->size() > kQueuedRunsMax) {
      add("overlap", false, any_of_its_runs(*active) + " are waiting already");
    } else {
      add("overlap", true,
          out_.spec.overlap == Overlap::queue
              ? "the run would wait for " + any_of_its_runs(*active)
              : "the run would replace " + any_of_its_runs(*active));
    }
    return check_lane();
  }

  Result<> check_lane() {
    const auto lanes = store_.lanes();
    if (!lanes) return std::unexpected(lanes.error());
    const auto lane = std::ranges::find(*lanes, out_.spec.run.lane, &store::Lane::name);
    if (lane == lanes->end()) return {};
    if (lane->draining_at != 0) add("lane", false, "the lane " + lane->name + " is draining");
    if (lane->paused_at != 0) {
      add("lane", true, "the run would wait: the lane " + lane->name + " is paused");
    }
    return {};
  }

  store::Reads& store_;
  Trial& out_;
  const WallMs now_;
};

}  // namespace

const Check* Trial::obstacle() const {
  const auto found = std::ranges::find(checks, false, &Check::passes);
  return found == checks.end() ? nullptr : &*found;
}

Result<Trial> try_out(store::Reads& store, const std::string& name, const TrialRequest& request,
                      WallMs now) {
  auto trigger = find_trigger(store, name);
  if (!trigger) return std::unexpected(trigger.error());
  auto spec = read_spec(trigger->spec, trigger->anchor);
  if (!spec) return std::unexpected(spec.error());
  const bool is_timed = spec->schedule() != nullptr;
  if (is_timed && (request.type || request.payload || request.dedup_key)) {
    return fail_invalid("payload", name + " has a schedule: test it with a time, not an event");
  }
  if (!is_timed && request.at) {
    return fail_invalid("at", name + " fires on events: test it with an event, not a time");
  }
  Trial out{.trigger = std::move(*trigger), .spec = std::move(*spec), .occurrence = {}};
  Trying trying(store, out, now);
  auto tried = is_timed ? trying.try_time(request.at) : trying.try_event(request);
  if (!tried) return std::unexpected(tried.error());
  return out;
}

}  // namespace drover::triggers
