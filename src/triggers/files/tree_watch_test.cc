// A TreeWatch asks for the right inspections at the right time, and reports each change once.
#include <gtest/gtest.h>

#include "triggers/files/tree_watch.h"
#include "triggers/files/tree_watch_fixture.h"

namespace drover::triggers {
namespace {

// The first inspection stores what is there and reports nothing.
TEST_F(TreeWatchTest, BeginsWithABaseline) {
  tree_.write("a");
  open();
  run();
  ASSERT_EQ(batches_.size(), 1U);
  EXPECT_EQ(batches_[0].count, 0U);
  EXPECT_EQ(decoded().size(), 1U);
  settle();
  EXPECT_EQ(reported(), "");
  EXPECT_EQ(watch_->wake(), std::nullopt);
  EXPECT_EQ(watch_->warning(), "");
}

// Each kind of change is reported once.
TEST_F(TreeWatchTest, ReportsEachKind) {
  tree_.write("changes");
  tree_.write("goes");
  tree_.write("moves");
  open();
  run();
  tree_.write("new/deep/file");
  tree_.write("changes");
  tree_.remove("goes");
  tree_.move("moves", "moved");
  settle();
  EXPECT_EQ(reported(), "changed changes, deleted goes, moved moves moved, created new/deep/file");
  settle();
  EXPECT_EQ(reported(), "");
}

// A file that is written slowly is reported once; a temporary file not at all.
TEST_F(TreeWatchTest, ReportsWholeFiles) {
  open();
  run();
  for (int i = 0; i < 10; ++i) {
    tree_.write("slow");
    tree_.write("temporary");
    read_events();
    now_ += 400;
    run();
  }
  tree_.remove("temporary");
  settle();
  EXPECT_EQ(reported(), "created slow");
}

// A file that is replaced by a rename, as editors do it, is changed.
TEST_F(TreeWatchTest, SeesAtomicReplacement) {
  tree_.write("file");
  open();
  run();
  tree_.write(".file.new");
  tree_.move(".file.new", "file");
  settle();
  EXPECT_EQ(reported(), "changed file");
}

// Only wanted kinds are reported; a move that is not wanted counts as deleted and created.
TEST_F(TreeWatchTest, ReportsWantedKinds) {
  spec_.kinds = {.created = true, .changed = false, .deleted = false, .moved = false};
  tree_.write("a");
  tree_.write("c");
  open();
  run();
  tree_.write("a");
  settle();
  EXPECT_EQ(reported(), "");
  tree_.move("c", "b");
  settle();
  EXPECT_EQ(decoded(), batches_.back().after);  // With the changes that nobody wanted.
  EXPECT_EQ(reported(), "created b");
}

// A moved directory moves its files, and is watched at its new place.
TEST_F(TreeWatchTest, FollowsMovedDirectories) {
  tree_.write("d/x");
  tree_.write("d/e/y");
  open();
  run();
  tree_.move("d", "f");
  settle();
  EXPECT_EQ(reported(), "moved d/e/y f/e/y, moved d/x f/x");
  tree_.write("f/e/z");
  settle();
  EXPECT_EQ(reported(), "created f/e/z");
  const size_t watches = table_->watches();
  std::filesystem::rename(tree_.at("f"), tree_.above("f"));
  settle();
  EXPECT_EQ(reported(), "deleted f/e/y, deleted f/e/z, deleted f/x");
  EXPECT_EQ(table_->watches(), watches - 2);
}

// The same snapshot and the same tree: after a restart, what changed meanwhile is reported once.
TEST_F(TreeWatchTest, FindsChangesMadeWhileDown) {
  tree_.write("a");
  tree_.write("b");
  open();
  run();
  tree_.write("a");
  settle();
  EXPECT_EQ(reported(), "changed a");
  stored_ = decoded();
  tree_.write("c");
  tree_.remove("b");
  open();
  run();
  settle();
  EXPECT_EQ(reported(), "deleted b, created c");
  stored_ = decoded();
  open();
  run();
  settle();
  EXPECT_EQ(reported(), "");
}

// A changed spec begins anew: files that only the new glob matches are not created.
TEST_F(TreeWatchTest, AChangedSpecReportsNothing) {
  tree_.write("a.h");
  spec_.globs = {"*.cc"};
  open();
  run();
  stored_ = decoded();
  spec_.globs = {"*.h"};
  open();
  run();
  settle();
  EXPECT_EQ(reported(), "");
}

// While a batch is not accepted there is no second one; changes gather, and nothing is lost.
TEST_F(TreeWatchTest, WaitsForAcceptance) {
  open();
  run();
  accepts_ = false;
  tree_.write("a");
  settle();
  tree_.write("b");
  settle();
  tree_.write("c");
  settle();
  EXPECT_EQ(reported(), "created a");
  watch_->accept();
  settle();
  EXPECT_EQ(reported(), "created b, created c");
}

}  // namespace
}  // namespace drover::triggers
