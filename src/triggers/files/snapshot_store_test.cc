// The stored snapshots of file triggers: at any commit, the stored one is whole.
#include "triggers/files/snapshot_store.h"

#include <gtest/gtest.h>

#include <map>

#include "triggers/files/snapshot_codec.h"

namespace drover::triggers {
namespace {

class SnapshotStore : public ::testing::Test {
 protected:
  static std::vector<SnapshotPart> parts_of(const Snapshot& snapshot) {
    std::vector<SnapshotPart> out;
    for (size_t i = 0; i < Snapshot::kParts; ++i) {
      if (!snapshot.part(i).empty()) out.push_back({i, encode_part(snapshot, i)});
    }
    return out;
  }
  static Snapshot files(int count, std::uint64_t size) {
    std::vector<ListedFile> out;
    for (int i = 0; i < count; ++i) out.push_back({"file-" + std::to_string(i), {.size = size}});
    return Snapshot(std::move(out));
  }
  void write(const std::vector<StatePart>& parts) {
    for (const StatePart& part : parts) rows_[part.part] = part.state;
  }
  std::vector<StatePart> rows() const {
    std::vector<StatePart> out;
    for (const auto& [part, state] : rows_) {
      if (!state.empty()) out.push_back({part, state});
    }
    return out;
  }
  Snapshot read() const {
    const auto records = stored_records(rows());
    auto decoded = decode_parts(std::vector<std::string_view>(records.begin(), records.end()));
    EXPECT_TRUE(decoded) << decoded.error().message;
    return decoded ? *decoded : Snapshot();
  }

  std::map<std::int64_t, std::string> rows_;
};

// Few bytes are one commit with the event, in place.
TEST_F(SnapshotStore, ASmallBatchIsOneCommit) {
  std::string places = initial_places();
  const SnapshotWrites writes = writes_for(parts_of(files(10, 1)), places, 1'000'000);
  EXPECT_TRUE(writes.before.empty());
  write(writes.with_event);
  EXPECT_EQ(read(), files(10, 1));
}

// Many bytes are several commits. Whichever is the last one before a crash, the stored snapshot is
// the old one; the commit of the event makes it the new one.
TEST_F(SnapshotStore, ALargeBatchBeginsWithItsEvent) {
  Snapshot old = files(2'000, 1);
  std::string places = initial_places();
  write(writes_for(parts_of(old), places, 100'000'000).with_event);
  for (std::uint64_t size = 2; size < 5; ++size) {
    const Snapshot now = files(2'000, size);
    const SnapshotWrites writes = writes_for(parts_of(now), places, 4'000);
    EXPECT_GT(writes.before.size(), 3U);
    for (const std::vector<StatePart>& part : writes.before) {
      size_t bytes = 0;
      for (const StatePart& row : part) bytes += row.state.size();
      EXPECT_LE(bytes, 8'000U);
      write(part);
      EXPECT_EQ(read(), old);
    }
    write(writes.with_event);
    EXPECT_EQ(read(), now);
    EXPECT_EQ(places_in(rows()), places);
    old = now;
  }
}

}  // namespace
}  // namespace drover::triggers
