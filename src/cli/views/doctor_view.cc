#include "cli/views/doctor_view.h"

#include <optional>

#include "cli/fields.h"
#include "cli/views/sheet.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

Finding check_daemon(const Result<object>& status) {
  if (status) {
    const std::string version = text_in(*status, "version");
    const auto pid = number_in(*status, "pid");
    const std::string text =
        "running, pid " + (pid ? std::to_string(*pid) : "unknown") + ", version " + version;
    if (version == DROVER_VERSION) return {"daemon", true, text};
    return {"daemon", false, text + ", but this is drover " DROVER_VERSION "; restart the daemon"};
  }
  if (status.error().reason == "no_daemon") return {"daemon", true, "not running"};
  if (status.error().reason == "forbidden") {
    return {"daemon", true, "running; the token in DROVER_TOKEN may not read its status"};
  }
  return {"daemon", false, status.error().message};
}

// A limit that cannot be enforced must be reported as such.
Finding check_limits(const object& status) {
  const object& limits = object_in(status, "limits");
  std::string enforced, unenforced;
  const auto add = [](std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
  };
  bool all = true;
  for (const char* name : {"memory", "cpus", "pids"}) {
    const std::string by = text_in(limits, name);
    if (by.empty()) return {"limits", true, "this daemon does not say which limits it enforces"};
    all = all && by == "cgroup";
    const std::string option = "--" + std::string(name);
    if (by == "none") {
      add(unenforced, option);
    } else {
      add(enforced, option + " by " + (by == "rlimit" ? "rlimit (for each process)" : by));
    }
  }
  std::string text = enforced.empty() ? "" : "enforced: " + enforced;
  if (!unenforced.empty()) text += (text.empty() ? "" : "; ") + ("not enforced: " + unenforced);
  if (all) return {"limits", true, text};
  const std::string why = text_in(limits, "no_cgroups");
  return {"limits", true,
          text + (why.empty() ? "" : "; no cgroups: " + why) + "; see `drover help limits`", true};
}

// The daemon runs without its TCP address if that cannot be opened.
std::optional<Finding> check_listening(const object& status) {
  const std::string trouble = text_in(status, "url_trouble");
  if (trouble.empty()) return std::nullopt;
  return Finding{"listen", false, trouble + "; change listen.address and restart the daemon"};
}

// A stopped follower needs a person to restart it.
Finding check_follower(const object& follower) {
  const std::string name = text_in(follower, "name");
  const std::string stopped_at = text_in(follower, "stopped_at");
  if (stopped_at.empty()) return {"follower", true, name};
  return {"follower", false,
          name + " stopped at event " + stopped_at + ": " + text_in(follower, "reason") +
              "; `drover follower resume " + name +
              "` tries the event again, `drover follower skip " + name + "` skips it"};
}

// Not a problem, but it explains missing events and runs.
std::optional<Finding> check_restore(const object& status) {
  const object& restored = object_in(status, "restored");
  const std::string at = text_in(restored, "at");
  if (at.empty()) return std::nullopt;
  return Finding{
      "restored", true,
      "an older database was restored on " + at + "; " +
          say_count(number_in(restored, "runs").value_or(0), "run was taken up from its file",
                    "runs were taken up from their files")};
}

// A busy machine can be the reason, so it is not a problem by itself.
std::optional<Finding> check_loop(const object& status) {
  const object& slow = object_in(status, "slow_loop");
  const auto times = number_in(slow, "times");
  if (!times) return std::nullopt;
  const auto ms = [&](const char* name) {
    return std::to_string(number_in(slow, name).value_or(0)) + " ms";
  };
  return Finding{"responses", true,
                 "the daemon kept clients waiting for more than " + ms("bound_ms") + " " +
                     (*times == 1 ? "once" : std::to_string(*times) + " times") + ", at most " +
                     ms("longest_ms") +
                     "; `drover_loop_delay_seconds` in /metrics has the details"};
}

// How much space each part takes, and which parts grow.
void add_sizes(std::vector<Finding>& out, const object& status) {
  const object& sizes = object_in(status, "sizes");
  const auto database = number_in(sizes, "database_bytes");
  if (!database) return;  // An older daemon.
  const auto count = [&](const char* name) {
    return say_number(static_cast<std::uint64_t>(number_in(sizes, name).value_or(0)));
  };
  const std::int64_t free = number_in(sizes, "free_bytes").value_or(0);
  out.push_back(
      {"size: database", true,
       say_bytes(*database) + (free > 0 ? ", of which " + say_bytes(free) + " is free" : "")});
  out.push_back(
      {"size: runs", true, count("runs") + "; bounded by retention.count and retention.age"});
  out.push_back({"size: events", true, count("events") + "; bounded with the runs"});
  out.push_back({"size: evidence", true,
                 count("evidence") +
                     " compacted runs; grows by one row for each removed run, unless "
                     "retention.evidence is set"});
  out.push_back({"size: keys", true, count("keys") + "; bounded by retention.keys"});
}

constexpr size_t kMark = 5;  // "ok   ".
constexpr size_t kIndent = 20;

}  // namespace

std::vector<Finding> findings_of(const Result<object>& status) {
  std::vector<Finding> out{check_daemon(status)};
  if (!status) return out;
  if (auto listening = check_listening(*status)) out.push_back(std::move(*listening));
  out.push_back(check_limits(*status));
  if (auto restored = check_restore(*status)) out.push_back(std::move(*restored));
  if (auto slow = check_loop(*status)) out.push_back(std::move(*slow));
  add_sizes(out, *status);
  for (const boost::json::value& follower : array_in(*status, "followers")) {
    if (follower.is_object()) out.push_back(check_follower(follower.get_object()));
  }
  return out;
}

std::string doctor_page(const std::vector<Finding>& findings, const Screen& screen) {
  std::string out;
  for (const Finding& finding : findings) {
    const std::string lines =
        indented(finding.detail, kIndent, screen.width(), Color::none, screen);
    std::string what = finding.what;
    what.resize(std::max(what.size(), kIndent - kMark), ' ');
    out += !finding.good        ? screen.paint(Color::red, "bad  ")
           : finding.noteworthy ? screen.paint(Color::yellow, "note ")
                                : screen.paint(Color::green, "ok   ");
    out += what + lines.substr(kIndent);
  }
  return out;
}

}  // namespace drover::cli
