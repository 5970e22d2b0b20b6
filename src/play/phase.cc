#include "play/phase.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "run/record.h"

namespace drover::play {
namespace {

namespace json = boost::json;
using Step = Result<std::optional<run::PhaseStep>>;

constexpr auto kLostMessage = "the play session is damaged; play the project again";

run::PhaseChanged fact_of(const RunId& play, const json::object& change, run::Rest rest = {}) {
  return {.id = play, .change = json::serialize(change), .rest = std::move(rest)};
}

std::string text_in(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

Step advance(PlaySession session, Stage stage, const std::string& child) {
  const auto known = session.runs.find(stage);
  if (known != session.runs.end() && known->second == child) return std::nullopt;
  session.stage = stage;
  session.runs[stage] = child;
  return run::PhaseStep{.after = text_of(session), .event = kStepEvent};
}

Step lose(const run::Record& before, const Result<PlaySession>& readable) {
  if (readable || readable.error().code != ErrorCode::corrupt) {
    return fail(ErrorCode::conflict, "illegal_transition",
                fmt::format("the play session of {} can be read", before.id.view()), "run_id");
  }
  // Whatever the unreadable session's state was, the play is over and has failed.
  const auto to = next(State::running, Happening::failed);
  return run::PhaseStep{.after = text_of({.project = project_of(before.scope),
                                          .state = *to,
                                          .code = "session_lost",
                                          .message = kLostMessage}),
                        .event = kChangedEvent,
                        .at_rest = true};
}

Step happen(const run::Record& before, PlaySession session, Happening happening,
            const json::object& change) {
  const auto to = next(session.state, happening);
  if (!to && leads_to(happening, session.state)) return std::nullopt;  // Recorded twice.
  if (!to) {
    return fail(ErrorCode::conflict, "illegal_transition",
                fmt::format("the play session of {} is {} and cannot be {}", before.id.view(),
                            name(session.state), name(happening)),
                "run_id");
  }
  session.state = *to;
  if (happening == Happening::prepared) session.stage = Stage::runtime;
  if (const auto stage = stage_named(text_in(change, "step"))) session.stage = stage;
  session.code = text_in(change, "code");
  session.message = bounded(text_in(change, "message"), limits::kMessageBytesMax);
  return run::PhaseStep{
      .after = text_of(session), .event = kChangedEvent, .at_rest = is_at_rest(*to)};
}

}  // namespace

run::PhaseChanged changed(const RunId& play, const PlayChange& change) {
  json::object text{{"happening", name(change.happening)}};
  if (change.stage) text["step"] = name(*change.stage);
  if (!change.code.empty()) text["code"] = change.code;
  // The message may quote a path that is not UTF-8, and the change is JSON.
  if (!change.message.empty()) {
    text["message"] = bounded(change.message, limits::kMessageBytesMax);
  }
  run::Rest rest = change.rest;
  rest.message = change.message;
  return fact_of(play, text, std::move(rest));
}

run::PhaseChanged advanced(const RunId& play, Stage stage, const RunId& child) {
  return fact_of(play, {{"step", name(stage)}, {"child", child.view()}});
}

run::PhaseChanged lost(const RunId& play) {
  return fact_of(play, {{"lost", true}},
                 {.happening = run::Happening::abandoned,
                  .reason = run::Reason::keeper_lost,
                  .origin = run::Origin::host,
                  .message = kLostMessage});
}

Step phase_rule(const run::Record& before, std::string_view change) {
  boost::system::error_code bad;
  const json::value value = json::parse(change, bad);
  if (bad || !value.is_object()) return fail_invalid("change", "not a change of a play session");
  const json::object& object = value.get_object();
  auto session = parse_session(before.phase);
  if (object.contains("lost")) return lose(before, session);
  if (!session) return std::unexpected(session.error());
  const auto stage = stage_named(text_in(object, "step"));
  if (stage && object.contains("child")) {
    return advance(std::move(*session), *stage, text_in(object, "child"));
  }
  const auto happening = happening_named(text_in(object, "happening"));
  if (!happening) return fail_invalid("change", "not a change of a play session");
  return happen(before, std::move(*session), *happening, object);
}

std::string current_child(const run::Record& play) {
  const auto session = parse_session(play.phase);
  return session ? current_run(*session) : "";
}

Result<RunId> signal_target(const run::Record& play) {
  const auto session = parse_session(play.phase);
  if (!session) return std::unexpected(session.error());
  const auto runtime = session->runs.find(Stage::runtime);
  if (runtime != session->runs.end()) {
    if (const auto id = RunId::parse(runtime->second)) return *id;
  }
  const std::string step = current_run(*session);
  return fail(ErrorCode::conflict, "no_runtime",
              play.id.str() + " has no runtime yet: it is " + std::string(name(session->state)) +
                  (step.empty()
                       ? std::string("; try again once it is running")
                       : "; to signal its " + std::string(name(*session->stage)) + ", use " + step),
              "run_id");
}

}  // namespace drover::play
