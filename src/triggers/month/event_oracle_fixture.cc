#include <algorithm>
#include <boost/json/parse.hpp>
#include <map>
#include <optional>

#include "run/event_data.h"
#include "triggers/month/oracle_fixture.h"

namespace drover::triggers::month {
namespace {

namespace json = boost::json;

// The payload of an event as it is stored; empty if it was too large to be kept.
json::object payload_in(const std::string& envelope) {
  boost::system::error_code bad;
  const json::value value = json::parse(envelope, bad);
  if (bad || !value.is_object()) return {};
  const json::value* payload = value.get_object().if_contains("payload");
  return payload != nullptr && payload->is_object() ? payload->get_object() : json::object{};
}

std::int64_t number_in(const json::object& data, std::string_view field) {
  const json::value* found = data.if_contains(field);
  return found != nullptr && found->is_int64() ? found->get_int64() : -1;
}

std::string text_in(const json::object& data, std::string_view field) {
  const json::value* found = data.if_contains(field);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

// An event that was posted, as the log has it.
struct Landed {
  std::int64_t seq = 0;
  std::string id;
  WallMs time = 0;
  const PostedToLog* posted = nullptr;
};

class EventCheck {
 public:
  explicit EventCheck(const Month& month) : month_(month) {}

  Problems run() {
    find_posted();
    for (const PlannedTrigger& one : month_.plan.triggers) {
      trigger_ = &one;
      history_ = &month_.history.triggers.at(one.name);
      expected_.clear();
      if (one.source == "event") expect_posted();
      if (one.source == "internal") expect_internal();
      if (one.source == "webhook") expect_delivered();
      if (one.source == "feed") expect_items();
      if (one.source == "page") expect_versions();
      if (one.source == "file") expect_files();
      check_by_hand();
      compare();
    }
    return std::move(problems_);
  }

 private:
  // The first word of an occurrence's reason; empty: it fires, or is skipped by overlap.
  struct Expectation {
    std::string word;
    bool may_be_too_fast = false;
  };

  void say(const std::string& what) { problems_.push_back(trigger_->name + ": " + what); }

  void find_posted() {
    std::map<int, Landed> landed;
    for (const run::Event& event : month_.history.log) {
      if (!event.other.starts_with("event/")) continue;
      const int number = static_cast<int>(number_in(payload_in(event.data), "number"));
      const bool is_new =
          landed.emplace(number, Landed{event.seq, event.other.substr(6), event.time, nullptr})
              .second;
      if (!is_new) problems_.push_back("event " + std::to_string(number) + " is in the log twice");
    }
    for (const PostedToLog& one : month_.outside.posted) {
      const auto found = landed.find(one.number);
      if (found != landed.end()) {
        landed_.push_back(found->second);
        landed_.back().posted = &one;
      } else if (one.confirmed) {
        problems_.push_back("event " + std::to_string(one.number) + " was confirmed and lost");
      }
    }
  }

  void expect_posted() {
    std::map<std::string, WallMs> windows;
    for (const Landed& one : landed_) {
      if (one.posted->type != trigger_->on) continue;
      Expectation& expected = expected_[one.id];
      if (history_->is_paused(one.seq)) {
        expected.word = "paused";
      } else if (one.posted->digit >= trigger_->below) {
        expected.word = "filter";
      } else if (trigger_->dedup_ms > 0 && !one.posted->key.empty()) {
        const auto window = windows.find(one.posted->key);
        if (window != windows.end() && std::abs(one.time - window->second) < trigger_->dedup_ms) {
          expected.word = "duplicate";
        } else {
          // Windows whose time has passed are over, also if the clock is set back later.
          std::erase_if(windows, [&](const auto& window_of) {
            return window_of.second < one.time - trigger_->dedup_ms;
          });
          windows[one.posted->key] = one.time;
        }
      }
    }
  }

  void expect_internal() {
    const bool is_run = trigger_->on.starts_with("run.");
    for (const run::Event& event : month_.history.log) {
      if (event.type != trigger_->on) continue;
      const json::object data = run::data_of(event);
      const std::string of = event.scope.substr(event.scope.find('/') + 1);
      // Of finished runs and of triggers, only what it wants.
      const bool is_of_many = of.starts_with("every-1") || of == trigger_->name;
      if (trigger_->of.empty() ? !is_of_many : of != trigger_->of) continue;
      const std::vector<std::string> chain = chain_of(event);
      const bool is_loop = std::ranges::find(chain, trigger_->name) != chain.end();
      const bool is_deep = chain.size() >= 8;
      const bool is_echo = !is_run && event.type != "trigger.fired";
      if (is_echo && (is_loop || is_deep)) continue;
      Expectation& expected = expected_["evt_" + std::to_string(event.seq)];
      expected.may_be_too_fast = true;
      if (is_deep) expected.word = "too_deep";
      if (is_loop) expected.word = "loop";
      if (history_->is_paused(event.seq)) expected.word = "paused";
    }
  }

  // The triggers that led to an event, by the occurrences and the events that they name.
  std::vector<std::string> chain_of(const run::Event& event) const {
    const std::string trigger = event.scope.substr(event.scope.find('/') + 1);
    const auto found = month_.history.triggers.find(trigger);
    if (found == month_.history.triggers.end()) return {};
    if (!event.is_of_run()) {
      const json::object data = run::data_of(event);
      const std::string due_time = text_in(data, "slot");
      return chain_of(trigger, due_time.empty() ? text_in(data, "event_id") : due_time);
    }
    const RunLife* run = found->second.run(event.run_id.view());
    if (run == nullptr) return {};
    return chain_of(trigger, run->occurrence_key);
  }

  std::vector<std::string> chain_of(const std::string& trigger, const std::string& key) const {
    std::vector<std::string> out;
    const PlannedTrigger* planned = month_.plan.find(trigger);
    if (planned != nullptr && planned->source == "internal" && key.starts_with("evt_")) {
      const std::int64_t seq = std::atoll(key.c_str() + 4);
      const auto event = std::ranges::lower_bound(month_.history.log, seq, {}, &run::Event::seq);
      if (event != month_.history.log.end() && key == "evt_" + std::to_string(event->seq)) {
        out = chain_of(*event);
      }
    }
    out.push_back(trigger);
    return out;
  }

  void expect_delivered() {
    for (const Delivered& one : month_.outside.delivered) {
      if (one.trigger != trigger_->name) continue;
      const auto occurrence = history_->by_key.find(one.event_id);
      Expectation& expected = expected_[one.event_id];
      if (occurrence == history_->by_key.end()) continue;
      if (history_->is_paused(history_->occurrences[occurrence->second].seq)) {
        expected.word = "paused";
      } else if (one.digit >= trigger_->below) {
        expected.word = "filter";
      }
    }
  }

  // Rows of a source that makes its own ids: matched by what is in them.
  template <class Read>
  void expect_contents(std::map<std::string, int> wanted, Read read) {
    for (const RecordedOccurrence& recorded : history_->occurrences) {
      const json::object payload = payload_in(recorded.occurrence.event);
      const std::vector<std::string> contents = read(payload);
      if (contents.empty()) continue;
      for (const std::string& one : contents) --wanted[one];
      // The occurrence exists; a pause is the only reason not to start its run.
      const bool paused = recorded.word() == "paused";
      expected_[recorded.occurrence.key].word = paused ? "paused" : "";
      if (paused && !history_->is_paused(recorded.seq))
        say(recorded.occurrence.key + ": it was not paused");
    }
    for (const auto& [one, count] : wanted) {
      if (count != 0) say(one + " is in " + std::to_string(1 - count) + " occurrences");
    }
  }

  void expect_items() {
    std::map<std::string, int> wanted;
    const auto found = month_.outside.published.find(trigger_->path);
    const int count = found == month_.outside.published.end() ? 0 : found->second;
    for (int i = 1; i <= count; ++i) wanted["item-" + std::to_string(i)] = 1;
    expect_contents(std::move(wanted), [](const json::object& payload) {
      const std::string id = text_in(payload, "id");
      return id.empty() ? std::vector<std::string>() : std::vector{id};
    });
  }

  // Versions between two polls are not seen; the last one is.
  void expect_versions() {
    std::map<std::string, int> seen;
    for (const RecordedOccurrence& recorded : history_->occurrences) {
      const std::string text = text_in(payload_in(recorded.occurrence.event), "text");
      if (text.empty()) continue;
      if (++seen[text] > 1) say(text + " is in two occurrences");
      expected_[recorded.occurrence.key].word = recorded.word() == "paused" ? "paused" : "";
    }
    const auto found = month_.outside.published.find(trigger_->path);
    if (found == month_.outside.published.end() || found->second == 0) return;
    if (!seen.contains("version-" + std::to_string(found->second))) say("its last version is lost");
  }

  void expect_files() {
    std::map<std::string, int> wanted;
    const auto found = month_.outside.written.find(trigger_->name);
    if (found != month_.outside.written.end()) {
      for (const std::string& file : found->second) wanted[file] = 1;
    }
    expect_contents(std::move(wanted), [](const json::object& payload) {
      std::vector<std::string> out;
      if (const json::value* changes = payload.if_contains("changes")) {
        for (const json::value& change : changes->as_array()) {
          out.push_back(text_in(change.as_object(), "path"));
        }
      }
      return out;
    });
  }

  void check_by_hand() {
    auto times = std::ranges::count(month_.fired_by_hand, trigger_->name);
    for (const RecordedOccurrence& recorded : history_->occurrences) {
      boost::system::error_code bad;
      const json::value event = json::parse(recorded.occurrence.event, bad);
      if (bad || !event.is_object() || text_in(event.get_object(), "type") != "manual") continue;
      --times;
      const bool is_right = recorded.occurrence.outcome == Outcome::fired
                                ? recorded.word() == "by_hand"
                                : recorded.word() == "overlap" || recorded.word() == "queue_full";
      if (!is_right) say(recorded.occurrence.key + " was fired by hand");
      expected_.erase(recorded.occurrence.key);
      by_hand_.insert(recorded.occurrence.key);
    }
    if (times != 0) say("what was fired by hand is not in the ledger");
  }

  void compare() {
    for (const auto& [key, expected] : expected_) {
      const auto found = history_->by_key.find(key);
      if (found == history_->by_key.end()) {
        say(key + " is lost");
        continue;
      }
      const RecordedOccurrence& recorded = history_->occurrences[found->second];
      const std::string_view word = recorded.word();
      if (expected.may_be_too_fast && word == "too_fast") continue;
      if (!expected.word.empty()) {
        if (recorded.occurrence.outcome != Outcome::skipped || word != expected.word) {
          say(key + " must be skipped: " + expected.word + ", not " + recorded.occurrence.reason);
        }
      } else if (recorded.occurrence.outcome == Outcome::skipped) {
        if (word != "overlap" && word != "queue_full") say(key + ": " + recorded.occurrence.reason);
      } else if (recorded.occurrence.outcome != Outcome::fired) {
        say(key + " must fire");
      }
    }
    for (const RecordedOccurrence& recorded : history_->occurrences) {
      if (recorded.occurrence.is_scheduled() || by_hand_.contains(recorded.occurrence.key))
        continue;
      if (!expected_.contains(recorded.occurrence.key))
        say(recorded.occurrence.key + ": nothing like this happened");
    }
  }

  const Month& month_;
  const PlannedTrigger* trigger_ = nullptr;
  const TriggerHistory* history_ = nullptr;
  std::vector<Landed> landed_;
  std::map<std::string, Expectation> expected_;
  std::set<std::string> by_hand_;
  Problems problems_;
};

}  // namespace

Problems check_events(const Month& month) {
  return EventCheck(month).run();
}

}  // namespace drover::triggers::month
