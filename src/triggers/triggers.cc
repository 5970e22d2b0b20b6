#include "triggers/triggers.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/crash_point.h"
#include "triggers/definition/edited_fields.h"
#include "triggers/events/event_follower.h"
#include "triggers/events/known_run_event.h"
#include "triggers/firing/firing_steps.h"
#include "triggers/hooks/hook_holder.h"
#include "triggers/hooks/secret.h"
#include "triggers/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

// Its file would change it back.
Result<> check_by_hand(const StoredTrigger& trigger) {
  if (trigger.declared_in.empty()) return {};
  return fail(ErrorCode::conflict, "declared_trigger",
              "the trigger " + trigger.name + " is declared in " + trigger.declared_in +
                  "; change that file, and the trigger follows",
              "trigger");
}

// A webhook whose secret cannot be read would refuse every delivery, and only the log would say
// why. For a trigger in a file, which may exist before its secret, that is how it stays.
Result<> check_secret(const TriggerSpec& spec) {
  const auto* hook = std::get_if<WebhookSource>(&spec.source);
  if (hook == nullptr) return {};
  auto source = SecretSource::parse(hook->secret, "source.secret");
  if (!source) return std::unexpected(source.error());
  const auto secrets = source->read();
  if (secrets) return {};
  return fail(ErrorCode::invalid, secrets.error().reason, secrets.error().message, "source.secret");
}

// Checks of a source that somebody has just typed; stored ones stay as they are.
Result<> check_new_source(const TriggerSpec& spec) {
  if (const auto* event = std::get_if<EventSource>(&spec.source)) {
    return check_run_event(event->on, "source.on");
  }
  return check_secret(spec);
}

}  // namespace

Triggers::Triggers(const Clock& clock, store::ReadPool& reads, spine::Recorder record,
                   const Home& home, Firing& firing, const DecidedEvents& decided, Changed changed)
    : clock_(clock),
      reads_(reads),
      record_(std::move(record)),
      home_(home),
      firing_(firing),
      decided_(decided),
      changed_(std::move(changed)),
      ids_(clock) {}

asio::awaitable<Result<StoredTrigger>> Triggers::find(std::string name) {
  co_return co_await reads_.ask(
      {}, [name = std::move(name)](store::Reads& store) { return find_trigger(store, name); });
}

asio::awaitable<Result<StoredTrigger>> Triggers::add(json::object fields, Variables variables) {
  const WallMs now = clock_.wall_ms();
  auto spec = read_spec(fields, now);
  if (!spec) co_return std::unexpected(spec.error());
  if (auto ok = check_new_source(*spec); !ok) co_return std::unexpected(ok.error());
  if (auto ok = check_variables(variables); !ok) co_return std::unexpected(ok.error());
  auto made = new_trigger(*spec, now, "");
  if (!made) co_return made;
  const StoredTrigger trigger = std::move(*made);
  // The file first: a trigger without its environment must not fire. If the name is taken, the file
  // of the other trigger must stay.
  const auto taken = co_await find(trigger.name);
  if (taken) {
    co_return fail(ErrorCode::conflict, "name_taken",
                   "there is already a trigger " + trigger.name +
                       "; choose another name, or change it: drover trigger edit " + trigger.name,
                   "name");
  }
  if (taken.error().code != ErrorCode::not_found) co_return std::unexpected(taken.error());
  if (auto kept = write_environment_file(home_, trigger.name, variables); !kept) {
    co_return std::unexpected(kept.error());
  }
  const auto added = co_await record_(
      store::Work([trigger, decided = decided_](store::Transaction& t) -> Result<> {
        if (auto ok = write_added(t, trigger); !ok) return ok;
        return keep_decisions(t, decided);
      }));
  if (!added) co_return std::unexpected(added.error());
  crash_point("trigger.added");
  changed_(&trigger, trigger.name);
  co_return trigger;
}

asio::awaitable<Result<StoredTrigger>> Triggers::store_change(TriggerChange change,
                                                              std::string type) {
  const auto written = co_await record_(store::Work(
      [change, type = std::move(type), decided = decided_](store::Transaction& t) -> Result<> {
        if (auto ok = write_changed(t, change, type); !ok) return ok;
        return keep_decisions(t, decided);
      }));
  if (!written) co_return std::unexpected(written.error());
  StoredTrigger trigger = std::move(change.now);
  ++trigger.revision;
  changed_(&trigger, trigger.name);
  co_return trigger;
}

asio::awaitable<Result<StoredTrigger>> Triggers::edit(std::string name, json::object fields,
                                                      std::optional<Variables> variables) {
  auto trigger = co_await find(name);
  if (!trigger) co_return trigger;
  if (auto ok = check_by_hand(*trigger); !ok) co_return std::unexpected(ok.error());
  const WallMs now = clock_.wall_ms();
  const auto before = read_spec(trigger->spec, trigger->anchor);
  if (!before) co_return std::unexpected(before.error());
  const bool has_new_source = fields.contains("source");
  json::object merged = edited_fields(fields_of(*before), fields);
  merged["name"] = name;
  const WallMs anchor = has_new_source ? now : trigger->anchor;
  const auto spec = read_spec(merged, anchor);
  if (!spec) co_return std::unexpected(spec.error());
  if (has_new_source) {
    if (auto ok = check_new_source(*spec); !ok) co_return std::unexpected(ok.error());
  }
  if (variables) {
    if (auto ok = check_variables(*variables); !ok) co_return std::unexpected(ok.error());
  }
  auto change = changed_trigger(*trigger, &*before, *spec, has_new_source, now);
  if (!change) co_return std::unexpected(change.error());
  if (variables) {
    if (auto kept = write_environment_file(home_, name, *variables); !kept) {
      co_return std::unexpected(kept.error());
    }
  }
  co_return co_await store_change(std::move(*change), "trigger.changed");
}

asio::awaitable<Result<>> Triggers::remove(std::string name) {
  const auto removed = co_await record_(store::Work([name](store::Transaction& t) -> Result<> {
    const auto known = find_trigger(t, name);
    if (!known) return std::unexpected(known.error());
    if (auto ok = check_by_hand(*known); !ok) return ok;
    return write_removed(t, *known);
  }));
  if (!removed) co_return std::unexpected(removed.error());
  crash_point("trigger.removed");
  remove_files(home_, name);
  changed_(nullptr, name);
  co_return Result<>{};
}

asio::awaitable<Result<StoredTrigger>> Triggers::pause(std::string name) {
  auto trigger = co_await find(std::move(name));
  if (!trigger || trigger->paused_at != 0) co_return trigger;
  trigger->paused_at = clock_.wall_ms();
  co_return co_await store_change({.now = std::move(*trigger)}, "trigger.paused");
}

asio::awaitable<Result<StoredTrigger>> Triggers::resume(std::string name) {
  auto trigger = co_await find(std::move(name));
  if (!trigger || trigger->paused_at == 0) co_return trigger;
  const auto spec = read_spec(trigger->spec, trigger->anchor);
  if (!spec) co_return std::unexpected(spec.error());
  const WallMs now = clock_.wall_ms();
  std::vector<Occurrence> occurrences = passed_over(*trigger, *spec, now, "paused");
  trigger->paused_at = 0;
  trigger->errors = 0;
  trigger->backoff_until = 0;
  if (trigger->next_due && *trigger->next_due <= now) {
    const Position next = position_after(*spec, *trigger, now);
    trigger->next_due = next.next_due;
    trigger->wake_at = next.wake_at;
  }
  co_return co_await store_change(
      {.now = std::move(*trigger), .occurrences = std::move(occurrences)}, "trigger.resumed");
}

asio::awaitable<Result<Occurrence>> Triggers::fire(std::string name, json::object event) {
  auto trigger = co_await find(std::move(name));
  if (!trigger) co_return std::unexpected(trigger.error());
  auto spec = read_spec(trigger->spec, trigger->anchor);
  if (!spec) co_return std::unexpected(spec.error());
  FiringRequest request{.trigger = std::move(*trigger), .spec = std::move(*spec), .occurrence = {}};
  request.by_hand = true;
  request.occurrence.key = "evt_" + ids_.next().str().substr(4);
  request.occurrence.due_at = clock_.wall_ms();
  request.occurrence.reason = "by_hand";
  event["id"] = request.occurrence.key;
  event["type"] = "manual";
  event["time"] = rfc3339(request.occurrence.due_at);
  request.event = json::serialize(event);
  request.occurrence.event = request.event;
  co_return co_await firing_.fire(std::move(request));
}

asio::awaitable<Result<std::string>> Triggers::emit(std::string body, std::string scope,
                                                    std::optional<RunId> by, std::string share) {
  auto posted = parse_posted_event(body);
  if (!posted) co_return std::unexpected(posted.error());
  if (auto ok = posted_.take(share, body.size(), clock_.wall_ms()); !ok) {
    co_return std::unexpected(ok.error());
  }
  EventEnvelope event{.id = "evt_" + ids_.next().str().substr(4),
                      .type = std::move(posted->type),
                      .producer = "emit",
                      .time = clock_.wall_ms(),
                      .dedup_key = std::move(posted->dedup_key),
                      .chain = {},
                      .payload = std::move(posted->payload)};
  const std::string id = event.id;
  const auto written =
      co_await record_(store::Work([event = std::move(event), scope = std::move(scope),
                                    by](store::Transaction& t) mutable -> Result<> {
        if (by) {
          auto chain = chain_of(t, by->str());
          if (!chain) return std::unexpected(chain.error());
          event.chain = std::move(*chain);
        }
        return t.append({.subject = "event/" + event.id,
                         .type = event.type,
                         .scope = scope,
                         .data = to_json_text(event)});
      }));
  if (!written) co_return std::unexpected(written.error());
  co_return id;
}

}  // namespace drover::triggers
