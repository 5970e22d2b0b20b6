#include "dispatch/files/run_note.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "run/record_json.h"

namespace drover::dispatch {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");
const RunId kOther = *RunId::parse("run_01hf7yat00000000000000000y");

run::Record record() {
  run::Record r;
  r.id = kId;
  r.trace_id = kId.trace_id();
  r.kind = run::kCommand;
  r.scope = "default";
  r.lane = "default";
  r.command = {"make", "test"};
  r.cwd = "/src";
  r.queued_at = 1'700'000'000'123;
  r.grace_ms = 2'000;
  return r;
}

process::Command command() {
  return {.argv = {"make", "test"}, .environment = {}, .cwd = "/src", .grace_ms = 2'000};
}

std::string text_of(const run::Record& r) {
  return boost::json::serialize(run::describe(r, run::only_commands())) + " " +
         std::to_string(r.grace_ms) + " " + std::to_string(static_cast<int>(r.on_restart)) + " " +
         r.chain + " " + r.phase;
}

run::Record read_back(const run::Record& r, process::Command file) {
  file.note = note_of(r, file);
  const auto noted = noted_run(kId, file);
  EXPECT_TRUE(noted) << file.note;
  return noted ? noted->record : run::Record{};
}

// A plain run costs a few bytes, and is read back whole.
TEST(RunNote, OfAPlainRunIsShort) {
  EXPECT_EQ(note_of(record(), command()), R"({"scope":"default","queued_at":1700000000123})");
  EXPECT_EQ(text_of(read_back(record(), command())), text_of(record()));
}

// Every field that a submission sets comes back, whatever characters it has.
TEST(RunNote, KeepsEveryField) {
  run::Record r = record();
  r.trace_id = "0123456789abcdef0123456789abcdef";
  r.kind = "step";
  r.scope = "world/chat";
  r.name = "a \"name\"\n\u00e4";
  r.lane = "gpu";
  r.labels = {{"a", "b"}, {"c", ""}};
  r.parent_run_id = kOther.str();
  r.on_restart = run::OnRestart::fail;
  r.attempt = 2;
  r.priority = -3;
  r.not_before = 1'700'000'001'000;
  r.after = {kOther};
  r.retry.max = 3;
  r.retry.backoff_ms = 500;
  r.chain = kOther.str();
  r.phase = R"({"part":"first"})";
  EXPECT_EQ(text_of(read_back(r, command())), text_of(r));
}

// R15: the redacted command is kept, not the one of the file.
TEST(RunNote, ShowsNoSecret) {
  run::Record r = record();
  r.command = {"curl", "[redacted]"};
  process::Command file = command();
  file.argv = {"curl", "hunter2"};
  EXPECT_EQ(read_back(r, file).command, r.command);
}

// The parts of a submission that are not in the record come back, too.
TEST(RunNote, KeepsTheIdempotencyKey) {
  process::Command file = command();
  file.note = note_of(record(), file, {.key = "key", .digest = "digest", .exact_reader = "tok_1"});
  const auto noted = noted_run(kId, file);
  ASSERT_TRUE(noted);
  EXPECT_EQ(noted->submission.key, "key");
  EXPECT_EQ(noted->submission.digest, "digest");
  EXPECT_EQ(noted->submission.exact_reader, "tok_1");
}

// A file of an earlier release: what it does not say is empty, and only the owner sees the run.
TEST(RunNote, IsMissingInOlderFiles) {
  process::Command file = command();
  file.environment = {"DROVER_TRACE_ID=00112233445566778899aabbccddeeff"};
  const auto noted = noted_run(kId, file);
  ASSERT_TRUE(noted);
  EXPECT_EQ(noted->record.scope, "");
  EXPECT_EQ(noted->record.trace_id, "00112233445566778899aabbccddeeff");
  EXPECT_EQ(noted->record.queued_at, kId.time());
  EXPECT_EQ(noted->record.on_restart, run::OnRestart::fail);
  file.environment.clear();
  EXPECT_EQ(noted_run(kId, file)->record.trace_id, "");
}

// A damaged note is refused: a guess at the scope could show a run to a stranger.
TEST(RunNote, IsRefusedIfItIsDamaged) {
  process::Command file = command();
  for (const char* bad : {"x", "{}", "[]", R"({"scope":1})", R"({"scope":"a","labels":3})",
                          R"({"scope":"a","plan":"x"})"}) {
    file.note = bad;
    EXPECT_FALSE(noted_run(kId, file)) << bad;
  }
}

}  // namespace
}  // namespace drover::dispatch
