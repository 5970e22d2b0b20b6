#include "dispatch/ending/endings.h"

#include <gtest/gtest.h>

#include <cstring>

namespace drover::dispatch {
namespace {

JournalText journal(const char* boot) {
  JournalText text;
  text.identity = IdentityRecord{.keeper = {.pid = 1}};
  std::strcpy(text.identity->boot_id, boot);
  text.started = StartedRecord{.command = {}, .wall_ms = 1'000, .mono_ns = 1};
  return text;
}

// A valid status found later wins, also after a reboot and without an ending.
TEST(Endings, AStatusCountsWithoutAnEnding) {
  JournalText text = journal("earlier boot");
  text.status = StatusRecord{.exited = 1, .exit_code = 3};
  const run::Ended ended = ended_from_journal(RunId(), text, "this boot", "make", "/");
  EXPECT_EQ(std::get<run::Exited>(ended.ending).code, 3);
  EXPECT_EQ(ended.started_at, 1'000);
}

// Unknown is never success: keeper_lost in this boot, host_restarted after another.
TEST(Endings, UnknownIsAbandoned) {
  const auto reason = [](const char* boot) {
    const run::Ended ended = ended_from_journal(RunId(), journal(boot), "this boot", "make", "/");
    return std::get<run::Unknown>(ended.ending).reason;
  };
  EXPECT_EQ(reason("this boot"), run::Reason::keeper_lost);
  EXPECT_EQ(reason("earlier boot"), run::Reason::host_restarted);
  EXPECT_EQ(
      std::get<run::Unknown>(ended_from_journal(RunId(), JournalText{}, "this boot", "", "").ending)
          .reason,
      run::Reason::keeper_lost);
}

// The receipt names the signaled and the surviving processes; the counts may be larger.
TEST(Endings, KeepsTheReceipt) {
  EndingRecord ending;
  ending.status.signal = 9;
  ending.signaled = 20;
  ending.survivors = 1;
  ending.killed_names[0].pid = 7;
  std::strcpy(ending.killed_names[0].name, "sleep");
  std::strcpy(ending.survivor_names[0].name, "stuck");
  const run::Ended ended = ended_from(RunId(), ending, "make", "/");
  ASSERT_TRUE(ended.receipt);
  EXPECT_EQ(ended.receipt->signaled, 20);
  EXPECT_EQ(ended.receipt->killed_names.size(), limits::kReceiptNamesMax);
  EXPECT_EQ(ended.receipt->killed_names.front(), "7 sleep");
  EXPECT_EQ(ended.receipt->survivor_names, std::vector<std::string>{"0 stuck"});
}

// A process of the same user can forge what a keeper left. Its times and counts stay numbers that
// can be compared and added: a time outside of 1970 to 9999 is unknown, and a count has a maximum.
TEST(Endings, CutsOffWhatNoKeeperMeans) {
  for (const std::int64_t time : {INT64_MIN, std::int64_t{-1}, INT64_MAX}) {
    EndingRecord ending;
    ending.ended_wall_ms = ending.term_wall_ms = ending.kill_wall_ms = time;
    ending.stdout_bytes = ending.stderr_bytes = ending.cpu_us = ending.peak_rss_bytes =
        ending.dropped_bytes = UINT64_MAX;
    JournalText text = journal("this boot");
    text.started->wall_ms = time;
    text.ending = ending;
    const run::Ended ended = ended_from_journal(RunId(), text, "this boot", "make", "/");
    EXPECT_EQ(ended.started_at, 0);
    EXPECT_EQ(ended.finished_at, 0);
    EXPECT_EQ(ended.receipt->term_at, 0);
    EXPECT_EQ(ended.receipt->kill_at, 0);
    for (const std::int64_t count : {ended.stdout_bytes, ended.stderr_bytes, ended.cpu_ms,
                                     ended.peak_rss_bytes, ended.receipt->dropped_bytes}) {
      EXPECT_GT(count, 0);
      EXPECT_LE(count, std::int64_t{1} << 48);
    }
  }
  EXPECT_EQ(sound_time(1'794'736'705'123), 1'794'736'705'123);
  EXPECT_EQ(sound_count(35), 35);
}

// A run that exited has started: without that, no table allows it to finish, and it would stay
// `starting`.
TEST(Endings, AnExitImpliesAStart) {
  JournalText text;
  text.status = StatusRecord{.exited = 1, .exit_code = 0, .wall_ms = 900};
  run::Ended ended = ended_from_journal(RunId(), text, "this boot", "make", "/");
  EXPECT_EQ(ended.started_at, 900);
  EXPECT_TRUE(std::holds_alternative<run::Exited>(ended.ending));
  text.status->wall_ms = -1;  // No keeper writes this: unknown is never success.
  ended = ended_from_journal(RunId(), text, "this boot", "make", "/");
  EXPECT_EQ(std::get<run::Unknown>(ended.ending).reason, run::Reason::keeper_lost);
}

// H6: the message of a failed launch names the directory for the step cwd, else the program.
TEST(Endings, NamesWhatCouldNotBeLaunched) {
  EndingRecord ending;
  ending.status.failed_step = LaunchStep::cwd;
  EXPECT_EQ(
      std::get<run::NotLaunched>(ended_from(RunId(), ending, "make", "/nowhere").ending).detail,
      "/nowhere");
  ending.status.failed_step = LaunchStep::exec;
  EXPECT_EQ(
      std::get<run::NotLaunched>(ended_from(RunId(), ending, "make", "/nowhere").ending).detail,
      "make");
}

}  // namespace
}  // namespace drover::dispatch
