// Snapshots find what changed, and survive being stored.
#include "triggers/files/snapshot.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace drover::triggers {
namespace {

using Files = std::map<std::string, FileEntry>;
using Changes = std::vector<FileChange>;

Snapshot snapshot_of(const Files& files) {
  std::vector<ListedFile> out;
  for (const auto& [path, entry] : files) out.push_back({path, entry});
  return Snapshot(std::move(out));
}

constexpr FileEntry kA{.size = 1, .mtime_ns = 10, .inode = 100};
constexpr FileEntry kB{.size = 2, .mtime_ns = 20, .inode = 200};
constexpr FileEntry kC{.size = 3, .mtime_ns = 30, .inode = 300};

// Created, changed and deleted files are found, sorted by path.
TEST(Snapshot, FindsChanges) {
  const Changes changes =
      difference(snapshot_of({{"a", kA}, {"b", kB}}), snapshot_of({{"b", kC}, {"c/d", kA}}), false);
  EXPECT_EQ(changes, (Changes{{.kind = ChangeKind::deleted, .path = "a"},
                              {.kind = ChangeKind::changed, .path = "b", .entry = kC},
                              {.kind = ChangeKind::created, .path = "c/d", .entry = kA}}));
}

// A file with the same inode, size and time at another path was moved, also over another file.
TEST(Snapshot, FindsMoves) {
  EXPECT_EQ(difference(snapshot_of({{"a", kA}}), snapshot_of({{"b", kA}})),
            (Changes{{.kind = ChangeKind::moved, .path = "b", .from = "a", .entry = kA}}));
  EXPECT_EQ(difference(snapshot_of({{"a", kA}, {"b", kB}}), snapshot_of({{"b", kA}})),
            (Changes{{.kind = ChangeKind::moved, .path = "b", .from = "a", .entry = kA}}));
  // One file moved and one link added: one move.
  const auto changes = difference(snapshot_of({{"a", kA}}), snapshot_of({{"b", kA}, {"c", kA}}));
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].kind, ChangeKind::moved);
  EXPECT_EQ(changes[1].kind, ChangeKind::created);
}

// Paths at a directory or below it, and not those that only begin like it.
TEST(Snapshot, FindsPathsBelow) {
  const Snapshot all =
      snapshot_of({{"a", kA}, {"a.b", kA}, {"a/b", kA}, {"a/c/d", kA}, {"ab", kA}});
  std::vector<std::string> found;
  for (const ListedFile* file : all.at_or_below("a")) found.push_back(file->path);
  EXPECT_EQ(found, (std::vector<std::string>{"a", "a/b", "a/c/d"}));
  EXPECT_EQ(all.at_or_below("").size(), 5U);
  EXPECT_TRUE(all.has_at_or_below("a/c"));
  EXPECT_FALSE(all.has_at_or_below("a/c/d/e"));
}

// After a change of one file, one part has to be stored.
TEST(Snapshot, SharesUnchangedParts) {
  Files files;
  for (int i = 0; i < 1'000; ++i) files["dir/" + std::to_string(i)] = kA;
  const Snapshot before = snapshot_of(files);
  const Snapshot after = before.with({{"dir/7", kB}});
  EXPECT_EQ(after.changed_parts(before), std::vector<size_t>{Snapshot::part_of("dir/7")});
  EXPECT_EQ(before.changed_parts(before), std::vector<size_t>{});
  EXPECT_EQ(before.with_fingerprint(1).changed_parts(before).size(), Snapshot::kParts);
}

rc::Gen<Files> files() {
  return rc::gen::map(
      rc::gen::container<std::map<std::string, int>>(
          rc::gen::nonEmpty(
              rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab/.")))),
          rc::gen::inRange(1, 5)),
      [](const std::map<std::string, int>& numbers) {
        Files out;
        for (const auto& [path, number] : numbers) {
          out[path] = {.size = static_cast<std::uint64_t>(number), .mtime_ns = number, .inode = 1};
        }
        return out;
      });
}

// Edits make the same snapshot as a new walk, and the difference, applied, leads from one to the
// other.
RC_GTEST_PROP(SnapshotProperty, DifferencesLeadThere, (bool pair_moves)) {
  const Files old_files = *files();
  const Files new_files = *files();
  const Snapshot before = snapshot_of(old_files);
  const Snapshot after = snapshot_of(new_files);
  std::vector<FileEdit> edits;
  for (const FileChange& change : difference(before, after, pair_moves)) {
    edits.push_back({change.path, change.entry});
    if (change.kind == ChangeKind::moved) edits.push_back({change.from, std::nullopt});
  }
  RC_ASSERT(before.with(edits) == after);
  RC_ASSERT(difference(after, after).empty());
  RC_ASSERT(after.size() == new_files.size());
  for (const auto& [path, entry] : new_files) RC_ASSERT(*after.find(path) == entry);
}

}  // namespace
}  // namespace drover::triggers
