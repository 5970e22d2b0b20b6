#include "queries/output_pieces.h"

#include <gtest/gtest.h>

namespace drover::queries {
namespace {

OutputPiece piece(std::uint64_t offset, Stream stream, WallMs time, std::string bytes) {
  return {offset, stream, time, std::move(bytes)};
}

// A split character is joined if no byte lies between its parts, and only then.
TEST(OutputPieces, JoinSplitCharacters) {
  std::vector<OutputPiece> pieces{
      piece(0, Stream::out, 1, "a\xE2"), piece(2, Stream::out, 2, "\x82"),
      piece(3, Stream::out, 3, "\xAC"), piece(4, Stream::out, 4, "b\xC3"),
      piece(6, Stream::err, 5, "x\xF0\x9F")};
  EXPECT_EQ(join_split_characters(pieces, true), 7U);
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[0].bytes, "a");
  EXPECT_EQ(pieces[1].bytes, "\xE2\x82\xAC");
  EXPECT_EQ(pieces[1].offset, 1U);
  EXPECT_EQ(pieces[2].bytes, "b\xC3");  // The other stream is in between.
  EXPECT_EQ(pieces[3].bytes, "x");
  std::vector<OutputPiece> last{piece(0, Stream::out, 1, "\xC3")};
  EXPECT_EQ(join_split_characters(last, false), std::nullopt);
  EXPECT_EQ(last.size(), 1U);
}

// Neighboring pieces of the same millisecond are merged up to the maximum size, and no byte is
// lost.
TEST(OutputPieces, MergeNeighbors) {
  std::vector<OutputPiece> pieces{
      piece(0, Stream::out, 1, "ab"), piece(2, Stream::out, 1, "cd"),
      piece(4, Stream::err, 1, "e"),  piece(5, Stream::err, 2, "f"),
      piece(9, Stream::err, 2, "gh"), piece(11, Stream::err, 2, "ijkl")};
  merge_neighbors(pieces, 5);
  std::vector<std::string> bytes;
  for (const OutputPiece& one : pieces) bytes.push_back(one.bytes);
  EXPECT_EQ(bytes, (std::vector<std::string>{"abcd", "e", "f", "gh", "ijkl"}));
  std::vector<OutputPiece> none;
  merge_neighbors(none, 5);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace drover::queries
