// A TreeWatch when things go wrong: lost events, roots that come and go, no watches, failed
// inspections.
#include <gtest/gtest.h>

#include "triggers/files/tree_watch.h"
#include "triggers/files/tree_watch_fixture.h"

namespace drover::triggers {
namespace {

// Lost events: the tree is compared, and one coalesced event tells of it.
TEST_F(TreeWatchTest, CoalescesAfterLostEvents) {
  open();
  run();
  tree_.write("d/a");
  tree_.write("b");
  watch_->on_lost_events(now_);
  settle();
  EXPECT_EQ(reported(), "created b, created d/a (2 in all)");
  tree_.write("d/c");  // The directory is watched now.
  settle();
  EXPECT_EQ(reported(), "created d/c");
}

// A root that does not exist yet: its files are created once it appears, however deep it is.
TEST_F(TreeWatchTest, WaitsForItsRoot) {
  spec_.root = tree_.at("not/yet");
  open();
  run();
  EXPECT_NE(watch_->warning().find("does not exist"), std::string::npos);
  std::filesystem::create_directory(tree_.at("not"));
  settle();
  tree_.write("not/yet/a");
  settle();
  settle();
  EXPECT_EQ(reported(), "created a");
  EXPECT_EQ(watch_->warning(), "");
}

// A root that is deleted: its files are deleted. When it is back it is watched again.
TEST_F(TreeWatchTest, SurvivesItsRoot) {
  tree_.write("a");
  tree_.write("d/b");
  open();
  run();
  std::filesystem::remove_all(tree_.root());
  settle();
  settle();
  EXPECT_EQ(reported(), "deleted a, deleted d/b");
  tree_.write("a");
  settle();
  settle();
  EXPECT_EQ(reported(), "created a");
  tree_.write("b");
  settle();
  EXPECT_EQ(reported(), "created b");
}

// A disk that goes away deletes nothing; when it is back, only real changes are reported.
TEST_F(TreeWatchTest, ADiskThatGoesAwayDeletesNothing) {
  tree_.write("a");
  tree_.write("b");
  open();
  run();
  // The kernel's view of an unmount: the event, and then an empty or missing directory.
  std::filesystem::rename(tree_.root(), tree_.above("aside"));
  reader_.read(table_->fd(), [](const FileEvent&) {});  // Not an unmount's events.
  watch_->on_event({.tree = 1, .path = ""}, {.mask = IN_UNMOUNT}, now_);
  settle();
  settle();
  EXPECT_EQ(reported(), "");
  EXPECT_NE(watch_->warning(), "");
  std::filesystem::remove(tree_.above("aside/b"));
  std::filesystem::rename(tree_.above("aside"), tree_.root());
  watch_->on_root(root_id_of(tree_.root()));
  settle();
  settle();
  EXPECT_EQ(reported(), "deleted b");
}

// Without watches the tree is polled: changes are found by inspections, and a file only once two
// inspections agree.
TEST_F(TreeWatchTest, PollsWithoutWatches) {
  tree_.write("d/x");
  open(1);
  run();
  EXPECT_TRUE(watch_->is_polling());
  EXPECT_NE(watch_->warning().find("max_user_watches"), std::string::npos);
  EXPECT_EQ(table_->watches(), 0U);
  tree_.write("slow");
  for (int i = 0; i < 5; ++i) {
    now_ = std::max(now_ + 1, watch_->wake().value_or(0));
    run();
    EXPECT_EQ(reported(), "");
    tree_.write("slow");
  }
  for (int i = 0; i < 3; ++i) {
    now_ = std::max(now_ + 1, watch_->wake().value_or(0));
    run();
  }
  EXPECT_EQ(reported(), "created slow");
}

// A polled tree is watched once there are watches enough.
TEST_F(TreeWatchTest, RetriesToWatch) {
  for (int i = 0; i < 60; ++i) tree_.write("d" + std::to_string(i) + "/x");
  open(40);
  run();
  EXPECT_TRUE(watch_->is_polling());
  for (int i = 0; i < 50; ++i) tree_.remove("d" + std::to_string(i));
  now_ += kWatchRetryMs - 1;
  run();
  EXPECT_TRUE(watch_->is_polling());
  now_ += kPollMs + 1;
  run();
  EXPECT_FALSE(watch_->is_polling());
  EXPECT_EQ(watch_->warning(), "");
  settle();
  reported();
  tree_.write("d55/y");
  settle();
  EXPECT_EQ(reported(), "created d55/y");
}

// An ignored directory is not watched; a changed .gitignore counts at once, and deletes nothing.
TEST_F(TreeWatchTest, FollowsGitignore) {
  tree_.write_text(".gitignore", "out/\n");
  tree_.write("out/a");
  tree_.write("b.o");
  open();
  run();
  tree_.write("out/c");
  settle();
  EXPECT_EQ(reported(), "");
  tree_.write_text(".gitignore", "*.o\n");
  settle();
  settle();
  EXPECT_EQ(reported(), "changed .gitignore, created out/a, created out/c");
  tree_.write("out/d");
  tree_.write("b.o");
  settle();
  EXPECT_EQ(reported(), "created out/d");
}

// An inspection that fails is repeated later, and its changes are not lost.
TEST_F(TreeWatchTest, RepeatsAFailedInspection) {
  open();
  run();
  tree_.write("a");
  read_events();
  now_ += 500;
  ASSERT_TRUE(watch_->next(now_));
  EXPECT_EQ(watch_->finish(fail(ErrorCode::exhausted, "too_many_files", "too many"), now_, 1),
            std::nullopt);
  EXPECT_EQ(watch_->warning(), "too many");
  EXPECT_FALSE(watch_->next(now_ + kWalkRetryMs - 1));
  now_ += kWalkRetryMs;
  run();
  EXPECT_EQ(reported(), "created a (1 in all)");
  EXPECT_EQ(watch_->warning(), "");
}

}  // namespace
}  // namespace drover::triggers
