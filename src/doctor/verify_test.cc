// The crash tests rely on the verifier, so these tests check it: each takes a healthy home, plants
// one fault, and expects exactly the promise that the fault breaks.
#include "doctor/verify.h"

#include <fmt/format.h>

#include "doctor/verify_fixture.h"
#include "run/event.h"
#include "testing/plain_words.h"

namespace drover::doctor {
namespace {

class SpineChecks : public VerifiedHome {
 public:
  void SetUp() override { ASSERT_TRUE(report().clean()) << as_text(report()); }
};

// A healthy home has no problems, and every promise had something to check.
TEST_F(SpineChecks, FindNothingInAHealthyHome) {
  for (const Check& check : report().checks) {
    if (check.promise == "no process of a finished run is alive") continue;
    EXPECT_GT(check.looked_at, 0) << check.promise;
  }
  EXPECT_TRUE(as_text(report()).ends_with("\nclean\n"));
  EXPECT_TRUE(as_json(report()).starts_with(R"({"clean":true,)"));
}

// Every promise can be read once.
TEST_F(SpineChecks, PromisesArePlainWords) {
  for (const Check& check : report().checks) {
    EXPECT_EQ(testing::violations(check.promise), std::vector<std::string>());
  }
}

// No database is not a clean one.
TEST_F(SpineChecks, RefuseAHomeWithoutADatabase) {
  const Home elsewhere{directory.file("c"), directory.file("s"), directory.file("r")};
  const auto nothing = verify(elsewhere, {});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().reason, "no_database");
}

// Finds an index that disagrees with its table, although every row is readable.
TEST_F(SpineChecks, FindADamagedFile) {
  plant(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
      "'CREATE INDEX runs_scope ON runs (name)' WHERE name = 'runs_scope';");
  const Report told = report();
  EXPECT_EQ(broken(told), std::vector<std::string>{"the database file is sound"}) << as_text(told);
  EXPECT_NE(as_text(told).find("runs_scope"), std::string::npos) << as_text(told);
}

// H4: finds an id whose record vanished while the run was active.
TEST_F(SpineChecks, FindALostRecord) {
  remove_file(running);
  plant(fmt::format("DELETE FROM runs WHERE id = '{}'", running.view()));
  EXPECT_TRUE(breaks("every acknowledged id resolves", running.str()));
}

// R12: finds an event that is missing in its scope's log.
TEST_F(SpineChecks, FindAnEventMissingFromItsScope) {
  plant(
      fmt::format("DELETE FROM spine_scopes WHERE seq = (SELECT max(seq) FROM spine WHERE "
                  "subject = '{}')",
                  below.view()));
  EXPECT_TRUE(breaks("an event is found by the scopes above its own", below.str()));
}

// R8: finds a finished run whose record vanished without a deletion in the log.
TEST_F(SpineChecks, FindARecordThatVanished) {
  remove_file(ended);
  plant(fmt::format("DELETE FROM runs WHERE id = '{}'", ended.view()));
  EXPECT_TRUE(breaks("a record disappears only by deletion", ended.str()));
}

// Finds a missing event, although the last one exists.
TEST_F(SpineChecks, FindALostEvent) {
  plant(fmt::format("DELETE FROM spine WHERE subject = '{}' AND run_seq = 2", ended.view()));
  EXPECT_TRUE(breaks("every record has its history", ended.str()));
}

// R12: older progress is removed from the log; an event that is missing elsewhere is still found.
TEST_F(SpineChecks, AllowTheHolesOfOldProgress) {
  for (int i = 0; i < 20; ++i) {
    record(run::Fact(run::Progressed{running, run::SaidProgress{.percent = i}}));
  }
  EXPECT_EQ(broken(report()), std::vector<std::string>{});
  plant(fmt::format("DELETE FROM spine WHERE subject = '{}' AND run_seq = 20", running.view()));
  EXPECT_TRUE(breaks("every record has its history", running.str()));
}

// Finds a missing start, although the progress events after it have holes of their own.
TEST_F(SpineChecks, FindAStartLostBeforeProgress) {
  for (int i = 0; i < 20; ++i) {
    record(run::Fact(run::Progressed{running, run::SaidProgress{.percent = i}}));
  }
  plant(fmt::format("DELETE FROM spine WHERE subject = '{}' AND run_seq = 2", running.view()));
  EXPECT_TRUE(breaks("every record has its history", running.str()));
}

// Finds a gap in the numbers, although the count of events is right.
TEST_F(SpineChecks, FindAGapInTheHistory) {
  plant(
      fmt::format("UPDATE spine SET run_seq = 9 WHERE subject = '{}' AND terminal", ended.view()));
  EXPECT_TRUE(breaks("every record has its history", ended.str()));
}

// R2: finds a finished run without a final event.
TEST_F(SpineChecks, FindAFinishedRunWithoutAFinalEvent) {
  plant(fmt::format("UPDATE spine SET terminal = 0 WHERE subject = '{}'", ended.view()));
  EXPECT_TRUE(breaks("a finished run has exactly one final event", ended.str()));
}

// R2: finds two final events, which breaks two promises: the second one also follows the first.
TEST_F(SpineChecks, FindTwoFinalEvents) {
  plant(
      fmt::format("DROP INDEX spine_terminal; UPDATE spine SET terminal = 1 WHERE subject = '{}' "
                  "AND run_seq = 3",
                  ended.view()));
  EXPECT_EQ(broken(report()),
            (std::vector<std::string>{"a finished run has exactly one final event",
                                      "a final event is the last"}));
}

// R2: finds a final event of a run whose record says that it is running.
TEST_F(SpineChecks, FindAnActiveRunWithAFinalEvent) {
  plant(fmt::format("UPDATE spine SET terminal = 1 WHERE subject = '{}' AND run_seq = 3",
                    running.view()));
  EXPECT_TRUE(breaks("an active run has no final event", running.str()));
}

// R2: finds any event but a deletion after the final event.
TEST_F(SpineChecks, FindAnEventAfterTheFinalOne) {
  plant(fmt::format(
      "INSERT INTO spine SELECT seq + 1000, subject, run_seq + 1, 'run.cancel_requested', time, "
      "trace_id, scope, 0, data FROM spine WHERE subject = '{0}' AND terminal;"
      "UPDATE runs SET events = events + 1 WHERE id = '{0}'",
      ended.view()));
  EXPECT_TRUE(breaks("a final event is the last", ended.str()));
}

// Finds a finished run whose state is not the one its final event names.
TEST_F(SpineChecks, FindARecordThatDisagreesWithItsFinalEvent) {
  for (const run::State said : run::kStates) {
    if (run::is_active(said)) continue;
    for (const run::State kept : run::kStates) {
      if (run::is_active(kept)) continue;
      plant(
          fmt::format("UPDATE spine SET type = '{1}' WHERE subject = '{0}' AND terminal;"
                      "UPDATE runs SET state = {2} WHERE id = '{0}'",
                      ended.view(), run::name(run::final_type(said)), static_cast<int>(kept)));
      if (said == kept) {
        EXPECT_TRUE(report().clean()) << as_text(report());
      } else {
        EXPECT_TRUE(breaks("a record agrees with its last event", ended.str()));
      }
    }
  }
}

// Finds an active run whose state is not the one its last event names.
TEST_F(SpineChecks, FindARecordThatDisagreesWithItsLastEvent) {
  const auto types =
      std::array{run::EventType::queued, run::EventType::starting, run::EventType::started};
  for (int said = 0; said < 3; ++said) {
    for (int kept = 0; kept < 3; ++kept) {
      plant(
          fmt::format("UPDATE spine SET type = '{1}' WHERE subject = '{0}' AND run_seq = 3;"
                      "UPDATE runs SET state = {2} WHERE id = '{0}'",
                      running.view(), run::name(types[static_cast<size_t>(said)]), kept));
      if (said == kept) {
        EXPECT_TRUE(report().clean()) << as_text(report());
      } else {
        EXPECT_TRUE(breaks("a record agrees with its last event", running.str()));
      }
    }
  }
}

// Finds events of a run that are in the log in another order than their numbers.
TEST_F(SpineChecks, FindASequenceThatDecreases) {
  plant(
      fmt::format("CREATE TEMP TABLE was AS SELECT run_seq, seq FROM spine WHERE subject = '{0}';"
                  "UPDATE spine SET seq = -run_seq WHERE subject = '{0}' AND run_seq IN (1, 2);"
                  "UPDATE spine SET seq = (SELECT seq FROM was WHERE run_seq = 1) WHERE seq = -2;"
                  "UPDATE spine SET seq = (SELECT seq FROM was WHERE run_seq = 2) WHERE seq = -1;",
                  ended.view()));
  EXPECT_TRUE(breaks("sequence numbers only increase", ended.str()));
}

// R5: finds an idempotency key whose run never existed. The key of a deleted run is fine.
TEST_F(SpineChecks, FindAKeyWithoutARun) {
  const RunId nobody = ids.next();
  plant(fmt::format("UPDATE idempotency SET run_id = '{}' WHERE run_id = '{}'", nobody.view(),
                    running.view()));
  EXPECT_TRUE(breaks("an idempotency key leads to its run", nobody.str()));
}

// A report lists a limited number of problems and counts the rest.
TEST_F(SpineChecks, CountTheProblemsTheyDoNotList) {
  for (size_t i = 0; i < kProblemsMax + 5; ++i) {
    plant(fmt::format("INSERT INTO idempotency VALUES ('default', 'k{}', '{}', '')", i,
                      ids.next().view()));
  }
  const std::string text = as_text(report());
  EXPECT_NE(text.find("and 5 more\nok"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("not clean\n")) << text;
}

// A room's checks run if the database has the room's tables.
TEST_F(SpineChecks, RunTheChecksOfRooms) {
  constexpr auto kVisitChecks =
      std::to_array<SqlCheck>({{"a visit has a place", "SELECT count(*) FROM visits",
                                "SELECT id || ' has no place' FROM visits WHERE place = ''"}});
  const auto sets = std::to_array<SqlCheckSet>(
      {{.known = "SELECT count(*) FROM pragma_table_info('visits')", .checks = kVisitChecks},
       {.known = "SELECT count(*) FROM pragma_table_info('nothing')", .checks = kVisitChecks}});
  plant("INSERT INTO visits (id, place, at) VALUES ('1', 'alps', 0), ('2', '', 0)");
  const auto told = verify(home, sets);
  ASSERT_TRUE(told);
  EXPECT_EQ(broken(*told), std::vector<std::string>{"a visit has a place"}) << as_text(*told);
  EXPECT_EQ(told->checks.size(), report().checks.size() + 1);
}

// A database of schema 6 is checked in the same way under its older names, and a fault in it is
// found.
TEST_F(SpineChecks, SupportAnOlderSchema) {
  const size_t now = report().checks.size();
  plant(
      "DROP TABLE room_schemas; ALTER TABLE runs RENAME COLUMN phase TO session;"
      "ALTER TABLE spine RENAME COLUMN subject TO run_id; PRAGMA user_version = 6;");
  EXPECT_TRUE(report().clean()) << as_text(report());
  EXPECT_EQ(report().checks.size(), now);
  plant(fmt::format("UPDATE spine SET terminal = 0 WHERE run_id = '{}'", ended.view()));
  EXPECT_FALSE(report().clean());
}

}  // namespace
}  // namespace drover::doctor
