// Output files that no keeper has written: a run can write into its own directory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/output_file.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

class ForgedOutput : public ::testing::Test {
 protected:
  ForgedOutput() {
    path_ = fs::temp_directory_path() / "drover-forged-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~ForgedOutput() override { fs::remove_all(path_); }

  // A segment with that data, of which one record covers everything.
  void put(const std::string& suffix, const std::string& data, std::uint64_t offset) {
    put(suffix, data,
        {{.offset = offset, .length = static_cast<std::uint32_t>(data.size()), .stream = 1}});
  }
  void put(const std::string& suffix, const std::string& data,
           const std::vector<IndexRecord>& records) {
    std::string index(reinterpret_cast<const char*>(&header_), sizeof header_);
    for (const IndexRecord& record : records) {
      index.append(reinterpret_cast<const char*>(&record), sizeof record);
    }
    ASSERT_TRUE(replace_file(path_ + "/index" + suffix, index));
    ASSERT_TRUE(replace_file(path_ + "/output" + suffix, data));
  }
  std::string read_all() const {
    OutputReader reader(path_);
    std::uint64_t next = 0;
    const auto pieces = reader.read(0, 1 << 20, Stream::both, &next);
    if (!pieces) return pieces.error().reason;
    std::string text;
    for (const OutputPiece& piece : *pieces) {
      text += piece.is_gap() ? "<" + std::to_string(piece.gap_bytes) + ">" : piece.bytes;
    }
    return text;
  }

  std::string path_;
  IndexHeader header_{.head_bytes_max = 4, .segment_bytes_max = 2};
};

// Segments between two that exist are assumed to exist. The number in the name of a file costs no
// memory.
TEST_F(ForgedOutput, ALargeNumberIsNotCountedUpTo) {
  put("", "head", 0);
  put(".1", "ab", 4);
  put(".4294967295", "yz", header_.begin_of(4'294'967'295));
  OutputSegments segments(path_);
  ASSERT_TRUE(segments.refresh());
  EXPECT_EQ(segments.numbers(), (std::vector<std::uint64_t>{0, 1, 4'294'967'295}));
  EXPECT_EQ(read_all(), "headab<8589934586>yz");
}

// A segment whose offsets are beyond all numbers is damaged.
TEST_F(ForgedOutput, AnImpossibleOffsetIsRefused) {
  header_.segment_bytes_max = std::uint64_t{1} << 48;
  put("", "head", 0);
  put(".4294967295", "yz", header_.begin_of(4'294'967'295));
  EXPECT_EQ(read_all(), "output_unreadable");
}

// A file that is too long offers nothing at the offsets of the next segment.
TEST_F(ForgedOutput, EveryOffsetHasOneByte) {
  put("", "head, too long", 0);
  put(".1", "ab, too long", 4);
  put(".2", "cd", 6);
  EXPECT_EQ(read_all(), "headabcd");
}

// A power cut may lose data whose record is on disk. A reader of one stream does not go back from
// such a record of the other.
TEST_F(ForgedOutput, AReaderNeverGoesBack) {
  header_.head_bytes_max = 100;
  put("", "abcd", {{.offset = 50, .length = 10, .stream = 2}});
  OutputReader reader(path_);
  std::uint64_t next = 0;
  const auto pieces = reader.read(2, 100, Stream::out, &next);
  ASSERT_TRUE(pieces);
  for (const OutputPiece& piece : *pieces) EXPECT_LE(piece.end(), next);
}

}  // namespace
}  // namespace drover
