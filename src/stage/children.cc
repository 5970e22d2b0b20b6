// How the Director asks for the runs of a play, and learns how they end. A child that was asked for
// once is never asked for again, and never forgotten: a play does not end before its children.
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>

#include "base/crash_point.h"
#include "base/limits.h"
#include "log/log.h"
#include "run/kind.h"
#include "run/redact.h"
#include "stage/director.h"

namespace drover::stage {
namespace {

constexpr int kAskTries = 40;                  // Twenty seconds for a full disk.
constexpr std::chrono::seconds kLookAgain{2};  // Should news get lost, or a Stop not be heard.

// What is left of a child that somebody removed: its end.
run::Record record_of(const run::Event& end) {
  run::Record record;
  record.id = end.run_id;
  record.state =
      run::state_named(std::string_view(end.type).substr(4)).value_or(run::State::failed);
  record.started_at = end.time;
  boost::system::error_code bad;
  const boost::json::value data = boost::json::parse(end.data, bad);
  const auto* object = bad ? nullptr : data.if_object();
  if (object == nullptr) return record;
  if (const auto* message = object->if_contains("message"); message && message->is_string()) {
    record.message = message->get_string();
  }
  if (const auto* reason = object->if_contains("reason"); reason && reason->is_string()) {
    record.reason = run::reason_named(reason->get_string());
  }
  if (const auto* code = object->if_contains("exit_code"); code && code->is_int64()) {
    record.exit_code = static_cast<int>(code->get_int64());
  }
  if (const auto* bytes = object->if_contains("stdout_bytes"); bytes && bytes->is_int64()) {
    record.stdout_bytes = bytes->get_int64();
  }
  record.receipt = "{}";  // It had been told of in full, or could not have been removed.
  return record;
}

}  // namespace

// What an earlier daemon asked for, perhaps without living to note it.
asio::awaitable<std::map<session::Stage, RunId>> Director::children_of(const Play& play) {
  std::map<session::Stage, RunId> out;
  const run::Record record = co_await find(play.id);
  if (const auto session = session::parse_session(record.session)) {
    for (const auto& [stage, text] : session->runs) {
      if (const auto id = RunId::parse(text)) out[stage] = *id;
    }
  }
  for (const run::Record& child : co_await recorded_children(play, Which::all)) {
    const auto stage = session::stage_named(child.name);
    if (!stage || out.contains(*stage)) continue;
    co_await note_child(play, *stage, child.id);
    out[*stage] = child.id;
  }
  co_return out;
}

asio::awaitable<std::vector<run::Record>> Director::recorded_children(const Play& play,
                                                                      Which which) {
  // Only one play of a project is under way: of its scope these are the latest.
  const store::Query query{
      .active_only = which == Which::active,
      .scope = session::scope_of(play.project),
      .scope_alone = true,
      .limit = which == Which::active ? limits::kQueuedMax : session::kStages.size() + 1};
  auto latest = store_.list(query);
  for (; !latest; latest = store_.list(query)) co_await pause();
  std::erase_if(*latest, [&](const run::Record& child) {
    return child.parent_run_id != play.id.view() || !run::belongs_to_play(child.kind);
  });
  co_return std::move(*latest);
}

asio::awaitable<void> Director::give_up(const Play& play) {
  co_await put_on_record(play, run::CancelRequested{.id = play.id, .of_any_kind = true});
  for (const run::Record& child : co_await recorded_children(play, Which::active)) {
    co_await put_on_record(
        play, run::CancelRequested{.id = child.id, .of_any_kind = true, .only_queued = true});
    co_await watch(play, child.id, run::State::completed);
  }
  co_await put_on_record(play, run::SessionLost{.id = play.id});
}

asio::awaitable<Result<std::optional<RunId>>> Director::ask_for(Play& play, session::Stage stage,
                                                                const Wish& wish) {
  for (int tries = 1;; ++tries) {
    auto around = look_around(play);
    auto spec =
        around ? wish(*around) : Result<std::optional<run::Spec>>(std::unexpected(around.error()));
    if (spec && !*spec) co_return std::nullopt;
    auto child = spec ? co_await submit(play, stage, std::move(**spec), std::move(*around))
                      : Result<RunId>(std::unexpected(spec.error()));
    if (child) {
      co_await note_child(play, stage, *child);
      co_return *child;
    }
    const Error& error = child.error();
    const bool may_pass = error.code == ErrorCode::unavailable && error.reason != "stopping";
    if (!may_pass || tries == kAskTries) co_return std::unexpected(error);
    co_await pause();
  }
}

asio::awaitable<Result<RunId>> Director::submit(Play& play, session::Stage stage, run::Spec spec,
                                                Surroundings around) {
  spec.scope = session::scope_of(play.project);
  spec.name = std::string(session::name(stage));
  spec.lane = run::kPlayLane;
  spec.parent_run_id = play.id.str();
  spec.trace_id = play.trace_id;
  spec.key = "play:" + play.id.str() + ":" + spec.name;
  for (const auto& [name, value] : spec.env) {
    std::erase_if(around.environment,
                  [&](const std::string& v) { return v.starts_with(name + "="); });
    // Drover's own programs are found wherever a run looks for programs (R15).
    around.environment.push_back(name + "=" + value + (name == "PATH" ? ":" + programs_ : ""));
  }
  std::ranges::copy(run::secret_values(around.environment), std::back_inserter(play.secrets));
  const std::string digest = spec.key;
  auto written = co_await dispatcher_.submit(
      {.spec = std::move(spec), .environment = std::move(around.environment), .digest = digest});
  crash_point("play.child_asked_for");
  if (!written) co_return std::unexpected(written.error());
  co_return written->record.id;
}

asio::awaitable<void> Director::note_child(const Play& play, session::Stage stage, RunId child) {
  co_await put_on_record(play, run::Advanced{.id = play.id, .stage = stage, .child = child});
}

asio::awaitable<Result<>> Director::cancel_queued(RunId child) {
  const auto written = co_await dispatcher_.note(
      run::CancelRequested{.id = child, .of_any_kind = true, .only_queued = true});
  if (!written) co_return std::unexpected(written.error());
  const bool once_more = written->record.state == run::State::canceled;  // Asked for again.
  if (written->effect == run::Effect::none && !once_more) {
    co_return fail(ErrorCode::conflict, "not_cancellable", "it has ended", "run_id");
  }
  co_return Result<>{};
}

asio::awaitable<run::Record> Director::watch(const Play& play, RunId child, run::State until) {
  const bus::Filter both{.run = {}, .scope = {}, .runs = {play.id, child}, .scopes = {}};
  const auto [news, added] = news_.try_emplace(play.id, bell_, loop_, both, bell_.last_seq());
  run::Record record = co_await look_until(play, news->second, child, until);
  news_.erase(play.id);
  co_return record;
}

asio::awaitable<run::Record> Director::look_until(const Play& play, bus::Subscription& news,
                                                  RunId child, run::State until) {
  for (;;) {
    run::Record record = co_await find(child);
    if (run::is_terminal(record.state) || record.state == until) co_return record;
    if (run::ends_at_once(record.kind) && !record.cancel_requested) {
      const run::Record stopped = co_await find(play.id);
      if (stopped.cancel_requested) (void)co_await dispatcher_.cancel(child, 0);
    }
    if (!co_await news.next(std::chrono::steady_clock::now() + kLookAgain)) co_await pause();
  }
}

// However long the store cannot be read: unknown is never an end.
asio::awaitable<run::Record> Director::find(RunId id) {
  for (;; co_await pause()) {
    auto record = store_.find(id);
    if (record && *record) co_return std::move(**record);
    const auto end = store_.terminal_event(id);
    if (record && end && *end) co_return record_of(**end);
    log::error(id, "it cannot be looked at: {}",
               record ? "it is not there" : record.error().message);
  }
}

}  // namespace drover::stage
