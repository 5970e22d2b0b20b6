// Real trees, real inotify, a real pool: every change is reported once, and stored with its report.
#include "triggers/files/file_watches.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <random>
#include <set>

#include "triggers/files/snapshot_codec.h"
#include "triggers/files/tree_fixture.h"

namespace drover::triggers {
namespace {

using Sizes = std::map<std::string, std::uint64_t>;

// The stored half of a trigger: parts of the snapshot, and the files that its reports tell of.
struct Stored {
  std::map<size_t, std::string> parts;
  Sizes files;
  Snapshot snapshot() const {
    std::vector<std::string_view> records;
    for (const auto& [index, bytes] : parts) records.push_back(bytes);
    return decode_parts(records).value();
  }
};

class FileWatchesTest : public ::testing::Test {
 protected:
  void open(size_t watches_max = kWatchesMax) {
    watches_.reset();
    watches_.emplace(
        loop_.get_executor(), pool_, clock_,
        [this](const std::string& id, ChangeBatch batch) { on_batch(id, std::move(batch)); },
        watches_max);
  }
  void set(const std::string& id = "t") {
    const auto result = watches_->set(id, spec_, stored_.snapshot());
    ASSERT_TRUE(result) << result.error().message;
  }
  void on_batch(const std::string& id, ChangeBatch batch) {
    ++batches_;
    reported_ += batch.count;
    was_coalesced_ |= batch.coalesced;
    if (commits_) {
      commit(batch);
      watches_->accepted(id);
    }
    last_ = std::move(batch);
  }
  // As a store does it: all of it or nothing. Each change must fit the files reported before.
  void commit(const ChangeBatch& batch) {
    for (const SnapshotPart& part : batch.parts) stored_.parts[part.index] = part.bytes;
    if (batch.coalesced || batch.count == 0) {
      stored_.files.clear();
      for (const ListedFile* file : batch.after.at_or_below("")) {
        stored_.files[file->path] = file->entry.size;
      }
      return;
    }
    Sizes& files = stored_.files;
    EXPECT_EQ(batch.changes.size(), batch.count);
    for (const FileChange& change : batch.changes) {
      if (change.kind == ChangeKind::deleted)
        EXPECT_EQ(files.erase(change.path), 1U) << change.path;
      if (change.kind == ChangeKind::moved) EXPECT_EQ(files.erase(change.from), 1U) << change.from;
      if (change.kind == ChangeKind::created)
        EXPECT_FALSE(files.contains(change.path)) << change.path;
      if (change.kind == ChangeKind::changed)
        EXPECT_TRUE(files.contains(change.path)) << change.path;
      if (change.entry) files[change.path] = change.entry->size;
    }
  }
  template <class Until>
  void run_until(Until until) {
    while (!until()) loop_.run_one();
  }
  void run_until_batch() {
    run_until([this, before = batches_] { return batches_ > before; });
  }
  // Until the reports tell of the tree as it is.
  void run_until_known() {
    const Sizes now = tree_.files();
    run_until([&] { return stored_.files == now; });
  }

  TestTree tree_;
  FileSpec spec_{.root = tree_.root(), .settle_ms = 20};
  SystemClock clock_;
  asio::io_context loop_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{loop_.get_executor()};
  work::Pool pool_{loop_.get_executor(), {.threads = 2}};
  std::optional<FileWatches> watches_;
  Stored stored_;
  ChangeBatch last_;
  int batches_ = 0;
  std::uint64_t reported_ = 0;  // Changes of all batches.
  bool was_coalesced_ = false;
  bool commits_ = true;
};

// A file that is deleted before it has settled is nothing to report. An owner that reads the files
// itself may have read it, and learns that there was an inspection.
TEST_F(FileWatchesTest, AnInspectionWithoutAChangeIsReportedToo) {
  open();
  int unchanged = 0;
  watches_->on_unchanged([&](const std::string& id) { unchanged += id == "t" ? 1 : 0; });
  set();
  run_until_batch();
  EXPECT_EQ(unchanged, 0);
  tree_.write("brief");
  tree_.remove("brief");
  run_until([&] { return unchanged > 0; });
  EXPECT_EQ(reported_, 0U);
  EXPECT_EQ(batches_, 1);
}

// A new file is reported, with the snapshot to store.
TEST_F(FileWatchesTest, ReportsANewFile) {
  tree_.write("old");
  open();
  set();
  run_until_batch();
  EXPECT_EQ(last_.count, 0U);
  tree_.write("new");
  run_until_batch();
  ASSERT_EQ(last_.count, 1U);
  EXPECT_EQ(last_.changes[0].kind, ChangeKind::created);
  EXPECT_EQ(last_.changes[0].path, "new");
  EXPECT_EQ(last_.parts.size(), 1U);
  EXPECT_EQ(stored_.snapshot(), last_.after);
  EXPECT_EQ(watches_->status("t")->files, 2U);
}

// Two triggers watch the same tree with one watch a directory, and each gets its own changes.
TEST_F(FileWatchesTest, SharesWatches) {
  open();
  set("a");
  run_until_batch();
  const size_t watches = watches_->watches();
  stored_ = {};  // Of another trigger.
  set("b");
  run_until_batch();
  EXPECT_EQ(watches_->watches(), watches);
  watches_->remove("a");
  EXPECT_EQ(watches_->watches(), watches);
  commits_ = false;  // One of the two stores its batches here.
  tree_.write("x");
  run_until_batch();
  EXPECT_EQ(last_.changes.at(0).path, "x");
  watches_->remove("b");
  EXPECT_EQ(watches_->watches(), 0U);
  EXPECT_EQ(watches_->status("b"), std::nullopt);
}

// Twenty thousand files at once, more than the kernel's queue holds: one coalesced event with the
// count, and the loop takes other work in between.
TEST_F(FileWatchesTest, CoalescesAFlood) {
  std::filesystem::create_directory(tree_.at("d"));
  open();
  set();
  run_until_batch();
  for (int i = 0; i < 20'000; ++i) tree_.write_text("d/" + std::to_string(i), "x");
  int turns = 0;
  std::function<void()> other = [&] {
    ++turns;
    if (reported_ < 20'000) asio::post(loop_, other);
  };
  other();
  run_until_known();
  // A slow machine may report the flood in several batches.
  EXPECT_TRUE(was_coalesced_);
  EXPECT_EQ(reported_, 20'000U);
  EXPECT_LE(last_.changes.size(), kChangesMax);
  EXPECT_LT(batches_, 200);
  EXPECT_GT(turns, 10);
}

// Without watches left, status says so and how to get more.
TEST_F(FileWatchesTest, WarnsWhenItPolls) {
  tree_.write("a/b");
  open(1);
  set();
  run_until_batch();
  const auto status = watches_->status("t");
  EXPECT_TRUE(status->is_polling);
  EXPECT_NE(status->warning.find("fs.inotify.max_user_watches"), std::string::npos);
}

// A spec that is wrong is refused by field, and nothing is watched.
TEST_F(FileWatchesTest, RefusesAWrongSpec) {
  open();
  spec_.globs = {"../*"};
  EXPECT_EQ(watches_->set("t", spec_, {}).error().param, "globs[0]");
  EXPECT_EQ(watches_->status("t"), std::nullopt);
}

// Watches can be removed, replaced and destroyed while their inspections run.
TEST_F(FileWatchesTest, LeavesNothingBehind) {
  for (int i = 0; i < 200; ++i) tree_.write("d" + std::to_string(i) + "/x");
  open();
  for (int i = 0; i < 10; ++i) set();
  watches_->remove("t");
  set("u");
  run_until_batch();
  watches_->remove("u");
  run_until([this] { return pool_.running() == 0 && pool_.waiting() == 0; });
  loop_.poll();
  EXPECT_EQ(watches_->watches(), 0U);
  set("v");
  watches_.reset();
  loop_.poll();
}

// A crowd of random changes: files and directories are written, removed and moved, the root comes
// and goes, batches are refused, and the daemon dies before or after a commit. In the end the
// reports tell of the tree as it is, and no change was reported that does not fit those before.
TEST_F(FileWatchesTest, AccountsForEveryChange) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const auto path = [&] {
    std::string out;
    for (unsigned depth = below(3); depth > 0; --depth) out += "d" + std::to_string(below(3)) + "/";
    return out + "f" + std::to_string(below(4));
  };
  const auto change = [&] {
    const std::string directory = "d" + std::to_string(below(3));
    try {
      switch (below(12)) {
        case 0:
          return tree_.remove(path());
        case 1:
          return tree_.remove(directory);
        case 2:
          return tree_.move(path(), path());
        case 3:
          return tree_.move(directory, "d" + std::to_string(below(3)));
        case 4:
          if (below(2) == 0) std::filesystem::remove_all(tree_.root());
          return;
        default:
          return tree_.write(path());
      }
    } catch (const std::exception&) {  // Nothing there to move, or a directory in the way.
    }
  };
  for (int round = 0; round < 60; ++round) {
    if (round == 0 || below(5) == 0) {
      open();  // The daemon died: only `stored_` is left.
      set();
    }
    commits_ = below(8) != 0;
    for (unsigned i = below(12); i > 0; --i) {
      change();
      if (below(2) == 0) loop_.poll();
    }
    if (!commits_) {
      // A batch that is never stored: the next daemon finds its changes again.
      for (unsigned i = below(20); i > 0; --i) loop_.poll_one();
      commits_ = true;
      open();
      set();
    }
    if (!std::filesystem::exists(tree_.root())) tree_.write("f0");
    run_until_known();
  }
  EXPECT_EQ(stored_.snapshot().size(), stored_.files.size());
}

}  // namespace
}  // namespace drover::triggers
