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

// Every event of a run that Drover produces is accepted.
TEST(KnownRunEvent, AcceptsWhatExists) {
  for (const char* on : {"run.queued", "run.failed", "run.taken_up", "run.reported", "run.*",
                         "deploy.done", "runs.failde", "run_failed"}) {
    EXPECT_EQ(refusal(on), "") << on;
  }
}

// A mistyped one is refused, with the one that was meant.
TEST(KnownRunEvent, RefusesWhatCanNeverHappen) {
  EXPECT_EQ(refusal("run.failde"), "no event has the type run.failde; did you mean run.failed?");
  EXPECT_EQ(refusal("run.exploded"),
            "no event has the type run.exploded; docs/events.md lists them");
}

}  // namespace
}  // namespace drover::triggers
