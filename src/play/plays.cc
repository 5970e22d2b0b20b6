#include "play/plays.h"

#include <boost/asio/use_awaitable.hpp>

#include "base/crash_point.h"
#include "play/kinds.h"
#include "play/project_lock.h"

namespace drover::play {
namespace {

PlayAnswer not_played(std::optional<run::Record> latest) {
  return {.ignored = true, .why = "the project is not being played", .play = std::move(latest)};
}

// P7: names the step if it still runs, and the commands that the caller may use.
std::string why_not_stopped(const PlaySession& session, bool step_runs) {
  const std::string why = "the project is being prepared, and preparation cannot be stopped; ";
  const std::string later =
      "stop the runtime once it is running: `drover play stop " + session.project + "`";
  const std::string step = current_run(session);
  if (step.empty() || !step_runs) return why + later;
  return why + std::string(name(*session.stage)) + " continues as " + step + "; " + later +
         ", or kill the step: `drover signal " + step + " KILL`";
}

}  // namespace

Plays::Plays(store::ReadPool& reads, dispatch::Dispatcher& dispatcher, spine::Recorder record,
             const Clock& clock)
    : reads_(reads), dispatcher_(dispatcher), record_(std::move(record)), clock_(clock) {}

Result<std::vector<run::Record>> plays_of(store::Reads& store, const KnownProject& project,
                                          WallMs now, size_t limit) {
  auto found = store.list({.scope = scope_of(project.id),
                           .scope_alone = true,
                           .kind = std::string(kPlay),
                           .limit = limit});
  // If the clock was set back, `added_at` proves nothing. An active play is always of this
  // directory: a project cannot be removed while it is being played.
  if (!found || project.added_at > now) return found;
  std::erase_if(*found, [&](const run::Record& play) {
    return run::is_finished(play.state) && play.queued_at < project.added_at;
  });
  return found;
}

Result<std::optional<run::Record>> latest_play(store::Reads& store, const KnownProject& project,
                                               WallMs now) {
  auto found = plays_of(store, project, now, 1);
  if (!found) return std::unexpected(found.error());
  if (found->empty()) return std::nullopt;
  return std::move(found->front());
}

asio::awaitable<Result<std::optional<run::Record>>> Plays::latest(KnownProject project) {
  auto found = co_await reads_.ask(
      {}, [project = std::move(project), now = clock_.wall_ms()](store::Reads& store) {
        return latest_play(store, project, now);
      });
  if (!found || !*found) co_return found;
  co_return reads_.newest(std::move(**found));
}

asio::awaitable<Result<PlayAnswer>> Plays::play(KnownProject project,
                                                std::vector<std::string> environment,
                                                dispatch::IdempotencyKey key, store::Work first) {
  dispatch::Submission wish;
  wish.environment = std::move(environment);
  wish.digest = std::move(key.digest);
  wish.spec.key = std::move(key.key);
  wish.spec.kind = kPlay;
  wish.spec.argv = {"drover", "play", project.id};
  wish.spec.cwd = project.root;
  wish.spec.scope = scope_of(project.id);
  wish.spec.name = project.id;
  wish.spec.lane.clear();
  wish.spec.phase = text_of({.project = project.id});
  wish.first = [id = project.id,
                of_caller = std::move(first)](store::Transaction& transaction) -> Result<> {
    if (auto known = check_project(transaction, id); !known || !of_caller) return known;
    return of_caller(transaction);
  };
  Result<bool> repeated = false;
  if (!wish.spec.key.empty()) {
    repeated = co_await reads_.ask(
        {}, [scope = wish.spec.scope, key_of_play = wish.spec.key](store::Reads& store) {
          return store.knows_key(scope, key_of_play);
        });
  }
  if (!repeated) co_return std::unexpected(repeated.error());
  // P6: a play of this daemon is ignored below; one of another daemon is an error. A repeated
  // request gets its answer, also while another daemon plays the project.
  auto known = co_await latest(project);
  if (!known) co_return std::unexpected(known.error());
  if (!*repeated && (!*known || run::is_finished((*known)->state))) {
    if (auto free = check_not_played_elsewhere(project.root); !free) {
      // Or a play of this daemon has begun since the read.
      known = co_await latest(project);
      if (!known) co_return std::unexpected(known.error());
      if (!*known || run::is_finished((*known)->state)) co_return std::unexpected(free.error());
    }
  }
  for (bool again = false;; again = true) {
    auto written = co_await dispatcher_.submit(wish);
    crash_point("play.recorded");
    if (!written && written.error().reason != "already_active") {
      co_return std::unexpected(written.error());
    }
    if (written) {
      co_return PlayAnswer{.ignored = false,
                           .why = {},
                           .play = std::move(written->record),
                           .replayed = written->replayed};
    }
    auto current = co_await latest(project);
    if (!current) co_return std::unexpected(current.error());
    // The play that was active may have finished in the meantime: then try once more.
    if (!again && *current && run::is_finished((*current)->state)) continue;
    const std::string why = *current
                                ? "the project is already being played as " + (*current)->id.str()
                                : written.error().message;
    co_return PlayAnswer{.ignored = true, .why = why, .play = std::move(*current)};
  }
}

asio::awaitable<Result<PlayAnswer>> Plays::stop(KnownProject project, std::optional<RunId> only) {
  auto current = co_await latest(project);
  if (!current) co_return std::unexpected(current.error());
  if (!*current || run::is_finished((*current)->state)) {
    co_return not_played(std::move(*current));
  }
  if (only && *only != (*current)->id) {
    co_return PlayAnswer{.ignored = true,
                         .why = only->str() + " has finished; the project is now being played as " +
                                (*current)->id.str(),
                         .play = std::move(*current)};
  }
  const auto session = parse_session((*current)->phase);
  if (!session) co_return std::unexpected(session.error());
  if (!can_stop(session->state)) {
    co_return co_await stop_waiting(std::move(**current), *session);
  }
  // Record the intent first: the script carries it out, also after a restart of the daemon.
  auto written = co_await record_(run::CancelRequested{.id = (*current)->id, .of_any_kind = true});
  if (!written && written.error().code == ErrorCode::unavailable) {
    // The store cannot write now. Its runtime can be stopped all the same, and the play ends with
    // it.
    const auto known = session->runs.find(Stage::runtime);
    const auto id = RunId::parse(known == session->runs.end() ? "" : known->second);
    const auto outcome = id ? co_await dispatcher_.cancel(*id, 0)
                            : Result<dispatch::CancelOutcome>(std::unexpected(id.error()));
    if (outcome && *outcome == dispatch::CancelOutcome::cancel_requested) {
      co_return PlayAnswer{.ignored = false, .why = {}, .play = std::move(*current)};
    }
  }
  if (!written) co_return std::unexpected(written.error());
  if (run::is_finished(written->record.state)) co_return not_played(std::move(written->record));
  crash_point("play.stop_recorded");
  const auto now = parse_session(written->record.phase);
  const auto runtime = now ? now->runs.find(Stage::runtime) : session->runs.end();
  if (now && runtime != now->runs.end()) {
    // If this fails, the script does it: the recorded intent decides.
    if (const auto id = RunId::parse(runtime->second)) (void)co_await dispatcher_.cancel(*id, 0);
  }
  co_return PlayAnswer{.ignored = false, .why = {}, .play = std::move(written->record)};
}

// P7: preparation is not stopped. But a run that has not started need not start, so a play never
// waits for a slot after Stop.
asio::awaitable<Result<PlayAnswer>> Plays::stop_waiting(run::Record play, PlaySession session) {
  const auto id = RunId::parse(current_run(session));
  const auto canceled = id ? co_await cancel_queued(*id) : Result<>{};
  if (id && canceled) co_return PlayAnswer{.ignored = false, .why = {}, .play = std::move(play)};
  if (!canceled && canceled.error().reason != "not_cancellable") {
    co_return std::unexpected(canceled.error());
  }
  bool step_runs = false;
  if (id) {
    const auto step = co_await reads_.find(*id);
    step_runs = step && *step && run::is_active((*step)->state);
  }
  co_return PlayAnswer{
      .ignored = true, .why = why_not_stopped(session, step_runs), .play = std::move(play)};
}

asio::awaitable<Result<>> Plays::cancel_queued(RunId child) {
  const auto written =
      co_await record_(run::CancelRequested{.id = child, .of_any_kind = true, .only_queued = true});
  if (!written) co_return std::unexpected(written.error());
  const bool once_more = written->record.state == run::State::canceled;  // A repeated request.
  if (written->effect == run::Effect::none && !once_more) {
    co_return fail(ErrorCode::conflict, "not_cancellable", child.str() + " has already finished",
                   "run_id");
  }
  co_return Result<>{};
}

}  // namespace drover::play
