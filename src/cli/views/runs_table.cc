#include "cli/views/runs_table.h"

#include <algorithm>

#include "cli/fields.h"
#include "cli/plan.h"
#include "cli/views/progress_view.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kLaneColumns = 12;  // Of a lane's name, on a narrow screen.
constexpr size_t kScopeColumns = 16;
constexpr size_t kWaitColumns = 14;
constexpr size_t kProgressColumns = 8;

// Columns that only some tables have.
struct Extra {
  bool waits = false;
  bool lanes = false;
  bool scopes = false;
  bool progress = false;
};

// The last report of an active run.
std::string progress_of(const object& run) {
  return has_ended(run) ? "" : short_progress(object_in(run, "progress"));
}

// The scope of a run that something else than a command started: "trigger/nightly".
std::string scope_of(const object& run) {
  const std::string scope = text_in(run, "scope");
  return scope == "default" ? "" : clean(scope);
}

Extra extra_of(const boost::json::array& runs, WallMs now) {
  return {
      .waits = std::ranges::any_of(
          runs,
          [&](const boost::json::value& run) { return !say_wait(run.get_object(), now).empty(); }),
      .lanes = std::ranges::any_of(runs,
                                   [](const boost::json::value& run) {
                                     return text_in(run.get_object(), "lane") != "default";
                                   }),
      .scopes = std::ranges::any_of(
          runs, [](const boost::json::value& run) { return !scope_of(run.get_object()).empty(); }),
      .progress = std::ranges::any_of(runs, [](const boost::json::value& run) {
        return !progress_of(run.get_object()).empty();
      })};
}

Table empty_table(const Extra& extra) {
  std::vector<std::string> titles{"ID",   "COMMAND", "STATE", "PROGRESS", "WAITS",
                                  "LANE", "SCOPE",   "AGE",   "TIME",     "EXIT"};
  if (!extra.progress) std::erase(titles, "PROGRESS");
  if (!extra.waits) std::erase(titles, "WAITS");
  if (!extra.lanes) std::erase(titles, "LANE");
  if (!extra.scopes) std::erase(titles, "SCOPE");
  const auto place = [&](const char* title) {
    return static_cast<size_t>(std::ranges::find(titles, title) - titles.begin());
  };
  Table out(titles, 1);
  if (extra.lanes) out.may_cut(place("LANE"), kLaneColumns);
  if (extra.scopes) out.may_cut(place("SCOPE"), kScopeColumns);
  if (extra.waits) out.may_cut(place("WAITS"), kWaitColumns);
  if (extra.progress) out.may_cut(place("PROGRESS"), kProgressColumns);
  if (extra.scopes) out.may_leave_out(place("SCOPE"));
  if (extra.lanes) out.may_leave_out(place("LANE"));
  out.may_leave_out(place("AGE"));
  if (extra.waits) out.may_leave_out(place("WAITS"));
  out.may_leave_out(place("TIME"));
  if (extra.progress) out.may_leave_out(place("PROGRESS"));
  return out;
}

std::vector<Cell> row_of(const object& run, const Extra& extra, WallMs now) {
  const auto queued = parse_rfc3339(text_in(run, "queued_at"));
  const auto elapsed = elapsed_ms(run, now);
  const bool canceling = flag_in(run, "cancel_requested") && !has_ended(run);
  std::string state = canceling ? "canceling" : text_in(run, "state");
  if (const std::string attempt = say_attempt(run); !attempt.empty()) state += " " + attempt;
  std::vector<Cell> row;
  row.push_back({text_in(run, "run_id")});
  row.push_back({full_title_of(run), Color::bold});
  row.push_back({std::move(state), color_of(run)});
  if (extra.progress) row.push_back({progress_of(run)});
  if (extra.waits) row.push_back({say_wait(run, now), Color::yellow});
  if (extra.lanes) row.push_back({text_in(run, "lane")});
  if (extra.scopes) row.push_back({scope_of(run)});
  row.push_back({queued ? say_age(now - *queued) : "-"});
  row.push_back({elapsed ? say_duration(*elapsed) : "-"});
  row.push_back({ending_of(run)});
  return row;
}

}  // namespace

std::string runs_table(const boost::json::array& runs, const Screen& screen, WallMs now,
                       size_t width) {
  const Extra extra = extra_of(runs, now);
  Table out = empty_table(extra);
  std::vector<std::string> ids;
  for (const boost::json::value& run : runs) {
    ids.push_back(text_in(run.get_object(), "run_id"));
    out.add(row_of(run.get_object(), extra, now));
  }
  out.may_shorten(0, short_id_width(ids));
  return out.text(screen, width);
}

}  // namespace drover::cli
