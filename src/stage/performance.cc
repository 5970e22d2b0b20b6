// How the Director has a prepared project played (P3–P5, P7, P8).
#include <boost/asio/use_awaitable.hpp>

#include "base/crash_point.h"
#include "play/setup.h"
#include "run/kind.h"
#include "stage/director.h"
#include "stage/verdict.h"

namespace drover::stage {
namespace {

// P3, P5: preflight right before the spawn, and exactly this command. P4: no look at the manifest.
Result<std::optional<run::Spec>> runtime_spec(const std::string& root) {
  auto path = play::find_runtime(root);
  if (!path) return std::unexpected(path.error());
  run::Spec spec;
  spec.argv = {std::move(*path), "run", "build"};
  spec.cwd = root;
  spec.kind = run::kRuntime;
  spec.grace_ms = 0;
  return spec;
}

run::SessionChanged stopped_before() {
  return {.happening = session::Happening::ended,
          .message = "stopped",
          .rest = {.happening = run::Happening::canceled,
                   .reason = run::Reason::canceled_by_owner,
                   .origin = run::Origin::owner}};
}

}  // namespace

asio::awaitable<void> Director::perform(Play& play) {
  const auto children = co_await children_of(play);
  std::optional<RunId> runtime;
  if (const auto known = children.find(session::Stage::runtime); known != children.end()) {
    runtime = known->second;
  } else {
    const auto asked =
        co_await ask_for(play, session::Stage::runtime,
                         [](const Surroundings& around) { return runtime_spec(around.root); });
    if (!asked) {
      const Error& error = asked.error();
      co_await tell(play, error.reason == "stopped" ? stopped_before()
                                                    : kept_from(session::Happening::failed,
                                                                session::Stage::runtime, error));
      co_return;
    }
    runtime = *asked;
  }
  run::Record child = co_await watch(play, *runtime, run::State::running);
  if (child.started_at != 0) {
    co_await tell(play, {.happening = session::Happening::confirmed});
    crash_point("play.confirmed");
  }
  child = co_await watch(play, *runtime, run::State::completed);
  co_await tell(play, end_of_runtime(child));
}

}  // namespace drover::stage
