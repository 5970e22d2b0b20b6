#include "cli/views/doctor_view.h"

#include "cli/fields.h"
#include "cli/views/sheet.h"

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
  std::string held, loose;
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
      add(loose, option);
    } else {
      add(held, option + " by " + (by == "rlimit" ? "rlimit (for each process)" : by));
    }
  }
  std::string text = held.empty() ? "" : "enforced: " + held;
  if (!loose.empty()) text += (text.empty() ? "" : "; ") + ("not enforced: " + loose);
  if (all) return {"limits", true, text};
  const std::string why = text_in(limits, "no_cgroups");
  return {"limits", true, text + (why.empty() ? "" : "; no cgroups: " + why) + " (see docs/run.md)",
          true};
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

constexpr size_t kMark = 5;  // "ok   ".
constexpr size_t kIndent = 20;

}  // namespace

std::vector<Finding> findings_of(const Result<object>& status) {
  std::vector<Finding> out{check_daemon(status)};
  if (!status) return out;
  out.push_back(check_limits(*status));
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
