#include "triggers/hooks/hook_triggers.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <set>

#include "base/text.h"
#include "log/log.h"
#include "triggers/events/accept_event.h"
#include "triggers/events/event_digest.h"
#include "triggers/events/event_producer.h"
#include "triggers/hooks/secret.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

// JSON as it was sent; anything else as text, or as base 64.
std::string payload_of(std::string_view body) {
  if (body.empty()) return "null";
  if (check_payload(body, "body")) return std::string(body);
  if (is_utf8(body)) return json::serialize(json::value(body));
  return json::serialize(json::object{{"base64", base64(body)}});
}

}  // namespace

void HookTriggers::set(const StoredTrigger& trigger) {
  remove(trigger.name);
  if (trigger.source_type != "webhook") return;
  auto spec = read_spec(trigger.spec, trigger.anchor);
  if (!spec) {
    log::error("trigger {}: {}", trigger.name, spec.error().message);
    return;
  }
  const std::string path = std::get<WebhookSource>(spec->source).path;
  by_path_.insert_or_assign(path, std::move(*spec));
  withhold_secrets();
}

void HookTriggers::remove(const std::string& name) {
  const size_t erased =
      std::erase_if(by_path_, [&](const auto& entry) { return entry.second.name == name; });
  if (erased > 0) withhold_secrets();
}

void HookTriggers::withhold_secrets() {
  std::set<std::string> names;
  for (const auto& [path, spec] : by_path_) {
    const auto place = SecretSource::parse(std::get<WebhookSource>(spec.source).secret, "secret");
    if (place && !place->variable().empty()) names.insert(place->variable());
  }
  environment_.withhold(names);
}

Result<> HookTriggers::check_head(const std::string& path, const HookRequest& request) const {
  if (!by_path_.contains(path)) {
    return fail(ErrorCode::not_found, "not_found", "there is no such webhook", "hook");
  }
  return check_signed(request);
}

asio::awaitable<Result<Delivery>> HookTriggers::deliver(std::string path, HookRequest request,
                                                        work::Caller caller) {
  if (auto ok = check_head(path, request); !ok) co_return std::unexpected(ok.error());
  const TriggerSpec spec = by_path_.at(path);
  const auto& source = std::get<WebhookSource>(spec.source);
  const auto place = SecretSource::parse(source.secret, "secret");
  if (!place) co_return std::unexpected(place.error());
  const auto secrets = place->read();
  if (!secrets) {
    // A stranger learns nothing of files and variables.
    log::error("trigger {}: {}", spec.name, secrets.error().message);
    co_return fail(ErrorCode::unavailable, "no_secret",
                   "the secret of this webhook cannot be read; the daemon's log says why");
  }
  const auto identity = verify_hook(request, *secrets);
  if (!identity) co_return std::unexpected(identity.error());
  std::string payload = payload_of(request.body);
  if (auto ok = check_payload(payload, "body"); !ok) co_return std::unexpected(ok.error());
  EventEnvelope event{.id = event_id_of(spec.name, identity->replay_key),
                      .type = std::string(event_type_of(spec.source)),
                      .producer = producer_of(spec.source, spec.name),
                      .time = clock_.wall_ms(),
                      // The delivery itself is repeated without a new event (its id).
                      .dedup_key = digest_of(request.body),
                      .chain = {},
                      .payload = std::move(payload)};
  const auto known =
      co_await reads_.ask(caller, [name = spec.name, key = event.id](store::Reads& store) {
        return find_occurrence(store, name, key);
      });
  if (!known) co_return std::unexpected(known.error());
  if (*known && (*known)->outcome != Outcome::pending) {
    co_return Delivery{.occurrence = std::move(**known), .is_repeated = true};
  }
  const auto accepted = co_await record_(
      store::Work([wanted = wanted_by(spec, event), event](store::Transaction& transaction) {
        return accept_event(transaction, wanted, event);
      }));
  if (!accepted) co_return std::unexpected(accepted.error());
  auto occurrence = co_await decide(spec.name, event.id, caller);
  if (!occurrence) co_return std::unexpected(occurrence.error());
  co_return Delivery{.occurrence = std::move(*occurrence), .is_repeated = known->has_value()};
}

// Starts the run of an occurrence, unless somebody else has decided it: then that is the answer.
asio::awaitable<Result<Occurrence>> HookTriggers::decide(const std::string& trigger,
                                                         const std::string& key,
                                                         const work::Caller& caller) {
  struct Found {
    StoredTrigger trigger;
    std::optional<Occurrence> occurrence;
  };
  for (int tries = 0;; ++tries) {
    auto found = co_await reads_.ask(caller, [trigger, key](store::Reads& store) -> Result<Found> {
      auto stored = find_trigger(store, trigger);
      if (!stored) return std::unexpected(stored.error());
      auto occurrence = find_occurrence(store, trigger, key);
      if (!occurrence) return std::unexpected(occurrence.error());
      return Found{std::move(*stored), std::move(*occurrence)};
    });
    if (!found) co_return std::unexpected(found.error());
    if (!found->occurrence) {
      co_return fail(ErrorCode::unavailable, "event_lost",
                     "try again");  // The trigger was replaced.
    }
    if (found->occurrence->outcome != Outcome::pending || tries == 3)
      co_return std::move(*found->occurrence);
    auto spec = read_spec(found->trigger.spec, found->trigger.anchor);
    if (!spec) co_return std::unexpected(spec.error());
    FiringRequest request{.trigger = std::move(found->trigger),
                          .spec = std::move(*spec),
                          .occurrence = std::move(*found->occurrence)};
    request.event = request.occurrence.event;
    request.is_pending = true;
    request.caller = caller;
    const auto fired = co_await firing_.fire(std::move(request));
    if (fired) co_return fired;
    if (fired.error().code != ErrorCode::conflict) co_return std::unexpected(fired.error());
  }
}

}  // namespace drover::triggers
