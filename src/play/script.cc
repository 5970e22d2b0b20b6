#include "play/script.h"

#include <map>

#include "base/crash_point.h"
#include "conduct/composite.h"
#include "log/log.h"
#include "play/blocking_line.h"
#include "play/kinds.h"
#include "play/project_lock.h"
#include "play/stages.h"
#include "play/verdict.h"

namespace drover::play {
namespace {

namespace asio = boost::asio;
using conduct::Composite;
using Failure = std::optional<PlayChange>;

// One play in progress.
struct Play {
  Composite& run;
  const std::string project;
  const Home& home;
  const std::string& programs;
  std::optional<ProjectLock> lock = {};
};

// Locks the project, unless the play has locked it already. A step may have deleted the file.
Result<> lock_project(Play& play, const std::string& root) {
  if (play.lock) return play.lock->renew();
  auto taken = ProjectLock::take(root, play.home.state);
  if (!taken) return std::unexpected(taken.error());
  play.lock = std::move(*taken);
  return {};
}

asio::awaitable<void> record_change(Play& play, PlayChange change) {
  // Unlock the project before its next play can be recorded.
  const bool continues =
      change.happening == Happening::prepared || change.happening == Happening::confirmed;
  if (!continues) play.lock.reset();
  change.message = play.run.redacted(change.message);
  co_await play.run.phase(changed(play.run.id(), change));
}

// The runs submitted so far, including one that an earlier daemon submitted but did not record in
// the session.
asio::awaitable<std::map<Stage, RunId>> runs_of(Play& play) {
  std::map<Stage, RunId> out;
  const run::Record record = co_await play.run.record();
  if (const auto session = parse_session(record.phase)) {
    for (const auto& [stage, text] : session->runs) {
      if (const auto id = RunId::parse(text)) out[stage] = *id;
    }
  }
  for (const run::Record& child : co_await play.run.children()) {
    const auto stage = stage_named(child.name);
    if (!stage || out.contains(*stage)) continue;
    co_await play.run.phase(advanced(play.run.id(), *stage, child.id));
    out[*stage] = child.id;
  }
  co_return out;
}

// A run that an earlier daemon submitted may have finished, and its file has lost its environment.
// The variables that drover.toml adds are the ones that the play itself does not have.
void hide_environment(Play& play, Stage stage) {
  const auto own = play.run.own_command();
  if (!own) return;
  const auto spec =
      spec_of(stage, {.id = play.project, .root = own->cwd, .programs = play.programs});
  if (spec && *spec) play.run.hide((*spec)->env);
}

// The run of a stage, submitted now or earlier. Empty: the project has no such step. `stopped`:
// Stop came before the runtime was submitted.
asio::awaitable<Result<std::optional<RunId>>> run_of(Play& play, Stage stage) {
  // A stage that was submitted runs as it was submitted, even if drover.toml has changed since.
  const auto runs = co_await runs_of(play);
  if (const auto known = runs.find(stage); known != runs.end()) {
    hide_environment(play, stage);
    co_return known->second;
  }
  if (!runs.empty() && runs.rbegin()->first > stage) co_return std::nullopt;
  const Composite::MakeSpec make =
      [&play, stage](const process::Command& own) -> Result<std::optional<run::Spec>> {
    auto spec = spec_of(stage, {.id = play.project, .root = own.cwd, .programs = play.programs});
    if (!spec || !*spec) return spec;
    if (auto locked = lock_project(play, own.cwd); !locked) return std::unexpected(locked.error());
    (*spec)->lock_file = project_lock_file(own.cwd);  // P6: its keeper may outlive this daemon.
    (*spec)->lock_directory = own.cwd;
    return spec;
  };
  const auto child = co_await play.run.ask(std::string(name(stage)), make);
  crash_point("play.child_asked_for");
  if (child && *child) co_await play.run.phase(advanced(play.run.id(), stage, **child));
  co_return child;
}

asio::awaitable<Failure> take_step(Play& play, Stage stage) {
  const auto child = co_await run_of(play, stage);
  if (!child) co_return failed_by(Happening::preparation_failed, stage, child.error());
  if (!*child) co_return std::nullopt;
  const run::Record ended = co_await play.run.until(**child, run::State::completed);
  crash_point("play.step_ended");
  if (auto failure = failure_of(stage, ended)) co_return failure;
  if (stage == Stage::validation) co_return co_await find_blocking_line(play.home, ended);
  co_return std::nullopt;
}

// P1, P2: runs the steps in order, and stops at the first failure.
asio::awaitable<Failure> prepare(Play& play) {
  for (const Stage stage : {Stage::build, Stage::validation, Stage::pack, Stage::manifest}) {
    if (auto failure = co_await take_step(play, stage)) co_return failure;
  }
  co_return std::nullopt;
}

asio::awaitable<void> perform(Play& play) {
  const auto runtime = co_await run_of(play, Stage::runtime);
  if (!runtime) {
    const Error& error = runtime.error();
    co_return co_await record_change(
        play, error.reason == "stopped" ? stopped_before_runtime()
                                        : failed_by(Happening::failed, Stage::runtime, error));
  }
  const run::Record begun = co_await play.run.until(**runtime, run::State::running);
  if (begun.started_at != 0) {
    co_await record_change(play, {.happening = Happening::confirmed});
    crash_point("play.confirmed");
  }
  const run::Record ended = co_await play.run.until(**runtime, run::State::completed);
  co_await record_change(play, end_of_runtime(ended));
}

asio::awaitable<void> see_through(Play play, run::Record record) {
  const auto session = parse_session(record.phase);
  if (!session) {
    log::error(record.id, "{}", session.error().message);
    co_return co_await play.run.give_up(lost(record.id));
  }
  // A play of an earlier daemon. If this fails, the next stage fails; a runtime has its own lock.
  if (!session->runs.empty()) {
    const auto own = play.run.own_command();
    auto taken = own ? ProjectLock::take_again(own->cwd, play.home.state)
                     : Result<ProjectLock>(std::unexpected(own.error()));
    if (taken) play.lock = std::move(*taken);
  }
  if (session->state == State::preparing) {
    if (auto failure = co_await prepare(play))
      co_return co_await record_change(play, std::move(*failure));
    const auto runs = co_await runs_of(play);
    co_await record_change(play, prepared(runs.contains(Stage::validation)));
    crash_point("play.prepared");
  }
  co_await perform(play);
}

}  // namespace

conduct::Script script(Home home, std::string programs) {
  return {
      .kind = std::string(kPlay),
      .children = {std::string(kStep), std::string(kRuntime)},
      .see_through = [home = std::move(home), programs = std::move(programs)](Composite& play,
                                                                              run::Record record) {
        return see_through(
            {.run = play, .project = project_of(play.scope()), .home = home, .programs = programs},
            std::move(record));
      }};
}

}  // namespace drover::play
