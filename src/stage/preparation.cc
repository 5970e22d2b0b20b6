// How the Director has a project prepared (P1, P2): step by step, and no further than the first
// that fails.
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/crash_point.h"
#include "base/limits.h"
#include "base/output_file.h"
#include "play/diagnostics.h"
#include "run/kind.h"
#include "stage/director.h"
#include "stage/verdict.h"

namespace drover::stage {
namespace {

run::Spec spec_of(const std::string& root, const play::Preparation& preparation) {
  run::Spec spec;
  spec.argv = preparation.argv;
  spec.shell = preparation.shell;
  spec.env = preparation.env;
  spec.timeout_ms = preparation.timeout_ms;
  spec.cwd = preparation.cwd.empty() ? root : root + "/" + preparation.cwd;
  spec.kind = run::kStep;
  return spec;
}

// Its file was given another id since: which of the two is played is for its owner to say.
std::unexpected<Error> is_called(const std::string& now, const std::string& id) {
  return fail(ErrorCode::conflict, "project_elsewhere",
              "drover.toml calls it " + now + "; `drover project rm " + id +
                  "`, then it can be played as that",
              "project");
}

}  // namespace

asio::awaitable<Director::Failure> Director::prepare(Play& play) {
  // What was begun is seen through as it was begun; drover.toml speaks for what is still to come.
  const auto step = [id = play.project](session::Stage stage) -> Wish {
    return [id, stage](const Surroundings& around) -> Result<std::optional<run::Spec>> {
      const auto project = play::load_project(around.root);
      if (!project) return std::unexpected(project.error());
      if (project->id != id) return is_called(project->id, id);
      const auto& wanted = stage == session::Stage::build        ? project->build
                           : stage == session::Stage::validation ? project->validate
                                                                 : project->pack;
      if (!wanted) return std::nullopt;
      return spec_of(around.root, *wanted);
    };
  };
  const Wish manifest = [this](const Surroundings& around) -> Result<std::optional<run::Spec>> {
    run::Spec spec;
    spec.argv = {programs_ + "/droverd", "--manifest", around.root};
    spec.cwd = around.root;
    spec.kind = run::kStep;
    spec.timeout_ms = limits::kManifestMs;
    return spec;
  };
  for (const session::Stage stage :
       {session::Stage::build, session::Stage::validation, session::Stage::pack}) {
    if (auto failure = co_await take_step(play, stage, step(stage))) co_return failure;
  }
  co_return co_await take_step(play, session::Stage::manifest, manifest);
}

asio::awaitable<Director::Failure> Director::take_step(Play& play, session::Stage stage,
                                                       const Wish& wish) {
  const auto children = co_await children_of(play);
  std::optional<RunId> child;
  if (const auto known = children.find(stage); known != children.end()) {
    child = known->second;
  } else if (!children.empty() && children.rbegin()->first > stage) {
    co_return std::nullopt;  // A later one was begun: there was no such step.
  } else {
    const auto asked = co_await ask_for(play, stage, wish);
    if (!asked) {
      co_return kept_from(session::Happening::preparation_failed, stage, asked.error());
    }
    child = *asked;
  }
  if (!child) co_return std::nullopt;
  const run::Record ended = co_await watch(play, *child, run::State::completed);
  crash_point("play.step_ended");
  if (auto failure = failure_of(stage, ended)) co_return failure;
  if (stage == session::Stage::validation) co_return co_await look_for_blocking_lines(ended);
  co_return std::nullopt;
}

// A validation may let the pack pass by its exit code, and yet block it by what it says. What it
// said and nobody can read may be just that.
asio::awaitable<Director::Failure> Director::look_for_blocking_lines(run::Record validation) {
  OutputReader output(home_.run_folder(validation.id));
  const auto nobody_knows = [](const Error& error) -> Failure {
    return kept_from(session::Happening::preparation_failed, session::Stage::validation, error);
  };
  const auto printed =
      static_cast<std::uint64_t>(validation.stdout_bytes + validation.stderr_bytes);
  const auto whole = output.holds_all(printed);
  const bool lacks = validation.stdout_bytes > 0 && whole && !*whole;
  if (lacks || validation.receipt.empty()) {  // Without one, nobody has counted what it printed.
    co_return nobody_knows(
        {ErrorCode::exhausted, "validation_incomplete",
         "not all that it printed was kept, and what is missing may have blocked "
         "the pack; let it print less",
         ""});
  }
  std::string line;
  const auto blocks = [&]() -> Failure {
    const auto found = play::read_diagnostic(line);
    line.clear();
    return found && found->blocking ? Failure(blocked(found->message)) : std::nullopt;
  };
  for (std::uint64_t at = 0;;) {
    std::uint64_t next = at;
    const auto pieces = output.read(at, limits::kLogChunkBytes, Stream::out, &next);
    if (!pieces) {
      co_return nobody_knows(
          {pieces.error().code, "validation_unreadable", pieces.error().message, ""});
    }
    if (pieces->empty()) break;
    for (const OutputPiece& piece : *pieces) {
      for (const char c : piece.bytes) {
        if (c != '\n') {
          // One byte too many tells a line that is too long.
          if (line.size() <= limits::kDiagnosticLineBytesMax) line += c;
        } else if (auto failure = blocks()) {
          co_return failure;
        }
      }
    }
    at = next;
    co_await asio::post(loop_, asio::use_awaitable);  // Others get their turn.
  }
  co_return blocks();
}

}  // namespace drover::stage
