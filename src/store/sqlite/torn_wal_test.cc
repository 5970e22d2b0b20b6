// A WAL that was truncated, or in which bytes have changed, is read up to the damage: the store
// opens with everything before it and continues, or reports that it cannot. It never invents data.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "store/sqlite/whole_life_fixture.h"
#include "testing/stride.h"

namespace drover::store {
namespace {

constexpr size_t kHeaderBytes = 32;
constexpr size_t kFrameBytes = 24 + 4096;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class TornWal : public ::testing::Test {
 protected:
  // A whole life in the WAL, and nothing of it in the database file.
  void SetUp() override {
    const testing::TestDirectory directory(testing::DirectoryPlace::memory);
    WholeLife life;
    const auto store =
        must(SqliteStore::open(directory.file("drover.db"), life.clock, testing::with_tours()));
    for (size_t i = 0; i <= life.steps.size(); ++i) {
      ends_.push_back(std::filesystem::file_size(directory.file("drover.db-wal")));
      if (i < life.steps.size()) (void)life.send(*store, i);
    }
    database_ = bytes_of(directory.file("drover.db"));
    wal_ = bytes_of(directory.file("drover.db-wal"));
    ASSERT_EQ((wal_.size() - kHeaderBytes) % kFrameBytes, 0u);
  }

  // How many writes a WAL contains that is intact up to `offset`.
  size_t writes_in(size_t offset) const {
    size_t k = 0;
    while (k + 1 < ends_.size() && ends_[k + 1] <= offset) ++k;
    return k;
  }

  // It contains the writes before `whole`, and accepts the rest.
  void expect_begins(const std::string& wal, size_t whole, const std::string& when) {
    const testing::TestDirectory directory(testing::DirectoryPlace::memory);
    put(directory.file("drover.db"), database_);
    put(directory.file("drover.db-wal"), wal);
    WholeLife life;
    const auto store =
        SqliteStore::open(directory.file("drover.db"), life.clock, testing::with_tours());
    ASSERT_TRUE(store) << when << ": " << store.error().message;
    const size_t acknowledged = writes_in(whole);
    expect_text(text_of(directory.file("drover.db")), acknowledged, acknowledged, when);
    for (size_t i = acknowledged; i < life.steps.size(); ++i) (void)life.send(**store, i);
    const size_t all = life.steps.size();
    expect_text(text_of(directory.file("drover.db")), all, all, when + ", heard the rest");
  }

  std::string database_;
  std::string wal_;
  std::vector<size_t> ends_;  // Length of the WAL after k writes.
};

// Truncated at each frame boundary, next to it, and anywhere.
TEST_F(TornWal, IsReadUpToTheCut) {
  std::set<size_t> cuts{0, 1, kHeaderBytes - 1};
  for (size_t at = kHeaderBytes; at <= wal_.size(); at += kFrameBytes) {
    cuts.insert({at - 1, at, at + 1, at + 24});
  }
  std::mt19937 random(1);
  while (cuts.size() < 600) cuts.insert(random() % wal_.size());
  int number = 0;
  for (const size_t cut : cuts) {
    if (cut > wal_.size() || number++ % testing::kStride != 0) continue;
    expect_begins(wal_.substr(0, cut), cut, fmt::format("cut at {}", cut));
    if (HasFailure()) return;
  }
}

// A crash in the middle of a commit: whatever part of it was written, everything synced before is
// there.
TEST_F(TornWal, LosesNothingBeforeAHalfWrittenCommit) {
  std::mt19937 random(2);
  for (size_t k = 0; k + 1 < ends_.size(); ++k) {
    if (ends_[k] == ends_[k + 1]) continue;  // It wrote nothing.
    std::string wal = wal_.substr(0, ends_[k + 1]);
    // Its last frame, which completes it, is damaged; any part of the others may be there.
    for (size_t at = ends_[k]; at < wal.size(); at += 512) {
      if (random() % 2 == 0) wal.replace(at, std::min<size_t>(512, wal.size() - at), 512, '\0');
    }
    wal.resize(ends_[k + 1] - 1);
    expect_begins(wal, ends_[k], fmt::format("in the middle of write {}", k + 1));
  }
}

// Changed bytes: in each frame's header, in its page, and in the header of the WAL.
TEST_F(TornWal, IsReadUpToAChangedByte) {
  std::mt19937 random(3);
  std::vector<size_t> places;
  for (size_t at = kHeaderBytes; at < wal_.size(); at += kFrameBytes) {
    for (const size_t place : {size_t{0}, size_t{4}, size_t{8}, size_t{16}, 24 + random() % 4096}) {
      places.push_back(at + place);
    }
  }
  for (size_t i = 0; i < places.size(); i += testing::kStride) {
    const size_t place = places[i];
    std::string wal = wal_;
    wal[place] = static_cast<char>(wal[place] ^ (1 << (random() % 8)));
    const size_t frame = (place - kHeaderBytes) / kFrameBytes * kFrameBytes + kHeaderBytes;
    expect_begins(wal, frame, fmt::format("byte {} changed", place));
    if (HasFailure()) return;
  }
  for (size_t place = 0; place < kHeaderBytes; ++place) {
    std::string wal = wal_;
    wal[place] = static_cast<char>(wal[place] ^ 1);
    expect_begins(wal, 0, fmt::format("byte {} of the header changed", place));
  }
}

}  // namespace
}  // namespace drover::store
