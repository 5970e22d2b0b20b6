// A stored snapshot is read back as it was, or refused.
#include "triggers/files/snapshot_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/fnv.h"

namespace drover::triggers {
namespace {

std::vector<std::string> encode_all(const Snapshot& snapshot) {
  std::vector<std::string> out;
  for (size_t i = 0; i < Snapshot::kParts; ++i) out.push_back(encode_part(snapshot, i));
  return out;
}

Result<Snapshot> decode_all(const std::vector<std::string>& records) {
  const std::vector<std::string_view> views(records.begin(), records.end());
  return decode_parts(views);
}

const Snapshot& example() {
  static const Snapshot snapshot =
      Snapshot({{"a", {.size = 0, .mtime_ns = 0, .inode = 1}},
                {"dir/\xFF", {.size = ~0ULL, .mtime_ns = -1, .inode = ~0ULL}},
                {"dir/b", {.size = 7, .mtime_ns = 1'800'000'000'000'000'000, .inode = 5}}})
          .with_fingerprint(0x1122334455667788)
          .with_mount_point(true);
  return snapshot;
}

// Version 1 stays as it is documented: the bytes of a known part.
TEST(SnapshotCodec, HasAFixedForm) {
  const Snapshot one({{"a", {.size = 0, .mtime_ns = 0, .inode = 1}}});
  const size_t index = Snapshot::part_of("a");
  const std::string record = encode_part(one, index);
  std::string expected("DFS\1\0\0\0\0\0\0\0\0\0", 13);
  expected += static_cast<char>(index);
  expected += std::string("\1\0\1a\0\0\1", 7);
  EXPECT_EQ(record.substr(0, record.size() - 8), expected);
}

// Any snapshot is read back as it was.
RC_GTEST_PROP(SnapshotCodecProperty, ReadsBack,
              (std::map<std::string, std::uint64_t> numbers, std::int64_t time)) {
  std::vector<ListedFile> files;
  for (const auto& [path, number] : numbers) {
    if (!path.empty())
      files.push_back({path, {.size = number, .mtime_ns = time, .inode = ~number}});
  }
  const Snapshot snapshot = Snapshot(files).with_fingerprint(files.size() + 1);
  const auto read = decode_all(encode_all(snapshot));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == snapshot);
}

// Every flipped bit and every cut is noticed.
TEST(SnapshotCodec, NoticesDamage) {
  const auto records = encode_all(example());
  ASSERT_EQ(*decode_all(records), example());
  const size_t part = Snapshot::part_of("dir/b");
  for (size_t at = 0; at < records[part].size(); ++at) {
    auto cut = records;
    cut[part].resize(at);
    EXPECT_EQ(decode_all(cut).error().code, ErrorCode::corrupt) << at;
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto flipped = records;
      flipped[part][at] = static_cast<char>(flipped[part][at] ^ (1 << bit));
      EXPECT_EQ(decode_all(flipped).error().code, ErrorCode::corrupt) << at;
    }
  }
}

// Parts of different snapshots, and the same part twice, are refused.
TEST(SnapshotCodec, NoticesMixedParts) {
  auto records = encode_all(example());
  records[3] = encode_part(example().with_fingerprint(1), 3);
  EXPECT_EQ(decode_all(records).error().reason, "snapshot_damaged");
  records[3] = records[4];
  EXPECT_EQ(decode_all(records).error().reason, "snapshot_damaged");
}

// A later version is refused by name.
TEST(SnapshotCodec, RefusesALaterVersion) {
  auto records = encode_all(example());
  records[0][3] = 2;
  EXPECT_EQ(decode_all(records).error().reason, "snapshot_newer");
}

// Any bytes with a right checksum are read or refused; nothing else happens.
RC_GTEST_PROP(SnapshotCodecProperty, SurvivesAnyBytes, (std::string bytes)) {
  std::string record = std::string("DFS\1", 4) + std::string(8, '\0') + bytes;
  std::uint64_t hash = fnv(record);
  for (int i = 0; i < 8; ++i, hash >>= 8U) record += static_cast<char>(hash & 0xFFU);
  const auto read = decode_all({record});
  if (read) RC_ASSERT(read->size() <= bytes.size());
}

}  // namespace
}  // namespace drover::triggers
