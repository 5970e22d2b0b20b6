#include "doctor/world_checks.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include "base/clock.h"
#include "base/fd.h"
#include "base/journal.h"
#include "base/probe_note.h"
#include "doctor/known_runs.h"
#include "doctor/state_numbers.h"
#include "doctor/survivors.h"
#include "process/cgroup_place.h"
#include "process/cgroup_search.h"
#include "process/command.h"
#include "run/life.h"

namespace drover::doctor {
namespace {

// A running daemon beside us may be in the middle of an operation that takes up to this long.
constexpr WallMs kInTheMaking = 5'000;
constexpr int kLookAgainMs = 200;

class World {
 public:
  World(store::sqlite::Database& database, const Home& home) : database_(database), home_(home) {}

  Result<std::vector<Check>> look() {
    std::vector<Check> checks;
    for (const auto part : {&World::directories, &World::directories_of_active, &World::processes,
                            &World::environments, &World::cgroups}) {
      auto check = (this->*part)();
      if (!check) return std::unexpected(check.error());
      checks.push_back(std::move(*check));
    }
    return checks;
  }

 private:
  using State = std::optional<run::State>;

  Result<State> state_of(const RunId& id) { return doctor::state_of(database_, id); }

  static void complain(Check& check, const std::string& problem) {
    ++check.problem_count;
    if (check.problems.size() < kProblemsMax) check.problems.push_back(problem);
  }

  // Calls `each` with the path for every run's file and for every run's directory.
  Result<> for_every_entry(const std::function<Result<>(const RunId&, const std::string&)>& each) {
    std::error_code error;
    std::filesystem::directory_iterator at(home_.runs(), error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
      const auto id = RunId::parse(at->path().stem().string());
      if (auto ok = id ? each(*id, at->path().string()) : Result<>(); !ok) return ok;
    }
    // No run has been submitted yet, or its directory was removed: the records tell which.
    if (error == std::errc::no_such_file_or_directory) return {};
    if (error) return fail_errno("cannot read " + home_.runs(), error.value());
    return {};
  }

  // A probe run has no record. One that hangs, or that a dead daemon left, is removed by its daemon
  // or the next one.
  static bool is_probe(const std::string& path) {
    const auto command = process::read_command(path);
    return command && command->note == kProbeNote;
  }

  Result<Check> directories() {
    Check check{.promise = "every file and directory belongs to a run"};
    const WallMs now = SystemClock().wall_ms();
    auto read = for_every_entry([&](const RunId& id, const std::string& path) -> Result<> {
      ++check.looked_at;
      const auto state = state_of(id);
      if (!state) return std::unexpected(state.error());
      // A run that is being submitted gets its record in a moment. A deletion moves the directory
      // away before it removes the record. So only a directory that is still here is left over.
      struct stat st{};
      const bool there = ::lstat(path.c_str(), &st) == 0;
      if (!*state && now - id.time() > kInTheMaking && there && !is_probe(path)) {
        complain(check, path + " does not belong to a run");
      } else if (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        complain(check, path + " is neither a file nor a directory; Drover did not create it");
      }
      return {};
    });
    if (!read) return std::unexpected(read.error());
    return check;
  }

  Result<Check> directories_of_active() {
    Check check{.promise = "every active run has its file"};
    auto statement = database_.prepare("SELECT id FROM runs WHERE state < 3");
    if (!statement) return std::unexpected(statement.error());
    std::vector<RunId> missing;
    auto read = statement->each([&](const store::sqlite::Row& row) {
      ++check.looked_at;
      const auto id = RunId::parse(row.text(0));
      struct stat st{};
      if (id && ::stat(home_.run_file(*id).c_str(), &st) != 0) missing.push_back(*id);
    });
    if (!read) return std::unexpected(read.error());
    for (const RunId& id : missing) {
      const auto state = state_of(id);  // Again: it may have finished and been deleted.
      if (!state) return std::unexpected(state.error());
      if (*state && run::is_active(**state)) complain(check, id.str() + " has no file");
    }
    return check;
  }

  Result<Check> processes() {
    Check check{.promise = "no process of a finished run is alive"};
    const auto survivors = find_survivors(database_, home_);
    if (!survivors) return std::unexpected(survivors.error());
    check.looked_at = survivors->looked_at;
    for (const Survivor& survivor : survivors->found) complain(check, describe(survivor));
    return check;
  }

  Result<Check> environments() {
    Check check{.promise = "no environment outlives its run"};
    const WallMs now = SystemClock().wall_ms();
    auto read = for_every_entry([&](const RunId& id, const std::string& path) -> Result<> {
      if (!path.ends_with(".run")) return {};
      const auto state = state_of(id);
      if (!state) return std::unexpected(state.error());
      if (!*state || run::is_active(**state)) return {};
      ++check.looked_at;
      struct stat st{};
      const bool kept = ::lstat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) &&
                        st.st_size > environment_offset(path);
      // It is removed just after the end is recorded.
      const WallMs changed = static_cast<WallMs>(st.st_mtim.tv_sec) * 1000;
      if (kept && now - changed > kInTheMaking && now - id.time() > kInTheMaking &&
          !ended_lately(id, now)) {
        complain(check, path + " still contains an environment");
      }
      return {};
    });
    if (!read) return std::unexpected(read.error());
    return check;
  }

  // A process that has shed all other marks is still in the cgroup of its keeper.
  Result<Check> cgroups() {
    Check check{.promise = "no cgroup has processes without a run"};
    std::vector<std::string> suspects;
    for (const std::string& place :
         process::find_places(process::cgroup_root(), process::place_name(home_.state))) {
      for (const std::string& name : process::cgroups_in(place)) {
        if (process::keeper_of_cgroup(name) != 0) suspects.push_back(place + "/" + name);
      }
    }
    // Each run may have one.
    auto counted = for_every_entry([&](const RunId&, const std::string& path) -> Result<> {
      check.looked_at += path.ends_with(".run") ? 1 : 0;
      return {};
    });
    if (!counted) return std::unexpected(counted.error());
    // A run that starts now is in its cgroup before its journal says so: look twice.
    for (int look = 0; look < 2; ++look) {
      if (look > 0 && !suspects.empty()) ::poll(nullptr, 0, kLookAgainMs);
      std::erase_if(suspects, [](const std::string& path) { return !process::is_populated(path); });
      if (suspects.empty()) return check;
      const std::set<std::uint64_t> named = cgroups_of_runs();
      std::erase_if(suspects, [&](const std::string& path) {
        struct stat st{};
        return ::stat(path.c_str(), &st) != 0 || named.contains(st.st_ino);
      });
    }
    for (const std::string& path : suspects) {
      complain(check, path + " has processes, but no run is in it; end them with `echo 1 > " +
                          path + "/cgroup.kill`");
    }
    return check;
  }

  // The cgroups of runs that have a keeper, or whose keeper died before it saw them empty: what is
  // left of those is found by their marks.
  std::set<std::uint64_t> cgroups_of_runs() {
    std::set<std::uint64_t> named;
    (void)for_every_entry([&](const RunId&, const std::string& path) -> Result<> {
      if (!path.ends_with(".run")) return {};
      const auto journal = read_journal_state(path);
      if (!journal || !journal->text.marks) return {};
      const auto& ending = journal->text.ending;
      if (journal->liveness == Liveness::alive || !ending || ending->survivors != 0) {
        named.insert(journal->text.marks->cgroup);
      }
      return {};
    });
    return named;
  }

  bool ended_lately(const RunId& id, WallMs now) {
    auto statement = database_.prepare("SELECT finished_at FROM runs WHERE id = ?1");
    bool lately = false;
    if (statement) {
      (void)statement->each(
          [&](const store::sqlite::Row& row) { lately = now - row.integer(0) < kInTheMaking; },
          id.view());
    }
    return lately;
  }

  // The offset of the environment in the run's file. An incomplete file has none.
  static off_t environment_offset(const std::string& path) {
    const Fd fd = open_file(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    process::CommandHeader header;
    if (!fd || ::pread(fd.get(), &header, sizeof header, kJournalBytes) !=
                   static_cast<ssize_t>(sizeof header)) {
      return kJournalBytes;
    }
    return static_cast<off_t>(kJournalBytes) + header.environment_offset;
  }

  store::sqlite::Database& database_;
  const Home& home_;
};

}  // namespace

Result<std::vector<Check>> check_world(store::sqlite::Database& database, const Home& home) {
  return World(database, home).look();
}

}  // namespace drover::doctor
