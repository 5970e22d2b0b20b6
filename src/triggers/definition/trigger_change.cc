#include "triggers/definition/trigger_change.h"

#include <boost/json/serialize.hpp>

#include "triggers/firing/firing_steps.h"
#include "triggers/hooks/hook_holder.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

store::SubjectEvent event_of(const StoredTrigger& trigger, std::string_view type) {
  json::object data{{"trigger", trigger.name}};
  if (!trigger.declared_in.empty()) data["declared_in"] = trigger.declared_in;
  return {.subject = "trigger/" + trigger.name,
          .type = std::string(type),
          .scope = scope_of(trigger.name),
          .data = json::serialize(data)};
}

// A schedule without a future time is refused: nobody would notice that it never fires.
Result<> check_future(const TriggerSpec& spec, WallMs now) {
  if (spec.schedule() == nullptr) return {};
  auto checked = checked_for_future(*spec.schedule(), now);
  return checked ? Result<>{} : std::unexpected(checked.error());
}

}  // namespace

Result<> check_variables(const Variables& variables) {
  run::Spec spec;  // Only for its environment, which is validated like any other.
  spec.argv = {"-"};
  spec.cwd = "/";
  spec.env = variables;
  return run::validate(spec);
}

std::vector<Occurrence> passed_over(const StoredTrigger& trigger, const TriggerSpec& spec,
                                    WallMs now, std::string reason) {
  if (spec.schedule() == nullptr || !trigger.next_due || *trigger.next_due > now) return {};
  const std::int64_t count = count_due_times(*spec.schedule(), *trigger.next_due, now);
  const auto last = nth_latest(*spec.schedule(), *trigger.next_due, now, 1);
  if (count == 0 || !last) return {};
  return {{.key = due_time_key(*last),
           .due_at = *last,
           .outcome = Outcome::skipped,
           .reason = std::move(reason),
           .run_id = {},
           .count = count,
           .first_key = count > 1 ? due_time_key(*trigger.next_due) : ""}};
}

Result<StoredTrigger> new_trigger(const TriggerSpec& spec, WallMs now, std::string declared_in) {
  if (auto ok = check_future(spec, now); !ok) return std::unexpected(ok.error());
  StoredTrigger trigger{.name = spec.name,
                        .source_type = std::string(source_type(spec.source)),
                        .spec = json::serialize(fields_of(spec)),
                        .declared_in = std::move(declared_in),
                        .created_at = now,
                        .anchor = now};
  const Position begin = position_after(spec, trigger, now);
  trigger.next_due = begin.next_due;
  trigger.wake_at = begin.wake_at;
  trigger.zone_version = zone_version_of(spec);
  return trigger;
}

Result<TriggerChange> changed_trigger(const StoredTrigger& before, const TriggerSpec* was,
                                      const TriggerSpec& spec, bool is_new_source, WallMs now) {
  if (auto ok = check_future(spec, now); !ok) return std::unexpected(ok.error());
  TriggerChange change{.now = before};
  if (was != nullptr) change.occurrences = passed_over(before, *was, now, "edited");
  change.now.source_type = source_type(spec.source);
  change.now.spec = json::serialize(fields_of(spec));
  if (is_new_source) change.now.anchor = now;
  const Position next = position_after(spec, change.now, now);
  change.now.next_due = next.next_due;
  change.now.wake_at = next.wake_at;
  change.now.zone_version = zone_version_of(spec);
  change.now.errors = 0;
  change.now.backoff_until = 0;
  return change;
}

Result<> write_added(store::Transaction& transaction, const StoredTrigger& trigger) {
  if (auto ok = check_hook_path_free(transaction, trigger); !ok) return ok;
  if (auto ok = insert_trigger(transaction, trigger); !ok) return ok;
  return transaction.append(event_of(trigger, "trigger.added"));
}

Result<> write_changed(store::Transaction& transaction, const TriggerChange& change,
                       std::string_view event) {
  const StoredTrigger& trigger = change.now;
  const auto now = find_trigger(transaction, trigger.name);
  if (!now) return std::unexpected(now.error());
  if (now->revision != trigger.revision) {
    return fail(ErrorCode::conflict, "trigger_changed",
                "somebody else changed the trigger at the same time; try again", "trigger");
  }
  // A due time that was fired meanwhile is in the ledger.
  for (const Occurrence& occurrence : change.occurrences) {
    if (auto ok = add_occurrence(transaction, trigger.name, occurrence);
        !ok && ok.error().reason != "already_accounted") {
      return ok;
    }
  }
  if (auto ok = check_hook_path_free(transaction, trigger); !ok) return ok;
  if (auto ok = update_trigger(transaction, trigger); !ok) return ok;
  if (trigger.source_type != now->source_type || trigger.anchor != now->anchor) {
    if (auto ok = forget_state(transaction, trigger.name); !ok) return ok;  // Of the old source.
  }
  return transaction.append(event_of(trigger, event));
}

Result<> write_removed(store::Transaction& transaction, const StoredTrigger& trigger) {
  if (auto ok = delete_trigger(transaction, trigger.name); !ok) return ok;
  return transaction.append(event_of(trigger, "trigger.removed"));
}

}  // namespace drover::triggers
