#include "stage/director.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/background.h"
#include "base/crash_point.h"
#include "log/log.h"
#include "process/command.h"
#include "run/kind.h"
#include "run/redact.h"

namespace drover::stage {
namespace {

Pressed not_played(std::optional<run::Record> latest) {
  return {.ignored = true, .why = "it is not being played", .play = std::move(latest)};
}

}  // namespace

Director::Director(asio::any_io_executor loop, Home home, std::string programs, store::Store& store,
                   bus::Bell& bell, dispatch::Dispatcher& dispatcher, const Clock& clock)
    : loop_(std::move(loop)),
      home_(std::move(home)),
      programs_(std::move(programs)),
      store_(store),
      bell_(bell),
      dispatcher_(dispatcher),
      clock_(clock) {}

Result<> Director::resume() {
  auto active = store_.list({.active_only = true,
                             .kind = std::string(run::kPlay),
                             .oldest_first = true,
                             .limit = limits::kQueuedMax});
  if (!active) return std::unexpected(active.error());
  for (const run::Record& record : *active) direct(record.id);
  return {};
}

void Director::direct(const RunId& id) {
  if (directed_.insert(id).second) asio::co_spawn(loop_, see_through(id), in_background);
}

// Of a play whose record may have landed, though nobody could tell.
asio::awaitable<void> Director::direct_later() {
  do {
    co_await pause();
  } while (!resume());
}

Result<std::vector<run::Record>> Director::plays_of(const store::Project& project, size_t limit) {
  auto found = store_.list({.scope = session::scope_of(project.id),
                            .scope_alone = true,
                            .kind = std::string(run::kPlay),
                            .limit = limit});
  // A clock that was set back since tells nothing; and what goes on is of nobody else.
  if (!found || project.added_at > clock_.wall_ms()) return found;
  std::erase_if(*found, [&](const run::Record& play) {
    return run::is_terminal(play.state) && play.queued_at < project.added_at;
  });
  return found;
}

Result<std::optional<run::Record>> Director::latest(const store::Project& project) {
  auto found = plays_of(project, 1);
  if (!found) return std::unexpected(found.error());
  if (found->empty()) return std::nullopt;
  return std::move(found->front());
}

asio::awaitable<Result<Pressed>> Director::play(store::Project project,
                                                std::vector<std::string> environment, Once once) {
  dispatch::Submission wish;
  wish.environment = std::move(environment);
  wish.digest = std::move(once.digest);
  wish.spec.key = std::move(once.key);
  wish.spec.kind = run::kPlay;
  wish.spec.argv = {"drover", "play", project.id};
  wish.spec.cwd = project.root;
  wish.spec.scope = session::scope_of(project.id);
  wish.spec.name = project.id;
  wish.spec.lane.clear();
  wish.spec.session = session::text_of({.project = project.id});
  for (bool again = false;; again = true) {
    auto written = co_await dispatcher_.submit(wish);
    crash_point("play.recorded");
    if (!written && written.error().reason != "already_playing") {
      if (written.error().code == ErrorCode::unavailable) {
        asio::co_spawn(loop_, direct_later(), in_background);
      }
      co_return std::unexpected(written.error());
    }
    if (written) {
      direct(written->record.id);
      co_return Pressed{.ignored = false,
                        .why = {},
                        .play = std::move(written->record),
                        .replayed = written->replayed};
    }
    auto current = latest(project);
    if (!current) co_return std::unexpected(current.error());
    // What it was refused for may have ended meanwhile: then there is nothing to be ignored for.
    if (!again && *current && run::is_terminal((*current)->state)) continue;
    co_return Pressed{.ignored = true, .why = written.error().message, .play = std::move(*current)};
  }
}

asio::awaitable<Result<Pressed>> Director::stop(store::Project project, std::optional<RunId> only) {
  auto current = latest(project);
  if (!current) co_return std::unexpected(current.error());
  if (!*current || run::is_terminal((*current)->state)) {
    co_return not_played(std::move(*current));
  }
  if (only && *only != (*current)->id) {
    co_return Pressed{
        .ignored = true,
        .why = only->str() + " is over; it is being played as " + (*current)->id.str() + " now",
        .play = std::move(*current)};
  }
  const auto session = session::parse_session((*current)->session);
  if (!session) co_return std::unexpected(session.error());
  if (!session::can_stop(session->state)) {
    co_return co_await stop_waiting(std::move(**current), *session);
  }
  // The intent first: whoever directs the play carries it out, and so does the next daemon.
  auto written =
      co_await dispatcher_.note(run::CancelRequested{.id = (*current)->id, .of_any_kind = true});
  if (!written) co_return std::unexpected(written.error());
  if (run::is_terminal(written->record.state)) co_return not_played(std::move(written->record));
  crash_point("play.stop_recorded");
  const auto now = session::parse_session(written->record.session);
  const auto runtime = now ? now->runs.find(session::Stage::runtime) : session->runs.end();
  if (now && runtime != now->runs.end()) {
    // Should this fail, whoever directs it does it: the intent is what counts.
    if (const auto id = RunId::parse(runtime->second)) (void)co_await dispatcher_.cancel(*id, 0);
  }
  co_return Pressed{.ignored = false, .why = {}, .play = std::move(written->record)};
}

// P7: preparation is not stopped. But what has not begun need not begin: a play that waits for a
// slot is never stuck there.
asio::awaitable<Result<Pressed>> Director::stop_waiting(run::Record play,
                                                        session::Session session) {
  const auto id = RunId::parse(session::current_run(session));
  const auto canceled = id ? co_await cancel_queued(*id) : Result<>{};
  if (id && canceled) co_return Pressed{.ignored = false, .why = {}, .play = std::move(play)};
  if (!canceled && canceled.error().reason != "not_cancellable") {
    co_return std::unexpected(canceled.error());
  }
  co_return Pressed{.ignored = true,
                    .why = "it is being prepared, and preparation is not stopped",
                    .play = std::move(play)};
}

// The true root and the environment are in the play's file and nowhere else (R15).
Result<Director::Surroundings> Director::look_around(Play& play) {
  auto command = process::read_command(home_.run_file(play.id));
  if (!command) return std::unexpected(command.error());
  play.secrets = run::secret_values(command->environment);
  return Surroundings{.root = std::move(command->cwd),
                      .environment = std::move(command->environment)};
}

asio::awaitable<void> Director::see_through(RunId id) {
  const run::Record record = co_await find(id);
  const auto session = session::parse_session(record.session);
  if (run::is_terminal(record.state)) co_return;
  Play play{.id = id, .project = session::project_of(record.scope), .trace_id = record.trace_id};
  if (!session) {
    log::error(id, "{}", session.error().message);
    co_return co_await give_up(play);
  }
  (void)look_around(play);  // For what must not be told.
  if (session->state == session::State::preparing) {
    if (auto failure = co_await prepare(play)) {
      co_await tell(play, std::move(*failure));
      co_return;
    }
    co_await tell(play, {.happening = session::Happening::prepared});
    crash_point("play.prepared");
  }
  co_await perform(play);
}

asio::awaitable<void> Director::tell(const Play& play, run::SessionChanged change) {
  change.id = play.id;
  change.message = run::redact(change.message, play.secrets);
  co_await put_on_record(play, std::move(change));
}

// An end must never be lost: a store that cannot write now is asked again.
asio::awaitable<void> Director::put_on_record(const Play& play, run::Fact fact) {
  for (;;) {
    const auto written = co_await dispatcher_.note(fact);
    if (written) co_return;
    if (written.error().code != ErrorCode::unavailable) {
      log::warn(play.id, "{}", written.error().message);
      co_return;
    }
    log::error(play.id, "how far it has come cannot be recorded yet: {}", written.error().message);
    co_await pause();
  }
}

asio::awaitable<void> Director::pause() {
  constexpr std::chrono::milliseconds kAgain{500};  // A full disk may have room soon.
  asio::steady_timer timer(loop_, kAgain);
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace drover::stage
