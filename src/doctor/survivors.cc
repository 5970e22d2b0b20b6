#include "doctor/survivors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <string_view>

#include "base/run_mark.h"
#include "base/text.h"
#include "doctor/known_runs.h"
#include "process/pid_ref.h"

namespace drover::doctor {
namespace {

// The marks of all runs that may have left processes: of this boot, without a keeper, and without a
// receipt that says that nobody was left.
std::vector<process::Marks> marks_in(const Home& home) {
  std::vector<process::Marks> marks;
  const process::BootId boot = process::boot_id();
  std::error_code error;
  std::filesystem::directory_iterator at(home.runs(), error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const auto id = RunId::parse(at->path().stem().string());
    if (!id || at->path().extension() != ".run") continue;
    const auto journal = read_journal_state(at->path().string());
    if (!journal || journal->liveness != Liveness::dead) continue;
    const JournalText& text = journal->text;
    if (!text.marks || (text.ending && text.ending->survivors == 0)) continue;
    if (std::string_view(text.identity->boot_id) != std::string_view(boot.text)) continue;
    marks.push_back(process::marks_of(id->str(), text));
  }
  return marks;
}

// Checks this process, not a later one with the same pid.
bool is_alive(const ProcessRef& ref) {
  const auto stat = process::look_at(ref.pid);
  return stat && stat->start_ticks == ref.start_ticks && !process::is_zombie(*stat);
}

Survivor survivor_of(const process::MarkedProcess& found, const RunId& id) {
  const process::Member& member = found.member;
  return {member.ref, bounded(member.stat.name, 3 * sizeof member.stat.name), id, found.sign};
}

boost::json::object as_json(const Survivor& survivor, std::string problem) {
  return {{"pid", survivor.process.pid},
          {"name", survivor.name},
          {"run_id", survivor.run.view()},
          {"problem", std::move(problem)}};
}

}  // namespace

Result<Survivors> find_survivors(store::sqlite::Database& database, const Home& home) {
  Survivors survivors;
  const std::vector<process::Marks> marks = marks_in(home);
  for (const process::MarkedProcess& found : process::find_marked(
           {.variable = kRunVariable, .marks = marks, .any_value = true, .any_parent = true})) {
    const auto id = RunId::parse(found.value);
    if (!id) continue;
    ++survivors.looked_at;
    const auto state = state_of(database, *id);
    if (!state) return std::unexpected(state.error());
    if (*state && run::is_active(**state)) {
      if (is_alive(found.member.ref)) survivors.of_active.push_back(survivor_of(found, *id));
      continue;
    }
    const auto ours = *state ? Result<bool>(true) : is_known(database, home, *id);
    if (!ours) return std::unexpected(ours.error());
    if (!*ours) continue;  // A process of another home.
    // A run's end is recorded after all of its processes are gone. The process may have exited, and
    // the end been recorded, after we listed processes. Only a process that is alive now has
    // outlived its run.
    if (is_alive(found.member.ref)) survivors.found.push_back(survivor_of(found, *id));
  }
  return survivors;
}

std::string describe(const Survivor& survivor) {
  return fmt::format("process {} ({}) is still alive after {}: it {}; end it with `kill -9 {}`",
                     survivor.process.pid, survivor.name, survivor.run.view(),
                     process::name(survivor.sign), survivor.process.pid);
}

std::string describe_active(const Survivor& process) {
  return fmt::format("process {} ({}) is alive: {} has not finished", process.process.pid,
                     process.name, process.run.view());
}

Result<std::string> survivors_as_json(const Home& home) {
  boost::json::array found, active;
  if (::access(home.database().c_str(), F_OK) == 0) {
    auto database = store::sqlite::Database::open(home.database(),
                                                  {.read_only = true, .keep_wal = true, .vfs = {}});
    if (!database) return std::unexpected(database.error());
    const auto survivors = find_survivors(*database, home);
    if (!survivors) return std::unexpected(survivors.error());
    for (const Survivor& survivor : survivors->found) {
      found.push_back(as_json(survivor, describe(survivor)));
    }
    for (const Survivor& process : survivors->of_active) {
      active.push_back(as_json(process, describe_active(process)));
    }
  }
  return boost::json::serialize(
      boost::json::object{{"survivors", std::move(found)}, {"active", std::move(active)}});
}

}  // namespace drover::doctor
