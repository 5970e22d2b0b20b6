#include "run/change.h"

#include <fmt/format.h>

namespace drover::run {

std::unexpected<Error> refused(const Record& record, Happening happening) {
  if (is_finished(record.state)) {
    return fail(ErrorCode::conflict, "already_terminal",
                fmt::format("{} has already finished ({})", record.id.view(), name(record.state)),
                "run_id");
  }
  return fail(ErrorCode::conflict, "illegal_transition",
              fmt::format("{} is {} and cannot be {}", record.id.view(), name(record.state),
                          name(happening)),
              "run_id");
}

bool is_refused_transition(const Error& error) {
  return error.reason == "already_terminal" || error.reason == "illegal_transition";
}

std::optional<RunId> refused_run(const Error& error) {
  if (!is_refused_transition(error)) return std::nullopt;
  const auto id = RunId::parse(error.message.substr(0, error.message.find(' ')));
  return id ? std::optional(*id) : std::nullopt;
}

Result<> step(Record& record, Happening happening) {
  const auto to = next(record.state, happening);
  if (!to) return refused(record, happening);
  record.state = *to;
  return {};
}

void add_event(Change& change, EventType type, WallMs time) {
  ++change.after.events;
  change.events.push_back(make_event(type, change.after, time));
}

void add_progress(Change& change, const SaidProgress& said, WallMs time) {
  ++change.after.events;
  change.after.progress = with_said(change.after.progress, said, time);
  change.events.push_back(make_progress_event(change.after, time, event_data(said)));
}

void add_progress(Change& change, const OutputGrowth& growth, WallMs time) {
  ++change.after.events;
  change.after.progress = with_growth(change.after.progress, growth, time);
  change.events.push_back(make_progress_event(change.after, time, event_data(growth)));
}

void add_phase_event(Change& change, std::string_view type, WallMs time) {
  ++change.after.events;
  change.events.push_back(make_phase_event(type, change.after, time));
}

}  // namespace drover::run
