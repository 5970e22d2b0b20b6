#include "triggers/events/event_follower.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "follow/cursor.h"
#include "run/event_data.h"
#include "triggers/events/accept_event.h"
#include "triggers/events/event_digest.h"
#include "triggers/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

constexpr int kAncestorsMax = 16;  // Runs above a run that are searched for a trigger.

constexpr std::string_view kOfTriggers = "trigger/";

// The cause of an event: a run that asked or reported, or an occurrence of a trigger's ledger.
struct Cause {
  std::string run = {};
  std::string trigger = {};
  std::string key = {};  // Of the occurrence; empty: the event is about the trigger itself.
};

Cause cause_of(const run::Event& event) {
  if (event.is_of_run()) return {.run = event.run_id.str()};
  const bool is_of_trigger = event.other.starts_with(kOfTriggers);
  if (!is_of_trigger && !event.other.starts_with("question/") &&
      !event.other.starts_with("report/")) {
    return {};
  }
  const json::object data = run::data_of(event);
  const auto text = [&](std::string_view name) {
    const json::value* value = data.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
  };
  Cause out{.run = text("run_id")};
  if (is_of_trigger) {
    out.trigger = event.other.substr(kOfTriggers.size());
    out.key = data.contains("slot") ? text("slot") : text("event_id");
  }
  return out;
}

TriggerChain chain_in(const std::string& stored) {
  TriggerChain out;
  boost::system::error_code bad;
  const json::value names = json::parse(stored, bad);
  if (bad || !names.is_array()) return out;
  for (const json::value& name : names.get_array()) {
    if (name.is_string()) out.emplace_back(name.get_string());
  }
  return out;
}

// An event of a trigger was caused by that trigger, also if it has no run.
Result<TriggerChain> chain_behind(store::Transaction& transaction, const Cause& cause) {
  TriggerChain chain;
  if (!cause.run.empty()) {
    auto of_run = triggers::chain_of(transaction, cause.run);
    if (!of_run) return of_run;
    chain = std::move(*of_run);
  } else if (!cause.key.empty()) {
    const auto rows = transaction.query(
        "SELECT chain FROM occurrences WHERE name = $1 AND key = $2", {cause.trigger, cause.key});
    if (!rows) return std::unexpected(rows.error());
    if (!rows->empty()) chain = chain_in(rows->front()[0].text());
  }
  if (cause.trigger.empty() || std::ranges::find(chain, cause.trigger) != chain.end()) return chain;
  return extend(std::move(chain), cause.trigger);
}

store::Work accept_all(std::vector<WantedBy> wanted, EventEnvelope envelope, Cause cause) {
  return [wanted = std::move(wanted), envelope = std::move(envelope),
          cause = std::move(cause)](store::Transaction& transaction) -> Result<> {
    EventEnvelope event = envelope;
    // A program that posts an event has its chain in the event.
    if (!cause.run.empty() || !cause.trigger.empty()) {
      auto chain = chain_behind(transaction, cause);
      if (!chain) return std::unexpected(chain.error());
      event.chain = std::move(*chain);
    }
    for (const WantedBy& one : wanted) {
      if (auto accepted = accept_event(transaction, one, event); !accepted) return accepted;
    }
    return {};
  };
}

// The Works that bring an event to all triggers that it concerns.
std::vector<store::Work> works_for(const EventIndex& index, const run::Event& event) {
  if (index.empty() || !index.matches(event.type)) return {};
  const auto envelope = envelope_of(event);
  if (!envelope) return {};
  std::vector<WantedBy> wanted = index.wanted(*envelope);
  const bool is_of_trigger = event.other.starts_with(kOfTriggers);
  if (event.is_of_run() || is_of_trigger)
    std::erase_if(wanted, [](const WantedBy& w) { return !w.refusal.empty(); });
  // An occurrence about each occurrence of another trigger would have no end.
  if (is_of_trigger && event.type != "trigger.fired") {
    for (WantedBy& one : wanted) one.drops_loops = true;
  }
  const Cause cause = cause_of(event);
  std::vector<store::Work> out;
  for (size_t from = 0; from < wanted.size(); from += kAcceptedPerWork) {
    const size_t to = std::min(wanted.size(), from + kAcceptedPerWork);
    out.push_back(accept_all({wanted.begin() + static_cast<std::ptrdiff_t>(from),
                              wanted.begin() + static_cast<std::ptrdiff_t>(to)},
                             *envelope, cause));
  }
  return out;
}

}  // namespace

Result<TriggerChain> chain_of(store::Transaction& transaction, std::string run_id) {
  for (int i = 0; i < kAncestorsMax && !run_id.empty(); ++i) {
    const auto rows = transaction.query(
        "SELECT name, chain FROM occurrences WHERE run_id = $1 AND run_id <> '' LIMIT 1", {run_id});
    if (!rows) return std::unexpected(rows.error());
    if (!rows->empty()) {
      TriggerChain chain = chain_in(rows->front()[1].text());
      return extend(std::move(chain), rows->front()[0].text());
    }
    const auto id = RunId::parse(run_id);
    if (!id) break;
    const auto record = transaction.find(*id);
    if (!record) return std::unexpected(record.error());
    if (!*record) break;
    run_id = (*record)->parent_run_id;
  }
  return TriggerChain{};
}

std::optional<EventEnvelope> envelope_of(const run::Event& event) {
  if (event.other.starts_with("event/")) {  // Posted: its data is the envelope.
    auto posted = read_event(event.data);
    return posted ? std::optional(std::move(*posted)) : std::nullopt;
  }
  json::object payload = run::data_of(event);
  if (event.is_of_run()) payload["run_id"] = event.run_id.view();
  payload["subject"] = event.subject();
  payload["scope"] = event.scope;
  std::string repeated = event.subject();
  if (event.is_of_run()) {  // A run ends once; runs of one name and scope repeat each other.
    const json::value* name = payload.if_contains("name");
    repeated = event.scope + "\n" +
               (name != nullptr && name->is_string() ? std::string(name->get_string()) : "");
  }
  return EventEnvelope{.id = "evt_" + std::to_string(event.seq),
                       .type = event.type,
                       .producer = event.is_of_run() ? "run" : "drover",
                       .time = event.time,
                       .dedup_key = digest_of(event.type + "\n" + repeated),
                       .chain = {},
                       .payload = json::serialize(payload)};
}

Result<> keep_decisions(store::Transaction& transaction, const DecidedEvents& decided) {
  for (const auto& [follower, seq] : decided) {
    auto moved = follow::work_and_move(follower, seq, {})(transaction);
    if (!moved) return moved;
  }
  return {};
}

std::vector<follow::Follower> event_followers(const EventIndex& index, DecidedEvents& decided) {
  const auto parts = [&index, &decided](const std::string& follower) {
    return [&index, &place = decided[follower]](const run::Event& event) {
      // Its Work is not committed yet.
      place = std::max(place, event.seq - 1);
      std::vector<store::Work> works = works_for(index, event);
      if (works.empty()) place = std::max(place, event.seq);
      return works;
    };
  };
  return {{.name = "triggers.events",
           .filter = {.run = {}, .scope = {}, .of_rooms = true},
           .begins = follow::StartFrom::now,
           .parts = parts("triggers.events")},
          {.name = "triggers.runs",
           .types = {kFinishedRunTypes.begin(), kFinishedRunTypes.end()},
           .begins = follow::StartFrom::now,
           .parts = parts("triggers.runs")}};
}

}  // namespace drover::triggers
