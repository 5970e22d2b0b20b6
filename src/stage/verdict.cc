#include "stage/verdict.h"

#include <fmt/format.h>

namespace drover::stage {
namespace {

using run::State;

// The play ends as the child did, with its reason.
run::Rest like(const run::Record& child) {
  run::Rest rest{.reason = child.reason.value_or(run::Reason::launch_failed),
                 .origin = child.origin.value_or(run::Origin::runtime),
                 .exit_code = child.exit_code,
                 .signal = child.signal};
  switch (child.state) {
    case State::completed:
      rest.happening = run::Happening::completed;
      break;
    case State::canceled:
      rest.happening = run::Happening::canceled;
      break;
    case State::timed_out:
      rest.happening = run::Happening::timed_out;
      break;
    case State::abandoned:
      rest.happening = run::Happening::abandoned;
      break;
    default:
      rest.happening = run::Happening::failed;
  }
  return rest;
}

run::Rest never_launched() {
  return {.happening = run::Happening::failed,
          .reason = run::Reason::launch_failed,
          .origin = run::Origin::launch};
}

// For programs: which way it ended.
std::string code_of(const run::Record& child) {
  if (child.reason == run::Reason::launch_failed) return "spawn_failed";
  return std::string(child.reason ? run::name(*child.reason) : run::name(child.state));
}

std::string how(const run::Record& child) {
  return child.message.empty() ? std::string(run::name(child.state)) : child.message;
}

}  // namespace

std::optional<run::SessionChanged> failure_of(session::Stage stage, const run::Record& child) {
  if (child.state == State::completed) return std::nullopt;
  return run::SessionChanged{.happening = session::Happening::preparation_failed,
                             .stage = stage,
                             .code = code_of(child),
                             .message = fmt::format("{}: {}", session::name(stage), how(child)),
                             .rest = like(child)};
}

run::SessionChanged blocked(const std::string& message) {
  return {.happening = session::Happening::preparation_failed,
          .stage = session::Stage::validation,
          .code = "blocked",
          .message = fmt::format("{}: blocked the pack: {}",
                                 session::name(session::Stage::validation), message),
          .rest = never_launched()};
}

run::SessionChanged kept_from(session::Happening happening, session::Stage stage,
                              const Error& error) {
  return {.happening = happening,
          .stage = stage,
          .code = error.reason,
          .message = fmt::format("{}: {}", session::name(stage), error.message),
          .rest = never_launched()};
}

run::SessionChanged end_of_runtime(const run::Record& runtime) {
  run::SessionChanged out{.happening = session::Happening::failed, .rest = like(runtime)};
  if (runtime.state == State::completed || runtime.state == State::canceled) {
    out.happening = session::Happening::ended;
    out.message = runtime.state == State::canceled ? "stopped" : "the runtime ended by itself";
    return out;
  }
  out.code = code_of(runtime);
  out.message = fmt::format("{}: {}", session::name(session::Stage::runtime), how(runtime));
  return out;
}

}  // namespace drover::stage
