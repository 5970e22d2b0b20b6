#include "triggers/declared/sync_plan.h"

#include <gtest/gtest.h>

namespace drover::triggers {
namespace {

constexpr WallMs kNow = 1'790'000'000'000;

DeclaredFile file(const std::string& name, const std::string& toml) {
  const DeclaringFile place{.path = "/d/" + name};
  auto read = read_declarations(place, toml);
  return {
      .file = place, .triggers = std::move(read.triggers), .problems = std::move(read.problems)};
}

std::string every(const std::string& name, const std::string& more = "every = '1h'") {
  return "[[trigger]]\nname = '" + name + "'\nshell = 'a'\n" + more + "\n";
}

// The plan in words: "a.toml: +x ~y -z; b.toml: …", then the problems.
std::string words_of(const SyncPlan& plan) {
  std::string out;
  for (const FileSync& sync : plan.files) {
    out += (out.empty() ? "" : "; ") + sync.file.substr(3) + ":";
    for (const StoredTrigger& one : sync.added) out += " +" + one.name;
    for (const TriggerChange& one : sync.changed) out += " ~" + one.now.name;
    for (const StoredTrigger& one : sync.removed) out += " -" + one.name;
  }
  for (const Problem& one : plan.problems) out += " | " + one.text();
  return out;
}

// The triggers after the plan.
StoredByName applied(StoredByName stored, const SyncPlan& plan) {
  for (const FileSync& sync : plan.files) {
    for (const StoredTrigger& one : sync.removed) stored.erase(one.name);
    for (const TriggerChange& one : sync.changed) stored[one.now.name].trigger = one.now;
    for (const StoredTrigger& one : sync.added) stored[one.name].trigger = one;
    for (const auto& [name, variables] : sync.variables) stored[name].variables = variables;
  }
  return stored;
}

StoredByName stored_of(const std::vector<DeclaredFile>& files) {
  return applied({}, plan_sync(files, {}, kNow));
}

// A5: each difference between files and store is one change; a broken file changes nothing, and a
// name that belongs to something else is a problem. The same files again change nothing.
TEST(SyncPlan, DecidesByDifference) {
  const std::string broken = "[[trigger]]\nname = 'x'\n";
  const DeclaredFile gone{.file = {.path = "/d"},
                          .problems = {{.file = "/d", .message = "cannot be read"}}};
  StoredByName by_hand;
  by_hand["x"].trigger = {.name = "x", .source_type = "every", .spec = "{}"};
  const StoredByName xy = stored_of({file("a", every("x") + every("y"))});
  struct Case {
    const char* what;
    StoredByName stored;
    std::vector<DeclaredFile> files;
    std::string plan;
  };
  for (const Case& one : std::vector<Case>{
           {"added", {}, {file("a", every("x"))}, "a: +x"},
           {"unchanged", xy, {file("a", every("x") + every("y"))}, ""},
           {"unchanged in another order", xy, {file("a", every("y") + every("x"))}, ""},
           {"changed", xy, {file("a", every("x") + every("y", "every = '2h'"))}, "a: ~y"},
           {"variables",
            xy,
            {file("a", every("x") + every("y", "every='1h'\nenv={A='1'}"))},
            "a: ~y"},
           {"removed from its file", xy, {file("a", every("x"))}, "a: -y"},
           {"the file is removed", xy, {}, "a: -x -y"},
           {"the file is renamed", xy, {file("b", every("x") + every("y"))}, "b: ~x ~y"},
           {"moved, changed, added",
            xy,
            {file("a", every("y")), file("b", every("x", "every='2h'") + every("z"))},
            "b: +z ~x"},
           {"broken",
            xy,
            {file("a", broken)},
            " | /d/a:1:1: say when it fires: cron, every, at, files, webhook, feed, page or on | "
            "/d/a:1:1: the command is missing: command = [\"…\"] or shell = \"…\""},
           {"below a broken directory", xy, {gone}, " | /d: cannot be read"},
           {"taken from a broken file",
            xy,
            {file("a", broken), file("b", every("y"))},
            " | /d/a:1:1: say when it fires: cron, every, at, files, webhook, feed, page or on | "
            "/d/a:1:1: the command is missing: command = [\"…\"] or shell = \"…\" | /d/b:1:1: the "
            "trigger y belongs to /d/a, which cannot be read now; correct that file first"},
           {"two new files with one name",
            {},
            {file("a", every("x")), file("b", every("x") + every("z"))},
            "a: +x; b: +z | /d/b:1:1: the trigger x is declared in /d/a:1, too; choose another "
            "name"},
           {"the file that has it keeps it",
            xy,
            {file("0", every("x")), file("a", every("x") + every("y"))},
            " | /d/0:1:1: the trigger x is declared in /d/a:1, too; choose another name"},
           {"added by hand",
            by_hand,
            {file("a", every("x") + every("z"))},
            "a: +z | /d/a:1:1: the trigger x was added by hand; choose another name, or remove "
            "that one with `drover trigger rm x`"},
           {"by hand and not declared", by_hand, {}, ""},
           {"a time that has passed",
            {},
            {file("a", every("x", "at = '2001-01-01T00:00:00Z'") + every("z"))},
            "a: +z | /d/a:1:1: the trigger x has no time left; give a later time, or remove it "
            "from the file"},
       }) {
    const SyncPlan plan = plan_sync(one.files, one.stored, kNow + 1);
    EXPECT_EQ(words_of(plan), one.plan) << one.what;
    const SyncPlan again = plan_sync(one.files, applied(one.stored, plan), kNow + 2);
    EXPECT_TRUE(again.files.empty()) << one.what << ": " << words_of(again);
    EXPECT_EQ(again.problems, plan.problems) << one.what;
  }
}

// A change keeps everything that is not declared: the pause, the creation, the grid of `every`
// unless the source is new.
TEST(SyncPlan, AChangeKeepsThePauseAndTheGrid) {
  StoredByName stored = stored_of({file("a", every("x"))});
  stored["x"].trigger.paused_at = kNow + 5;
  const WallMs later = kNow + 90 * 60'000;
  const auto change = [&](const std::string& toml) {
    return plan_sync({file("a", toml)}, stored, later).files.at(0).changed.at(0);
  };
  const TriggerChange same = change(every("x", "every = '1h'\nlane = 'l'"));
  EXPECT_EQ(same.now.anchor, kNow);
  EXPECT_EQ(same.now.paused_at, kNow + 5);
  EXPECT_EQ(same.now.created_at, kNow);
  EXPECT_EQ(same.now.next_due, kNow + 2 * 3'600'000);
  ASSERT_EQ(same.occurrences.size(), 1U);  // The due time at which it was paused is accounted for.
  EXPECT_EQ(same.occurrences[0].reason, "edited");
  const TriggerChange other = change(every("x", "every = '2h'"));
  EXPECT_EQ(other.now.anchor, later);
  EXPECT_EQ(other.now.paused_at, kNow + 5);
  EXPECT_EQ(other.now.next_due, later + 2 * 3'600'000);
}

// A trigger that is only moved to another file keeps its position.
TEST(SyncPlan, AMoveKeepsThePosition) {
  const StoredByName stored = stored_of({file("a", every("x"))});
  const auto plan = plan_sync({file("b", every("x"))}, stored, kNow + 10 * 3'600'000);
  const TriggerChange& moved = plan.files.at(0).changed.at(0);
  EXPECT_EQ(moved.now.declared_in, "/d/b");
  EXPECT_EQ(moved.now.next_due, stored.at("x").trigger.next_due);
  EXPECT_TRUE(moved.occurrences.empty());
}

}  // namespace
}  // namespace drover::triggers
