#include "dispatch/launch/run_command.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/clock.h"

namespace drover::dispatch {
namespace {

class RunCommandTest : public ::testing::Test {
 protected:
  static size_t count(const process::Command& command, std::string_view variable) {
    return static_cast<size_t>(std::ranges::count_if(
        command.environment, [&](const std::string& v) { return v.starts_with(variable); }));
  }
  drover::testing::ManualClock clock_;
  IdMaker ids_{clock_};
};

// A command gets the variables of its own run, once each; those of another run are removed.
TEST_F(RunCommandTest, HasOnlyItsOwnRunsVariables) {
  const RunId first = ids_.next(), second = ids_.next();
  process::Command command;
  command.environment = {"PATH=/bin"};
  const TokenOf token_of = [](const RunId& id) { return "of " + id.str(); };
  name_run(command, {first, "trace", 1}, token_of);
  name_run(command, {second, "trace", 2}, token_of);
  EXPECT_EQ(count(command, "PATH=/bin"), 1U);
  EXPECT_EQ(count(command, "DROVER_RUN_ID="), 1U);
  EXPECT_EQ(count(command, "DROVER_RUN_ID=" + second.str()), 1U);
  EXPECT_EQ(count(command, "DROVER_TOKEN=of " + second.str()), 1U);
  EXPECT_EQ(count(command, "TRACEPARENT=00-trace-"), 1U);
  EXPECT_EQ(count(command, "DROVER_ATTEMPT=2"), 1U);
  EXPECT_EQ(command.environment.size(), 6U);
}

// R11: 1 GiB of the output of a run is kept, or as much as the run was submitted with.
TEST_F(RunCommandTest, HasALimitOfOutput) {
  Submission submission;
  submission.spec.argv = {"true"};
  const auto limit = [&] {
    const run::Record record = run::first_record(submission.spec, ids_.next(), 1, {});
    return command_for(submission, record, 022, {}).output_bytes_max;
  };
  EXPECT_EQ(limit(), 1'073'741'824U);
  submission.spec.limits.output_bytes = 65'536;
  EXPECT_EQ(limit(), 65'536U);
}

// A run that is never retried gets no attempt variable; without tokens it gets no token.
TEST_F(RunCommandTest, NamesTheAttemptOnlyIfRetriesArePossible) {
  Submission submission;
  submission.spec.argv = {"true"};
  for (const int retries : {0, 3}) {
    submission.spec.retry.max = retries;
    const run::Record record = run::first_record(submission.spec, ids_.next(), 1, {});
    const process::Command command = command_for(submission, record, 022, {});
    EXPECT_EQ(count(command, "DROVER_ATTEMPT=1"), retries > 0 ? 1U : 0U);
    EXPECT_EQ(command.keeps_environment, retries > 0);
    EXPECT_EQ(count(command, "DROVER_TOKEN"), 0U);
  }
}

}  // namespace
}  // namespace drover::dispatch
