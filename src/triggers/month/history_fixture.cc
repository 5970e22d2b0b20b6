#include "triggers/month/history_fixture.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <stdexcept>

#include "run/event_data.h"

namespace drover::triggers::month {
namespace {

namespace json = boost::json;

constexpr size_t kPage = 1'000;

std::string text_in(const json::object& data, std::string_view field) {
  const json::value* found = data.if_contains(field);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

std::vector<run::Event> whole_log(store::Store& store) {
  std::vector<run::Event> out;
  for (;;) {
    auto page = store.events({.after = out.empty() ? 0 : out.back().seq, .limit = kPage}).value();
    if (page.empty()) return out;
    for (run::Event& event : page) out.push_back(std::move(event));
  }
}

void add_run_event(const run::Event& event, TriggerHistory& history) {
  const auto found = std::ranges::find(history.runs, event.run_id.view(), &RunLife::id);
  if (found == history.runs.end()) return;
  if (event.type == "run.queued") found->queued = event.seq;
  if (event.type == "run.started") found->started = event.seq;
  if (event.type == "run.cancel_requested" && found->canceled == 0) found->canceled = event.seq;
  if (!event.is_final) return;
  found->ended = event.seq;
  found->end = event.type;
  history.changes.push_back({event.seq, event.time, event.type, found->finished_at});
}

void add_trigger_event(const run::Event& event, TriggerHistory& history) {
  const json::object data = run::data_of(event);
  std::string key = text_in(data, "slot");
  if (key.empty()) key = text_in(data, "event_id");
  if (key.empty()) {
    history.changes.push_back({event.seq, event.time, event.type});
    return;
  }
  if (event.type == "trigger.pending") return;
  const auto found = history.by_key.find(key);
  if (found == history.by_key.end()) {
    history.untold.push_back(event.type + " " + key);
    return;
  }
  RecordedOccurrence& recorded = history.occurrences[found->second];
  recorded.seq = event.seq;
  ++recorded.reported;
  if (event.type != "trigger." + std::string(name(recorded.occurrence.outcome)) ||
      text_in(data, "run_id") != recorded.occurrence.run_id) {
    history.untold.push_back(event.type + " " + key + ", but the ledger says " +
                             std::string(name(recorded.occurrence.outcome)));
  }
}

}  // namespace

const RunLife* TriggerHistory::run(std::string_view id) const {
  const auto found = std::ranges::find(runs, id, &RunLife::id);
  return found == runs.end() ? nullptr : &*found;
}

bool TriggerHistory::is_paused(std::int64_t seq) const {
  bool paused = false;
  for (const Change& change : changes) {
    if (change.seq >= seq) break;
    if (change.type == "trigger.paused") paused = true;
    if (change.type == "trigger.resumed") paused = false;
  }
  return paused;
}

History read_history(store::Store& store, const std::vector<std::string>& triggers,
                     const Edits& edits) {
  History out;
  for (const std::string& name : triggers) {
    TriggerHistory& one = out.triggers[name];
    auto occurrences = ledger(store, {.trigger = name, .limit = 100'000}).value();
    for (Occurrence& occurrence : occurrences)
      one.occurrences.push_back({.occurrence = std::move(occurrence)});
    std::ranges::reverse(one.occurrences);
    for (size_t i = 0; i < one.occurrences.size(); ++i)
      one.by_key.emplace(one.occurrences[i].occurrence.key, i);
    one.totals = totals(store, name).value();
  }
  const auto runs = store.list({.limit = 1'000'000}).value();
  for (const run::Record& record : runs) {
    const auto label = [&](const char* key) {
      const auto found = record.labels.find(key);
      return found == record.labels.end() ? std::string() : found->second;
    };
    const std::string due_time = label("slot");
    out.triggers[label("trigger")].runs.push_back(
        {.id = record.id.str(),
         .trigger = label("trigger"),
         .occurrence_key = due_time.empty() ? label("event") : due_time,
         .end = {},
         .finished_at = record.finished_at});
  }
  for (auto& [name, one] : out.triggers) std::ranges::reverse(one.runs);
  out.log = whole_log(store);
  for (const run::Event& event : out.log) {
    const std::string trigger = event.scope.substr(event.scope.find('/') + 1);
    const auto found = out.triggers.find(trigger);
    if (!event.scope.starts_with("trigger/") || found == out.triggers.end()) continue;
    event.is_of_run() ? add_run_event(event, found->second)
                      : add_trigger_event(event, found->second);
  }
  for (const auto& [name, overlaps] : edits) {
    auto next = overlaps.begin();
    for (Change& change : out.triggers[name].changes) {
      if (change.type == "trigger.changed" && next != overlaps.end()) change.overlap = *next++;
    }
  }
  return out;
}

std::multiset<std::string> digest(const History& history) {
  std::multiset<std::string> out;
  for (const auto& [trigger, one] : history.triggers) {
    for (const RecordedOccurrence& recorded : one.occurrences) {
      out.insert(trigger + " " +
                 (recorded.occurrence.is_scheduled() ? recorded.occurrence.key : "event") + " " +
                 rfc3339(recorded.occurrence.due_at) + " " +
                 std::string(name(recorded.occurrence.outcome)) + " " +
                 std::string(recorded.word()) + " " + std::to_string(recorded.occurrence.count));
    }
  }
  return out;
}

}  // namespace drover::triggers::month
