#include "run/outcome.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cerrno>
#include <csignal>
#include <set>

#include "base/text.h"
#include "testing/plain_words.h"

namespace drover::run {
namespace {

Verdict launch(LaunchStep step, int error, std::string detail) {
  return judge(NotLaunched{step, error, std::move(detail)}, {});
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// R3: the list of reasons is closed. Adding one changes the contract, and this test.
TEST(Reasons, AreThisClosedList) {
  const std::set<std::string_view> contract{
      "exit_zero",     "exit_nonzero",      "signaled",       "launch_failed", "canceled_by_owner",
      "cancel_forced", "dependency_failed", "timeout",        "idle_timeout",  "output_limit",
      "keeper_lost",   "host_restarted",    "lost_ownership", "no_report",     "out_of_memory"};
  std::set<std::string_view> ours;
  for (size_t i = 0; i < detail::kReasonNames.size(); ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_EQ(reason_named(name(reason)), reason);
    ours.insert(name(reason));
  }
  EXPECT_EQ(ours, contract);
  EXPECT_EQ(reason_named("killed"), std::nullopt);
}

// R3: so is the list of origins.
TEST(Reasons, OriginsAreThisClosedList) {
  const std::set<std::string_view> contract{"process", "launch",   "runtime",
                                            "host",    "provider", "owner"};
  const std::set<std::string_view> ours(detail::kOriginNames.begin(), detail::kOriginNames.end());
  EXPECT_EQ(ours, contract);
  EXPECT_EQ(origin_named("host"), Origin::host);
  EXPECT_EQ(origin_named("nobody"), std::nullopt);
}

// Without any request, a run finishes as its process exited.
TEST(Outcome, FollowsTheExitStatus) {
  const Verdict good = judge(Exited{0}, {});
  EXPECT_EQ(good.happening, Happening::completed);
  EXPECT_EQ(good.reason, Reason::exit_zero);
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.message, "");

  const Verdict bad = judge(Exited{3}, {});
  EXPECT_EQ(bad.happening, Happening::failed);
  EXPECT_EQ(bad.reason, Reason::exit_nonzero);
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_TRUE(has(bad.message, "3"));

  const Verdict killed = judge(Killed{SIGSEGV, true}, {});
  EXPECT_EQ(killed.happening, Happening::failed);
  EXPECT_EQ(killed.reason, Reason::signaled);
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_EQ(killed.exit_code, std::nullopt);
  EXPECT_EQ(killed.message, "was killed by SIGSEGV (core dumped)");
  EXPECT_TRUE(has(judge(Killed{SIGRTMIN + 3, false}, {}).message, "signal"));
}

// Unknown is never success: a lost keeper and a restarted host are abandoned, each by its name.
TEST(Outcome, UnknownIsAbandoned) {
  for (const Reason reason : {Reason::keeper_lost, Reason::host_restarted}) {
    const Verdict v = judge(Unknown{reason}, {});
    EXPECT_EQ(v.happening, Happening::abandoned);
    EXPECT_EQ(v.reason, reason);
    EXPECT_EQ(v.origin, Origin::host);
    EXPECT_EQ(v.exit_code, std::nullopt);
    EXPECT_TRUE(has(v.message, "unknown"));
  }
}

// R3: a kill by the kernel at a memory limit is reported as that, with the limit; a cancel that was
// recorded before it wins.
TEST(Outcome, NamesTheMemoryLimit) {
  const Verdict v = judge(Killed{SIGKILL, false},
                          {.cause = StopCause::out_of_memory, .memory_bytes = 512ULL << 20});
  EXPECT_EQ(v.happening, Happening::failed);
  EXPECT_EQ(v.reason, Reason::out_of_memory);
  EXPECT_EQ(v.origin, Origin::runtime);
  EXPECT_EQ(v.signal, SIGKILL);
  EXPECT_TRUE(has(v.message, "512M"));
  EXPECT_EQ(
      judge(Killed{SIGKILL, false}, {.cause = StopCause::out_of_memory, .cancel_came_first = true})
          .happening,
      Happening::canceled);
}

// H10: a run that was acknowledged, never started and may not be restarted has failed by restart.
TEST(Outcome, NeverStartedHasFailedByRestart) {
  const Verdict v = judge(NeverStarted{}, {});
  EXPECT_EQ(v.happening, Happening::failed);
  EXPECT_EQ(v.reason, Reason::host_restarted);
  EXPECT_EQ(judge(NeverStarted{}, {.cancel_came_first = true}).happening, Happening::canceled);
}

// Every message about an ending can be read once.
TEST(Outcome, MessagesArePlainWords) {
  std::vector<Verdict> all{judge(Exited{3}, {}), judge(Killed{SIGSEGV, true}, {}),
                           judge(NeverStarted{}, {}), judge(Unknown{Reason::keeper_lost}, {}),
                           judge(Unknown{Reason::host_restarted}, {})};
  for (const StopCause cause :
       {StopCause::timeout, StopCause::idle_timeout, StopCause::output_limit,
        StopCause::out_of_memory, StopCause::cancel}) {
    for (const bool forced : {false, true}) {
      all.push_back(judge(Exited{0}, {.cause = cause, .forced = forced, .memory_bytes = forced}));
    }
  }
  for (const char* program : {"a", "./a", "a b", "A=b"}) {
    for (const int error : {ENOENT, EISDIR, ENOEXEC, EACCES, E2BIG}) {
      all.push_back(launch(LaunchStep::exec, error, program));
    }
  }
  all.push_back(launch(LaunchStep::cwd, ENOENT, "/a"));
  all.push_back(launch(LaunchStep::spawn, ENOENT, ""));
  for (const Verdict& verdict : all) {
    EXPECT_NE(verdict.message, "");
    EXPECT_EQ(testing::violations(verdict.message), std::vector<std::string>());
  }
}

// H6: the message of a failed launch names the mistake and what to check.
TEST(Outcome, LaunchFailuresSayWhatToDo) {
  const Verdict missing = launch(LaunchStep::exec, ENOENT, "mkae");
  EXPECT_EQ(missing.happening, Happening::failed);
  EXPECT_EQ(missing.reason, Reason::launch_failed);
  EXPECT_EQ(missing.origin, Origin::launch);
  EXPECT_EQ(missing.exit_code, std::nullopt);
  EXPECT_EQ(missing.message, "mkae was not found; check the name, or PATH");

  EXPECT_TRUE(has(launch(LaunchStep::exec, EACCES, "./notes").message, "./notes"));
  EXPECT_TRUE(has(launch(LaunchStep::exec, EACCES, "./notes").message, "x bit"));
  EXPECT_TRUE(has(launch(LaunchStep::exec, EACCES, "/tmp").message, "directory"));
  EXPECT_TRUE(has(launch(LaunchStep::exec, EISDIR, "/tmp").message, "/tmp is a directory"));
  EXPECT_TRUE(has(launch(LaunchStep::exec, ENOEXEC, "a.txt").message, "a.txt is not a program"));
  EXPECT_TRUE(has(launch(LaunchStep::exec, E2BIG, "x").message, "Argument list too long"));
  EXPECT_EQ(launch(LaunchStep::cwd, ENOENT, "/gone").message,
            "cannot enter the directory /gone: No such file or directory");
  for (const LaunchStep step :
       {LaunchStep::folder, LaunchStep::claim, LaunchStep::spec, LaunchStep::pipes,
        LaunchStep::stdin_, LaunchStep::spawn, LaunchStep::session, LaunchStep::lock}) {
    const std::string text = launch(step, EMFILE, "").message;
    EXPECT_TRUE(has(text, name(step))) << text;
    EXPECT_TRUE(has(text, "Too many open files")) << text;
  }
}

// R3: no message is longer than 500 bytes, and each is valid text, whatever name it quotes.
RC_GTEST_PROP(Outcome, MessagesAreBounded, (std::string detail, int error)) {
  detail.append(*rc::gen::inRange<size_t>(0, 1000), '\xE4');
  for (const LaunchStep step : {LaunchStep::exec, LaunchStep::cwd, LaunchStep::spawn}) {
    const Verdict v = launch(step, error, detail);
    RC_ASSERT(v.message.size() <= 500U);
    RC_ASSERT(!v.message.empty());
    RC_ASSERT(is_utf8(v.message));
  }
}

// The keeper's reason for a stop wins over the exit code; each stop has its own reason.
TEST(Outcome, TheKeepersStopsHaveTheirReasons) {
  const Verdict idle = judge(Killed{SIGTERM, false}, {.cause = StopCause::idle_timeout});
  EXPECT_EQ(idle.happening, Happening::timed_out);
  EXPECT_EQ(idle.reason, Reason::idle_timeout);
  EXPECT_EQ(idle.origin, Origin::runtime);
  const Verdict output = judge(Killed{SIGTERM, false}, {.cause = StopCause::output_limit});
  EXPECT_EQ(output.happening, Happening::failed);
  EXPECT_EQ(output.reason, Reason::output_limit);
  // How the process exited stays recorded, whatever the reason.
  EXPECT_EQ(idle.signal, SIGTERM);
  EXPECT_EQ(judge(Exited{0}, {.cause = StopCause::cancel}).exit_code, 0);
}

}  // namespace
}  // namespace drover::run
