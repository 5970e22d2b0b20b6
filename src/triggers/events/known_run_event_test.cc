// Mistyped events of runs are refused; those that exist, patterns and events of programs are not.
#include "triggers/events/known_run_event.h"

#include <gtest/gtest.h>

namespace drover::triggers {
namespace {

std::string refusal(std::string_view on) {
  const auto pattern = EventPattern::parse(on, "on");
  const auto ok = check_run_event(pattern.value(), "on");
  return ok ? "" : ok.error().message;
}

// Every event of a run that reaches triggers is accepted.
TEST(KnownRunEvent, AcceptsWhatExists) {
  for (const char* on :
       {"run.failed", "run.reported", "run.*", "deploy.done", "runs.failde", "run_failed"}) {
    EXPECT_EQ(refusal(on), "") << on;
  }
}

// A mistyped one is refused, with the one that was meant.
TEST(KnownRunEvent, RefusesWhatCanNeverHappen) {
  const std::string list =
      "the events of runs that start one are run.completed, run.failed, run.canceled, "
      "run.timed_out, run.abandoned, run.reported";
  EXPECT_EQ(refusal("run.failde"),
            "no trigger gets the event run.failde; did you mean run.failed? " + list);
  for (const char* on : {"run.queued", "run.progress", "run.exploding.things", "run.fail.*"}) {
    EXPECT_TRUE(refusal(on).ends_with(list)) << on;
  }
}

}  // namespace
}  // namespace drover::triggers
