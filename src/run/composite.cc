#include "run/composite.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "run/kind.h"

namespace drover::run {
namespace {

Result<session::Session> session_of(const Record& record) {
  if (!is_composite(record.kind)) {
    return fail(ErrorCode::conflict, "illegal_transition",
                fmt::format("{} is no play session", record.id.view()), "run_id");
  }
  return session::parse_session(record.session);
}

void tell(Change& change, const session::Session& session, EventType type, WallMs now) {
  change.after.session = session::text_of(session);
  add_event(change, type, now);
}

Result<> come_to_rest(Change& change, const SessionChanged& fact, WallMs now) {
  Record& after = change.after;
  if (auto ok = step(after, fact.rest.happening); !ok) return ok;
  after.reason = fact.rest.reason;
  after.origin = fact.rest.origin;
  after.exit_code = fact.rest.exit_code;
  after.signal = fact.rest.signal;
  after.message = bounded(fact.message, limits::kMessageBytesMax);
  after.finished_at = std::max(now, after.started_at);
  add_event(change, terminal_type(after.state), after.finished_at);
  return {};
}

}  // namespace

std::unexpected<Error> already_playing(const Record& rival) {
  return fail(ErrorCode::conflict, "already_playing",
              fmt::format("it is being played as {}", rival.id.view()), "project");
}

std::unexpected<Error> no_such_project(const Record& play) {
  return fail(ErrorCode::not_found, "not_found", fmt::format("there is no project {}", play.name),
              "project");
}

bool is_stopped(const Record& play) {
  return play.cancel_requested || is_terminal(play.state);
}

std::unexpected<Error> stopped(const Record& play) {
  return fail(ErrorCode::conflict, "stopped",
              fmt::format("{} was stopped before its runtime was begun", play.id.view()));
}

Result<> begin_session(Change& change, WallMs now) {
  if (auto ok = step(change.after, Happening::started); !ok) return ok;
  change.after.started_at = now;
  add_event(change, EventType::started, now);
  auto session = session_of(change.after);
  if (!session) return std::unexpected(session.error());
  const auto to = session::next(session->state, session::Happening::played);
  if (!to) return refused(change.after, Happening::started);
  session->state = *to;
  tell(change, *session, EventType::session_changed, now);
  return {};
}

Result<Change> advance(const Record& before, const Advanced& fact, WallMs now) {
  auto session = session_of(before);
  if (!session) return std::unexpected(session.error());
  const auto known = session->runs.find(fact.stage);
  if (known != session->runs.end() && known->second == fact.child.view()) {
    return Change{Effect::none, before, {}};
  }
  if (is_terminal(before.state)) return refused(before, Happening::started);
  Change change{Effect::changed, before, {}};
  session->stage = fact.stage;
  session->runs[fact.stage] = fact.child.str();
  tell(change, *session, EventType::session_advanced, now);
  return change;
}

Result<Change> lose_session(const Record& before, WallMs now) {
  if (auto readable = session_of(before);
      readable || readable.error().code != ErrorCode::corrupt || is_terminal(before.state)) {
    return refused(before, Happening::abandoned);
  }
  // Whatever it was at: it is not being played any more, and did not end well.
  const auto to = session::next(session::State::running, session::Happening::failed);
  const SessionChanged fact{.happening = session::Happening::failed,
                            .message = "how far it had come cannot be read any more; play it again",
                            .rest = {.happening = Happening::abandoned,
                                     .reason = Reason::keeper_lost,
                                     .origin = Origin::host}};
  Change change{Effect::changed, before, {}};
  tell(change,
       {.project = session::project_of(before.scope),
        .state = *to,
        .code = "session_lost",
        .message = fact.message},
       EventType::session_changed, now);
  if (auto ok = come_to_rest(change, fact, now); !ok) return std::unexpected(ok.error());
  return change;
}

Result<Change> change_session(const Record& before, const SessionChanged& fact, WallMs now) {
  auto session = session_of(before);
  if (!session) return std::unexpected(session.error());
  const auto to = session::next(session->state, fact.happening);
  if (!to && session::leads_to(fact.happening, session->state)) {  // Told twice.
    return Change{Effect::none, before, {}};
  }
  if (!to) {
    return fail(ErrorCode::conflict, "illegal_transition",
                fmt::format("the session of {} is {} and cannot be {}", before.id.view(),
                            session::name(session->state), session::name(fact.happening)),
                "run_id");
  }
  Change change{Effect::changed, before, {}};
  session->state = *to;
  if (fact.happening == session::Happening::prepared) session->stage = session::Stage::runtime;
  if (fact.stage) session->stage = fact.stage;
  session->code = fact.code;
  session->message = bounded(fact.message, limits::kMessageBytesMax);
  tell(change, *session, EventType::session_changed, now);
  if (session::is_at_rest(*to)) {
    if (auto ok = come_to_rest(change, fact, now); !ok) return std::unexpected(ok.error());
  }
  return change;
}

}  // namespace drover::run
