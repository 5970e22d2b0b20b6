// How the Director sees one play through: preparation, preflight, runtime.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/crash_point.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/output_file.h"
#include "log/log.h"
#include "play/diagnostics.h"
#include "play/setup.h"
#include "run/kind.h"
#include "stage/director.h"
#include "stage/verdict.h"

namespace drover::stage {
namespace {

constexpr std::chrono::milliseconds kAgain{500};  // A full disk may have room soon.
constexpr int kAskTries = 40;                     // Twenty seconds of it.

}  // namespace

asio::awaitable<void> Director::pause() {
  asio::steady_timer timer(loop_, kAgain);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> Director::see_through(RunId id) {
  for (;;) {
    const auto record = store_.find(id);
    if (!record) {
      co_await pause();
      continue;
    }
    if (!*record || run::is_terminal((*record)->state)) co_return;
    const auto session = session::parse_session((*record)->session);
    auto play = read(**record);
    if (!session || !play) {
      const Error& error = session ? play.error() : session.error();
      log::error(id, "its play cannot go on: {}", error.message);
      const bool prepares = !session || session->state == session::State::preparing;
      const auto happening =
          prepares ? session::Happening::preparation_failed : session::Happening::failed;
      co_await tell({.id = id}, kept_from(happening, session::Stage::build, error));
      co_return;
    }
    if (session->state == session::State::preparing) {
      if (auto failure = co_await prepare(*play)) {
        co_await tell(*play, std::move(*failure));
        co_return;
      }
      co_await tell(*play, {.happening = session::Happening::prepared});
      crash_point("play.prepared");
    }
    co_await perform(*play);
    co_return;
  }
}

// P1: in order, and no further than the first failure.
asio::awaitable<Director::Failure> Director::prepare(const Play& play) {
  constexpr auto kFailed = session::Happening::preparation_failed;
  const std::string path = play.root + "/" + std::string(play::kProjectFile);
  auto text = read_file(path, limits::kProjectBytesMax);
  if (!text) co_return kept_from(kFailed, session::Stage::build, text.error());
  const auto project = play::parse_project(path, *text);
  if (!project) co_return kept_from(kFailed, session::Stage::build, project.error());
  const std::pair<session::Stage, const std::optional<play::Preparation>&> steps[] = {
      {session::Stage::build, project->build},
      {session::Stage::validation, project->validate},
      {session::Stage::pack, project->pack}};
  for (const auto& [stage, preparation] : steps) {
    if (!preparation) continue;
    if (auto failure = co_await take_step(play, stage, spec_for(play, *preparation))) {
      co_return failure;
    }
  }
  run::Spec manifest;
  manifest.argv = {programs_ + "/droverd", "--manifest", play.root};
  manifest.cwd = play.root;
  co_return co_await take_step(play, session::Stage::manifest, std::move(manifest));
}

run::Spec Director::spec_for(const Play& play, const play::Preparation& preparation) const {
  run::Spec spec;
  spec.argv = preparation.argv;
  spec.shell = preparation.shell;
  spec.env = preparation.env;
  spec.timeout_ms = preparation.timeout_ms;
  spec.cwd = preparation.cwd.empty() ? play.root : play.root + "/" + preparation.cwd;
  return spec;
}

asio::awaitable<Director::Failure> Director::take_step(const Play& play, session::Stage stage,
                                                       run::Spec spec) {
  spec.kind = run::kStep;
  auto child = co_await ask_for(play, stage, std::move(spec));
  if (child) child = co_await watch(play, child->id, run::State::completed);
  if (!child) co_return kept_from(session::Happening::preparation_failed, stage, child.error());
  crash_point("play.step_ended");
  if (auto failure = failure_of(stage, *child)) co_return failure;
  if (stage == session::Stage::validation) co_return blocking_line(child->id);
  co_return std::nullopt;
}

// The run of a stage: asked for, or asked for before. What it is goes on the play's record.
asio::awaitable<Result<run::Record>> Director::ask_for(const Play& play, session::Stage stage,
                                                       run::Spec spec) {
  spec.scope = session::scope_of(play.project);
  spec.name = std::string(session::name(stage));
  spec.lane = run::kPlayLane;
  spec.parent_run_id = play.id.str();
  spec.trace_id = play.trace_id;
  spec.key = "play:" + play.id.str() + ":" + std::string(session::name(stage));
  std::vector<std::string> environment = play.environment;
  for (const auto& [name, value] : spec.env) {
    std::erase_if(environment, [&](const std::string& v) { return v.starts_with(name + "="); });
    environment.push_back(name + "=" + value);
  }
  for (int tries = 1;; ++tries) {
    auto written =
        co_await dispatcher_.submit({.spec = spec, .environment = environment, .digest = spec.key});
    crash_point("play.child_asked_for");
    if (written) {
      auto noted = co_await dispatcher_.note(
          run::Advanced{.id = play.id, .stage = stage, .child = written->record.id});
      if (noted) co_return written->record;
      written = std::unexpected(noted.error());
    }
    const bool may_pass =
        written.error().code == ErrorCode::unavailable && written.error().reason != "stopping";
    if (!may_pass || tries == kAskTries) co_return std::unexpected(written.error());
    co_await pause();
  }
}

// The record of a child as soon as it has come that far, or has ended.
asio::awaitable<Result<run::Record>> Director::watch(const Play& play, RunId child,
                                                     run::State until) {
  const auto [news, added] = news_.try_emplace(
      play.id, bell_, loop_, bus::Filter{.run = child, .scope = {}}, bell_.last_seq());
  auto record = co_await watch(news->second, child, until);
  news_.erase(play.id);
  co_return record;
}

asio::awaitable<Result<run::Record>> Director::watch(bus::Subscription& news, RunId child,
                                                     run::State until) {
  for (;;) {
    auto record = store_.find(child);
    if (record && !*record) {
      co_return fail(ErrorCode::not_found, "step_removed",
                     child.str() + " was removed before it was looked at; play again");
    }
    if (record && (run::is_terminal((*record)->state) || (*record)->state == until)) {
      co_return **record;
    }
    if (!record) co_await pause();
    (void)co_await news.next(std::chrono::steady_clock::time_point::max());
  }
}

// A validation may let the pack pass by its exit code, and yet block it by what it says.
Director::Failure Director::blocking_line(const RunId& validation) {
  OutputReader output(home_.run_folder(validation));
  std::string line;
  std::uint64_t at = 0;
  for (;;) {
    std::uint64_t next = at;
    const auto pieces = output.read(at, limits::kLogChunkBytes, Stream::out, &next);
    if (!pieces || pieces->empty()) break;
    for (const OutputPiece& piece : *pieces) {
      for (const char c : piece.bytes) {
        if (c != '\n') {
          if (line.size() < limits::kDiagnosticLineBytesMax) line += c;
          continue;
        }
        const auto found = play::read_diagnostic(line);
        if (found && found->blocking) return blocked(found->message);
        line.clear();
      }
    }
    at = next;
  }
  const auto found = play::read_diagnostic(line);
  if (found && found->blocking) return blocked(found->message);
  return std::nullopt;
}

asio::awaitable<void> Director::perform(const Play& play) {
  auto runtime = co_await spawn_runtime(play);
  if (!runtime) {
    if (runtime.error().reason == "stopped") {
      co_await tell(play, {.happening = session::Happening::ended,
                           .message = "stopped",
                           .rest = {.happening = run::Happening::canceled,
                                    .reason = run::Reason::canceled_by_owner,
                                    .origin = run::Origin::owner}});
    } else {
      co_await tell(
          play, kept_from(session::Happening::failed, session::Stage::runtime, runtime.error()));
    }
    co_return;
  }
  // Stop may have come while it was asked for.
  const auto record = store_.find(play.id);
  if (record && *record && (*record)->cancel_requested) {
    (void)co_await dispatcher_.cancel(*runtime, 0);
  }
  auto child = co_await watch(play, *runtime, run::State::running);
  if (child && child->started_at != 0) {
    co_await tell(play, {.happening = session::Happening::confirmed});
    crash_point("play.confirmed");
  }
  if (child) child = co_await watch(play, *runtime, run::State::completed);
  co_await tell(
      play, child ? end_of_runtime(*child)
                  : kept_from(session::Happening::failed, session::Stage::runtime, child.error()));
}

// P3, P5: preflight right before the spawn, and exactly this command. P4: no look at the manifest.
asio::awaitable<Result<RunId>> Director::spawn_runtime(const Play& play) {
  const auto known = runtime_of(play);
  if (!known) co_return std::unexpected(known.error());
  run::Spec spec;
  if (!*known) {
    const auto record = store_.find(play.id);
    if (record && *record && (*record)->cancel_requested) {
      co_return fail(ErrorCode::conflict, "stopped", "stopped before it was begun");
    }
    auto path = play::find_runtime(play.root);
    if (!path) co_return std::unexpected(path.error());
    spec.argv = {std::move(*path), "run", "build"};
  } else {
    spec.argv = {"known"};  // Its key brings it back.
  }
  spec.cwd = play.root;
  spec.kind = run::kRuntime;
  spec.grace_ms = 0;
  auto asked = co_await ask_for(play, session::Stage::runtime, std::move(spec));
  if (!asked) co_return std::unexpected(asked.error());
  co_return asked->id;
}

// The runtime that an earlier daemon asked for, perhaps without living to note it.
Result<std::optional<RunId>> Director::runtime_of(const Play& play) {
  auto latest = store_.list({.scope = session::scope_of(play.project),
                             .scope_alone = true,
                             .kind = std::string(run::kRuntime),
                             .limit = 1});
  if (!latest) return std::unexpected(latest.error());
  if (latest->empty() || latest->front().parent_run_id != play.id.view()) return std::nullopt;
  return latest->front().id;
}

// An end must never be lost: a store that cannot write now is asked again.
asio::awaitable<void> Director::tell(const Play& play, run::SessionChanged change) {
  change.id = play.id;
  for (;;) {
    const auto written = co_await dispatcher_.note(change);
    if (written) co_return;
    if (written.error().code != ErrorCode::unavailable) {
      log::warn(play.id, "{}", written.error().message);
      co_return;
    }
    log::error(play.id, "its session cannot be recorded yet: {}", written.error().message);
    co_await pause();
  }
}

}  // namespace drover::stage
