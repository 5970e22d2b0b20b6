#include "cli/commands/triggers/why_page.h"

#include "cli/commands/triggers/trigger_view.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/sheet.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

std::string when(WallMs time, WallMs now) {
  return say_local(time) + " (" + say_distance(time, now) + ")";
}

// The time in a field; empty: there is none.
std::string when(const object& from, std::string_view field, WallMs now) {
  const auto time = parse_rfc3339(text_in(from, field));
  return time ? when(*time, now) : "";
}

class Page {
 public:
  Page(const object& why, const Screen& screen, WallMs now)
      : why_(why), screen_(screen), now_(now) {}

  std::string draw() {
    head(answer());
    if (text_in(object_in(why_, "entry"), "reason") != "by_hand") line(cause());
    line(neighbors());
    line(run());
    line(pause());
    line(backoff());
    for (const boost::json::value& one : array_in(why_, "active")) {
      if (one.is_object()) line(active(one.get_object()));
    }
    line(next());
    const std::string warning = text_in(why_, "warning");
    if (!warning.empty()) line("warning: " + warning);
    return std::move(out_);
  }

 private:
  void head(const std::string& text) {
    const std::string name = clean(text_in(why_, "trigger"));
    std::string lines = indented(name + " " + text, 0, screen_.width(), Color::none, screen_);
    if (lines.starts_with(name)) lines.replace(0, name.size(), screen_.paint(Color::bold, name));
    out_ += lines;
  }
  void line(const std::string& text) {
    if (!text.empty()) out_ += indented(clean(text), 2, screen_.width(), Color::none, screen_);
  }

  std::string answer() const {
    const std::string verdict = text_in(why_, "verdict");
    const std::string at = when(why_, "at", now_);
    if (verdict == "recorded") return entry();
    if (verdict == "upcoming") return "is due at " + at + ": it has not run yet";
    if (verdict == "undecided") {
      return "was due at " + at + ", and has no entry in the ledger yet" +
             (text_in(why_, "state") == "paused" ? ": it is paused" : "");
    }
    if (verdict == "before_added") return "did not run at " + at + ": it was added later";
    if (verdict == "forgotten") {
      return "has no entry for " + at + " any more: only the newest 1,000 are kept";
    }
    if (verdict == "other_schedule") {
      return "did not run at " + at + ": it had another schedule then";
    }
    if (verdict == "not_due") {
      return (has_schedule() ? "was not due at " : "received no event at ") + at;
    }
    return has_schedule() ? "has not been due yet" : "has received no event yet";
  }

  // The first words of the page about an entry of the ledger.
  std::string entry() const {
    const object& entry = object_in(why_, "entry");
    const std::string outcome = text_in(entry, "outcome");
    const std::string reason = text_in(entry, "reason");
    // Only `drover trigger fire` sends an event to a schedule.
    const bool by_hand = !text_in(entry, "event_id").empty() && has_schedule();
    const bool is_event = !text_in(entry, "event_id").empty() && !by_hand;
    const std::string time = when(entry, "due_at", now_);
    if (outcome == "pending") return "received an event at " + time;
    if (reason == "by_hand" || (by_hand && outcome == "fired"))
      return "was fired by hand at " + time;
    if (outcome == "fired") {
      if (is_event) return "ran for the event of " + time;
      if (!reason.starts_with("caught_up")) return "ran at " + time;
      const auto decided = parse_rfc3339(text_in(entry, "decided_at"));
      return "was due at " + time + ", and ran late" +
             (decided ? ", at " + say_local(*decided) : "");
    }
    if (by_hand) return "did not run when it was fired by hand at " + time;
    if (is_event) return "did not run for the event of " + time;
    const auto count = number_in(entry, "count").value_or(1);
    const auto first = parse_rfc3339(text_in(entry, "first_slot"));
    if (count > 1 && first) {
      return "did not run at " + std::to_string(count) + " due times, from " + say_local(*first) +
             " to " + time;
    }
    return "did not run at " + time;
  }

  std::string cause() const {
    const std::string cause = text_in(why_, "cause");
    return cause.empty() ? cause : cause + say_value(object_in(why_, "entry"));
  }

  std::string neighbors() const {
    if (text_in(why_, "verdict") != "not_due") return {};
    const std::string before = when(why_, "due_before", now_);
    const std::string after = when(why_, "due_after", now_);
    const std::string things = has_schedule() ? "due times" : "events";
    if (before.empty() && after.empty()) return "it has no " + things + " near this time";
    if (before.empty()) {
      return "it has no earlier " + things + "; the next " +
             (is_past("due_after") ? "was " : "is ") + after;
    }
    if (after.empty()) return "it has no later " + things + "; the last is " + before;
    return "the nearest " + things + " are " + before + " and " + after;
  }

  std::string run() const {
    const std::string id = text_in(object_in(why_, "entry"), "run_id");
    if (id.empty()) return {};
    const object& run = object_in(why_, "run");
    if (run.empty()) return "its run, " + id + ", was removed";
    return "its run is " + id + ", " + text_in(run, "state") + "; `drover why " + id +
           "` says more about it";
  }

  std::string pause() const {
    const std::string since = when(why_, "paused_at", now_);
    if (since.empty()) return {};
    return "it has been paused since " + since + "; `drover trigger resume " +
           text_in(why_, "trigger") + "` resumes it";
  }

  std::string backoff() const {
    const std::string until = when(why_, "backoff_until", now_);
    if (until.empty()) return {};
    return say_count(number_in(why_, "errors").value_or(1), "run", "runs") +
           " failed in a row; it skips due times until " + until;
  }

  // A run that is not the one of the entry.
  std::string active(const object& run) const {
    const std::string id = text_in(run, "run_id");
    if (id == text_in(object_in(why_, "run"), "run_id")) return {};
    return "its run " + id + " is active: " + text_in(run, "state");
  }

  std::string next() const {
    const std::string state = text_in(why_, "state");
    if (state == "paused") return {};
    if (state == "done") return "it has no due time left";
    const std::string next = when(why_, "next_at", now_);
    if (!has_schedule()) {
      return "it waits for events: " + text_in(why_, "when") +
             (next.empty() ? "" : ", next poll " + next);
    }
    if (next.empty()) return "";
    return is_past("next_at") ? "due " + next + ", not decided yet" : "next due " + next;
  }

  bool is_past(std::string_view field) const {
    const auto time = parse_rfc3339(text_in(why_, field));
    return time && *time <= now_;
  }

  bool has_schedule() const { return is_timed(text_in(why_, "source")); }

  const object& why_;
  const Screen& screen_;
  const WallMs now_;
  std::string out_;
};

}  // namespace

std::string trigger_why_page(const object& why, const Screen& screen, WallMs now) {
  return Page(why, screen, now).draw();
}

}  // namespace drover::cli
