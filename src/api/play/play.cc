#include "api/play/play.h"

#include <boost/json/array.hpp>

#include "api/ask.h"
#include "api/play/projects.h"
#include "api/runs/submission.h"
#include "api/runs/why.h"
#include "api/stream/cursor.h"
#include "api/stream/long_poll.h"
#include "play/phase.h"
#include "play/plays.h"
#include "requests/fields.h"
#include "run/event_data.h"

namespace drover::api {
namespace {

namespace json = boost::json;

json::value text_or_null(std::string_view text) {
  return text.empty() ? json::value(nullptr) : json::value(json::string(text));
}

json::value time_or_null(WallMs time) {
  return time == 0 ? json::value(nullptr) : json::value(rfc3339(time));
}

json::value number_or_null(std::optional<int> number) {
  return number ? json::value(*number) : json::value(nullptr);
}

// Describes a play session; `idle` if the project was never played.
Result<json::object> describe(const std::string& project, const std::optional<run::Record>& play) {
  play::PlaySession session{.project = project};
  if (play) {
    auto read = play::parse_session(play->phase);
    if (!read) return std::unexpected(read.error());
    session = std::move(*read);
  }
  json::object runs;
  for (const auto& [stage, id] : session.runs) runs[play::name(stage)] = id;
  const auto runtime = session.runs.find(play::Stage::runtime);
  return json::object{
      {"project", session.project},
      {"state", play::name(session.state)},
      {"run_id", text_or_null(play ? play->id.view() : "")},
      {"step", text_or_null(session.stage ? play::name(*session.stage) : "")},
      {"code", text_or_null(session.code)},
      {"message", text_or_null(session.message)},
      {"runs", std::move(runs)},
      {"runtime_run_id", text_or_null(runtime == session.runs.end() ? "" : runtime->second)},
      {"started_at", time_or_null(play ? play->started_at : 0)},
      {"finished_at", time_or_null(play ? play->finished_at : 0)},
      {"exit_code", number_or_null(play ? play->exit_code : std::nullopt)},
      {"signal", number_or_null(play ? play->signal : std::nullopt)}};
}

Result<Response> answer_pressed(const std::string& project, const play::PlayAnswer& pressed) {
  auto session = describe(project, pressed.play);
  if (!session) return std::unexpected(session.error());
  json::object body{{"ignored", pressed.ignored}, {"session", std::move(*session)}};
  if (pressed.ignored) body["why"] = pressed.why;
  return answer_json(pressed.ignored ? 200 : 202, body);
}

// The id of the play to stop; empty: the current one.
Result<std::optional<RunId>> read_run_id(std::string_view body) {
  std::string text;
  requests::Fields fields(body);
  fields.text("run_id", text);
  const bool given = fields.has("run_id");
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (!given) return std::nullopt;
  const auto id = RunId::parse(text);
  if (!id) return fail_invalid("run_id", "run_id must be the complete id of a play");
  return *id;
}

json::object entry_of(const run::Event& event, const store::Epochs& epochs) {
  json::object out{{"cursor", text_of(event.seq, epochs)},
                   {"time", rfc3339(event.time)},
                   {"run_id", event.run_id.view()}};
  const json::object data = run::data_of(event);
  for (const char* field : {"project", "state", "step", "code", "message"}) {
    const json::value* found = data.if_contains(field);
    out[field] = found == nullptr ? json::value(nullptr) : *found;
  }
  return out;
}

// The changes of all plays of a project, in the order of the log.
Result<std::vector<run::Event>> read_changes(store::Reads& store, const play::KnownProject& project,
                                             WallMs now, std::int64_t after) {
  auto plays = play::plays_of(store, project, now, limits::kTopicsMax);
  if (!plays) return std::unexpected(plays.error());
  std::vector<run::Event> found;
  for (const run::Record& play : *plays) {
    // One play has a few dozen events, so one page is enough.
    auto events = store.events({.after = after, .run = play.id, .limit = limits::kPageMax});
    if (!events) return std::unexpected(events.error());
    for (run::Event& event : *events) {
      if (event.type == play::kChangedEvent) found.push_back(std::move(event));
    }
  }
  std::ranges::sort(found, {}, &run::Event::seq);
  return found;
}

}  // namespace

asio::awaitable<Result<Response>> play_project(Services& services, Request& request) {
  auto project = co_await find_project(services, request);
  if (!project) co_return std::unexpected(project.error());
  auto environment = read_environment(request.body, services);
  if (!environment) co_return std::unexpected(environment.error());
  auto key = read_key(request.body, request.idempotency_key);
  if (!key) co_return std::unexpected(key.error());
  const std::string id = project->id;
  store::Work quota =
      access::quota_check(request.grant, {.scope = play::scope_of(id), .key = key->key});
  auto pressed = co_await services.rooms.get<play::Plays>().play(
      std::move(*project), std::move(*environment), std::move(*key), std::move(quota));
  if (!pressed) co_return std::unexpected(pressed.error());
  auto response = answer_pressed(id, *pressed);
  if (response && pressed->replayed) response->headers.emplace_back("Idempotent-Replayed", "true");
  co_return response;
}

asio::awaitable<Result<Response>> stop_project(Services& services, Request& request) {
  auto project = co_await find_project(services, request);
  if (!project) co_return std::unexpected(project.error());
  auto only = read_run_id(request.body);
  if (!only) co_return std::unexpected(only.error());
  const std::string id = project->id;
  auto pressed = co_await services.rooms.get<play::Plays>().stop(std::move(*project), *only);
  if (!pressed) co_return std::unexpected(pressed.error());
  co_return answer_pressed(id, *pressed);
}

asio::awaitable<Result<Response>> show_session(Services& services, Request& request) {
  auto ms = wait_ms(request.query);
  if (!ms) co_return std::unexpected(ms.error());
  auto project = co_await find_project(services, request);
  if (!project) co_return std::unexpected(project.error());
  auto play = co_await latest_play(services, request, *project);
  if (!play) co_return std::unexpected(play.error());
  if (*play && *ms > 0) {
    auto ended = co_await wait_for_end(services, request, **play, *ms);
    if (!ended) co_return std::unexpected(ended.error());
    *play = std::move(*ended);
  }
  auto session = describe(project->id, *play);
  if (!session) co_return std::unexpected(session.error());
  const auto child = *play ? co_await current_child(services, request, **play)
                           : Result<std::optional<run::Record>>(std::nullopt);
  if (!child) co_return std::unexpected(child.error());
  if (*child && (*child)->state == run::State::queued) {
    auto obstacles = co_await obstacles_of(services, request, **child);
    if (!obstacles) co_return std::unexpected(obstacles.error());
    (*session)["obstacles"] = std::move(*obstacles);
  }
  co_return answer_json(200, *session);
}

asio::awaitable<Result<Response>> show_feed(Services& services, Request& request) {
  std::int64_t after = 0;
  CursorVerdict verdict;
  auto text = text_in(request.query, "after");
  if (!text) co_return std::unexpected(text.error());
  if (*text) {
    auto cursor = parse_cursor(**text, "after");
    if (!cursor) co_return std::unexpected(cursor.error());
    verdict = judge(*cursor, services.bell.last_seq(), services.store.epochs());
    after = verdict.resume_at.seq;
  }
  auto limit = number_in(request.query, "limit", 1, limits::kPageMax);
  if (!limit) co_return std::unexpected(limit.error());
  auto last = flag_in(request.query, "last");
  if (!last) co_return std::unexpected(last.error());
  auto project = co_await find_project(services, request);
  if (!project) co_return std::unexpected(project.error());
  const auto changes =
      co_await ask(services, request,
                   [project = *project, now = services.clock.wall_ms(), after](
                       store::Reads& store) { return read_changes(store, project, now, after); });
  if (!changes) co_return std::unexpected(changes.error());
  const std::vector<run::Event>& found = *changes;
  const size_t count = std::min<size_t>(found.size(), limit->value_or(limits::kPageDefault));
  const size_t begin = *last ? found.size() - count : 0;
  json::array entries;
  for (size_t i = begin; i < begin + count; ++i) {
    entries.push_back(entry_of(found[i], services.store.epochs()));
    after = found[i].seq;
  }
  const store::Epochs& epochs = services.store.epochs();
  json::object body{{"entries", std::move(entries)}, {"next", text_of(after, epochs)}};
  if (verdict.lagged) {
    body["lagged"] = {{"missed", verdict.missed},
                      {"cursor", text_of(verdict.resume_at.seq, epochs)}};
  }
  co_return answer_json(200, body);
}

}  // namespace drover::api
