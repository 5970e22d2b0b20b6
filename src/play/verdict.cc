#include "play/verdict.h"

#include <fmt/format.h>

#include <cerrno>

#include "play/project_lock.h"

namespace drover::play {
namespace {

// The play finishes in the same state as the child, with its reason.
run::Rest same_rest(const run::Record& child) {
  run::Rest rest{.reason = child.reason.value_or(run::Reason::launch_failed),
                 .origin = child.origin.value_or(run::Origin::runtime),
                 .exit_code = child.exit_code,
                 .signal = child.signal};
  switch (child.state) {
    case run::State::completed:
      rest.happening = run::Happening::completed;
      break;
    case run::State::canceled:
      rest.happening = run::Happening::canceled;
      break;
    case run::State::timed_out:
      rest.happening = run::Happening::timed_out;
      break;
    case run::State::abandoned:
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

// For programs: how the child finished.
std::string code_of(const run::Record& child) {
  if (child.reason == run::Reason::launch_failed && child.failed_step == LaunchStep::lock) {
    return std::string(child.launch_error == EAGAIN ? kPlayedElsewhere : kNotLockable);
  }
  if (child.reason == run::Reason::launch_failed) return "spawn_failed";
  return std::string(child.reason ? run::name(*child.reason) : run::name(child.state));
}

std::string how(const run::Record& child) {
  return child.message.empty() ? std::string(run::name(child.state)) : child.message;
}

}  // namespace

std::optional<PlayChange> failure_of(Stage stage, const run::Record& child) {
  if (child.state == run::State::completed) return std::nullopt;
  return PlayChange{.happening = Happening::preparation_failed,
                    .stage = stage,
                    .code = code_of(child),
                    .message = fmt::format("{}: {}", name(stage), how(child)),
                    .rest = same_rest(child)};
}

PlayChange blocked(const std::string& message) {
  return {.happening = Happening::preparation_failed,
          .stage = Stage::validation,
          .code = "blocked",
          .message = fmt::format("{}: blocked the pack: {}", name(Stage::validation), message),
          .rest = never_launched()};
}

PlayChange prepared(bool was_validated) {
  return {.happening = Happening::prepared,
          .message = was_validated ? "" : std::string(kNotValidated)};
}

PlayChange failed_by(Happening happening, Stage stage, const Error& error) {
  return {.happening = happening,
          .stage = stage,
          .code = error.reason,
          .message = fmt::format("{}: {}", name(stage), error.message),
          .rest = never_launched()};
}

PlayChange stopped_before_runtime() {
  return {.happening = Happening::ended,
          .message = "stopped",
          .rest = {.happening = run::Happening::canceled,
                   .reason = run::Reason::canceled_by_owner,
                   .origin = run::Origin::owner}};
}

PlayChange end_of_runtime(const run::Record& runtime) {
  PlayChange out{.happening = Happening::failed, .rest = same_rest(runtime)};
  if (runtime.state == run::State::completed || runtime.state == run::State::canceled) {
    out.happening = Happening::ended;
    out.message =
        runtime.state == run::State::canceled ? "stopped" : "the runtime finished by itself";
    return out;
  }
  out.code = code_of(runtime);
  out.message = fmt::format("{}: {}", name(Stage::runtime), how(runtime));
  return out;
}

}  // namespace drover::play
