#include "play/verdict.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace drover::play {
namespace {

// P6: a command that did not get the project's lock has failed because of another play; one whose
// lock cannot be taken at all has failed because of the lock. Both at a step and at the runtime.
TEST(Verdict, NamesTheLockThatACommandDidNotGet) {
  run::Record child;
  child.state = run::State::failed;
  child.reason = run::Reason::launch_failed;
  child.failed_step = LaunchStep::lock;
  for (const auto& [error, code] :
       {std::pair(EAGAIN, "played_elsewhere"), std::pair(EACCES, "project_not_lockable"),
        std::pair(ENOLCK, "project_not_lockable")}) {
    child.launch_error = error;
    EXPECT_EQ(failure_of(Stage::build, child)->code, code);
    EXPECT_EQ(end_of_runtime(child).code, code);
    EXPECT_EQ(end_of_runtime(child).happening, Happening::failed);
  }
  child.failed_step = LaunchStep::exec;
  EXPECT_EQ(end_of_runtime(child).code, "spawn_failed");
}

}  // namespace
}  // namespace drover::play
