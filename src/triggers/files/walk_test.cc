// A walk lists exactly the wanted files, whatever stands in the tree.
#include "triggers/files/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "triggers/files/tree_fixture.h"

namespace drover::triggers {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Paths = std::set<std::string>;

class WalkTest : public ::testing::Test {
 protected:
  Result<Walked> inspect(std::vector<std::string> paths = {""}, WatchTable* watches = nullptr) {
    const FileFilter filter(spec_);
    return walk({.filter = filter,
                 .known = known_,
                 .paths = std::move(paths),
                 .watches = watches,
                 .tree = 1,
                 .walk = ++walk_},
                work::Turn({}, 20s));
  }
  Paths files(std::vector<std::string> paths = {""}) {
    Paths out;
    const auto walked = inspect(std::move(paths));
    EXPECT_TRUE(walked) << (walked ? "" : walked.error().message);
    if (walked) {
      for (const ListedFile& file : walked->files) out.insert(file.path);
    }
    return out;
  }
  TestTree tree_;
  FileSpec spec_{.root = tree_.root()};
  Snapshot known_;
  std::uint64_t walk_ = 0;
};

// Files below the root are listed with their facts; the globs choose.
TEST_F(WalkTest, ListsMatchingFiles) {
  tree_.write("a.h");
  tree_.write("src/b.cc");
  tree_.write("src/deep/c.cc");
  EXPECT_EQ(files(), (Paths{"a.h", "src/b.cc", "src/deep/c.cc"}));
  spec_.globs = {"src/**/*.cc"};
  EXPECT_EQ(files(), (Paths{"src/b.cc", "src/deep/c.cc"}));
  struct stat status{};
  ::stat(tree_.at("src/b.cc").c_str(), &status);
  const auto walked = inspect({"src/b.cc"});
  ASSERT_EQ(walked->files.size(), 1U);
  EXPECT_EQ(walked->files[0].entry.inode, status.st_ino);
  EXPECT_EQ(walked->files[0].entry.size, 2U);
}

// An inspection at some paths lists what is at them and below them.
TEST_F(WalkTest, ListsOnlyWhereItIsAsked) {
  tree_.write("a/b/c");
  tree_.write("a/b/d");
  tree_.write("a/e");
  EXPECT_EQ(files({"a/b"}), (Paths{"a/b/c", "a/b/d"}));
  EXPECT_EQ(files({"a/b/c", "a/e", "a/missing", "x/y"}), (Paths{"a/b/c", "a/e"}));
}

// Symbolic links are listed and not followed: not out of the root, and not in circles.
TEST_F(WalkTest, FollowsNoLinks) {
  fs::create_directory(tree_.above("outside"));
  std::ofstream(tree_.above("outside/secret")) << "x";
  fs::create_symlink(tree_.above("outside"), tree_.at("link"));
  fs::create_symlink("..", tree_.at("circle"));
  EXPECT_EQ(files(), (Paths{"circle", "link"}));
  EXPECT_EQ(files({"link/secret"}), Paths{});
}

// Sockets and pipes have no content to watch, and do not block the walk.
TEST_F(WalkTest, LeavesOutSpecialFiles) {
  ASSERT_EQ(::mkfifo(tree_.at("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(tree_.at(".gitignore").c_str(), 0600), 0);
  EXPECT_EQ(files(), Paths{});
}

// Ignore rules count before a directory is entered: it is not watched.
TEST_F(WalkTest, IgnoresBeforeItEnters) {
  tree_.write("node_modules/a/b/c");
  tree_.write(".git/objects/a");
  tree_.write("src/x");
  tree_.write("src/x.log");
  tree_.write_text(".gitignore", "node_modules/\n");
  tree_.write_text("src/.gitignore", "*.log\n");
  WatchTable watches;
  ASSERT_TRUE(inspect({""}, &watches));
  size_t anchors = 0;
  for (const auto& part : fs::path(tree_.root()).parent_path()) anchors += !part.empty();
  EXPECT_EQ(watches.watches(), 2 + anchors);  // The root, src, and the directories above.
  EXPECT_EQ(files(), (Paths{".gitignore", "src/.gitignore", "src/x"}));
  spec_.gitignore = false;
  EXPECT_TRUE(files().contains("node_modules/a/b/c"));
  EXPECT_FALSE(files().contains(".git/objects/a"));
}

// The .gitignore files between the top of the repository and the root count.
TEST_F(WalkTest, ReadsIgnoreFilesAboveTheRoot) {
  std::ofstream(tree_.above(".gitignore")) << "*.o\nroot/x\n";
  tree_.write("a.o");
  tree_.write("x");
  EXPECT_EQ(files(), (Paths{"a.o", "x"}));  // Not in a repository.
  fs::create_directory(tree_.above(".git"));
  EXPECT_EQ(files(), Paths{});
}

// A known file that is ignored now is not deleted.
TEST_F(WalkTest, SaysWhatIsIgnoredNow) {
  tree_.write("a.o");
  tree_.write("out/b");
  tree_.write("other.o");
  known_ = Snapshot({{"a.o", {}}, {"out/b", {}}});
  spec_.ignore = {"*.o", "out/"};
  auto ignored = inspect()->ignored;
  std::ranges::sort(ignored);
  EXPECT_EQ(ignored, (std::vector<std::string>{"a.o", "out"}));
}

// A missing root is a state and not an error. A known mount point without its mount is one too.
TEST_F(WalkTest, TellsTheStateOfTheRoot) {
  EXPECT_EQ(inspect()->root, RootState::present);
  known_ = known_.with_mount_point(true);
  EXPECT_EQ(inspect()->root, RootState::unmounted);
  known_ = known_.with_mount_point(false);
  fs::remove(tree_.root());
  EXPECT_EQ(inspect()->root, RootState::missing);
  std::ofstream(tree_.root()) << "a file";
  EXPECT_EQ(inspect()->root, RootState::missing);
}

// A directory that cannot be read is unseen: its files are not deleted.
TEST_F(WalkTest, SaysWhatItCannotSee) {
  std::string deep;
  for (size_t i = 0; i <= kDepthMax; ++i) deep += "d/";
  tree_.write(deep + "x");
  const auto walked = inspect();
  EXPECT_EQ(walked->files.size(), 0U);
  EXPECT_EQ(walked->unseen, std::vector<std::string>{deep.substr(0, deep.size() - 1)});
  EXPECT_NE(walked->warning, "");
}

// Beyond the kernel's watches (or ours) the tree has to be polled, and the walk is complete.
TEST_F(WalkTest, RunsOutOfWatches) {
  for (int i = 0; i < 20; ++i) tree_.write("d" + std::to_string(i) + "/x");
  WatchTable watches(10);
  const auto walked = inspect({""}, &watches);
  EXPECT_NE(walked->needs_polling, "");
  EXPECT_EQ(walked->files.size(), 20U);
  EXPECT_EQ(watches.watches(), 10U);
  watches.remove(1);
  EXPECT_EQ(watches.watches(), 0U);
}

// Watches of directories that a later walk does not find are removed.
TEST_F(WalkTest, ForgetsOldWatches) {
  tree_.write("a/x");
  tree_.write("b/c/x");
  WatchTable watches;
  ASSERT_TRUE(inspect({""}, &watches));
  const size_t all = watches.watches();
  watches.remove_below(1, "b");
  EXPECT_EQ(watches.watches(), all - 2);
  spec_.globs = {"a/*"};
  ASSERT_TRUE(inspect({""}, &watches));
  EXPECT_EQ(watches.watches(), all - 2);
  spec_.globs = {"*"};
  ASSERT_TRUE(inspect({""}, &watches));
  EXPECT_EQ(watches.watches(), all - 3);
}

// A walk stops when its caller does.
TEST_F(WalkTest, StopsWithItsCaller) {
  for (int i = 0; i < 600; ++i) tree_.write(std::to_string(i));
  std::stop_source stop;
  stop.request_stop();
  const FileFilter filter(spec_);
  const auto walked =
      walk({.filter = filter, .known = known_, .paths = {""}}, work::Turn(stop.get_token(), 20s));
  EXPECT_EQ(walked.error().reason, "canceled");
}

}  // namespace
}  // namespace drover::triggers
