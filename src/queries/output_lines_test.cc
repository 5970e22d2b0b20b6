// OutputLines restores the lines of a run's output, wherever its pieces were cut (P9).
#include "queries/output_lines.h"

#include <gtest/gtest.h>

namespace drover::queries {
namespace {

using Pieces = std::vector<OutputPiece>;
using Texts = std::vector<std::string>;

constexpr size_t kMost = 100;
constexpr LineRules kTerminal{.bytes_max = kMost};
constexpr LineRules kByStream{.bytes_max = kMost, .by_stream = true};

std::vector<OutputLine> lines_in(const Pieces& pieces, LineRules rules, bool more,
                                 std::uint64_t resume = 0) {
  OutputLines lines(rules, resume);
  auto out = lines.take(pieces);
  if (!more) std::ranges::move(lines.rest(), std::back_inserter(out));
  return out;
}

Texts texts(const std::vector<OutputLine>& lines) {
  Texts out;
  for (const OutputLine& line : lines) out.push_back(line.text);
  return out;
}

// A line from several pieces is one line. Its `end` is the offset after it.
TEST(OutputLines, JoinPiecesIntoLines) {
  const auto lines = lines_in(
      {{0, Stream::out, 7, "a\nb"}, {3, Stream::out, 8, "c\n\n"}, {6, Stream::err, 9, "oops\n"}},
      kTerminal, true);
  EXPECT_EQ(texts(lines), (Texts{"a", "bc", "", "oops"}));
  EXPECT_EQ(lines[1].time, 7);
  EXPECT_EQ(lines[1].stream, Stream::out);
  EXPECT_EQ(lines[3].stream, Stream::err);
  EXPECT_EQ(lines[1].end, 5U);
  EXPECT_EQ(lines[3].end, 11U);
}

// An unfinished line is held back until it is finished; rest() returns it when no more output
// comes.
TEST(OutputLines, HoldBackAnUnfinishedLine) {
  OutputLines lines(kTerminal, 10);
  EXPECT_EQ(lines.begins(), 10U);
  EXPECT_EQ(texts(lines.take({{10, Stream::out, 0, "whole\nha"}})), Texts{"whole"});
  EXPECT_EQ(texts(lines.take({{18, Stream::out, 0, "lf\nno"}})), Texts{"half"});
  const auto rest = lines.rest();
  EXPECT_EQ(texts(rest), Texts{"no"});
  EXPECT_EQ(rest[0].end, 23U);
}

// Output of the other stream splits a line in two.
TEST(OutputLines, AreSplitByTheOtherStream) {
  const auto lines =
      lines_in({{0, Stream::out, 0, "ab"}, {2, Stream::err, 0, "X\n"}, {4, Stream::out, 0, "cd\n"}},
               kTerminal, true);
  EXPECT_EQ(texts(lines), (Texts{"ab", "X", "cd"}));
  EXPECT_EQ(lines[2].end, 7U);
}

// R11: a gap is an entry of its own, with the number of missing bytes; the lines on both sides of
// it are marked as parts, so that nobody takes them for lines that the command has printed.
TEST(OutputLines, AGapIsAnEntry) {
  const auto lines = lines_in({{.offset = 0, .bytes = "one\ntw"},
                               {.offset = 6, .bytes = {}, .gap_bytes = 94},
                               {.offset = 100, .bytes = "ee\nfour\n"}},
                              kTerminal, true);
  EXPECT_EQ(texts(lines), (Texts{"one", "tw", "", "ee", "four"}));
  EXPECT_EQ(lines[2].gap_bytes, 94U);
  EXPECT_EQ(lines[2].end, 100U);
  EXPECT_EQ(lines[4].end, 108U);
  std::vector<bool> parts;
  for (const OutputLine& line : lines) parts.push_back(line.part);
  EXPECT_EQ(parts, (std::vector<bool>{false, true, false, true, false}));
}

// A line longer than the limit is cut between two characters. No byte is lost, and reading resumes
// after any of its parts.
TEST(OutputLines, CutALineThatIsTooLong) {
  std::string text;
  while (text.size() < 3 * kMost) text += "\xe2\x82\xac";  // 3 bytes each.
  for (const LineRules rules : {kTerminal, kByStream}) {
    const auto lines = lines_in({{0, Stream::out, 0, text}}, rules, false);
    std::string all;
    for (const OutputLine& line : lines) {
      EXPECT_LE(line.text.size(), kMost);
      EXPECT_EQ(line.text.size() % 3, 0U);
      EXPECT_TRUE(line.part);
      all += line.text;
      EXPECT_EQ(line.end, all.size());
    }
    EXPECT_EQ(all, text);
    for (size_t i = 0; i < lines.size(); ++i) {
      OutputLines rest(rules, lines[i].end);
      auto others = rest.take({{rest.begins(), Stream::out, 0, text.substr(rest.begins())}});
      std::ranges::move(rest.rest(), std::back_inserter(others));
      EXPECT_EQ(texts(others),
                texts({lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, lines.end()}));
    }
  }
}

// By stream, output of the other stream does not split a line. A reader that resumes at any offset
// gets every remaining line, whole and once.
TEST(OutputLines, StayWholeByStream) {
  const Pieces pieces{{0, Stream::out, 0, "first\n{one "},
                      {11, Stream::err, 1, "careful\nhm"},
                      {21, Stream::out, 2, "line}\nlast"},
                      {31, Stream::err, 3, "m\n"}};
  const auto all = lines_in(pieces, kByStream, false);
  EXPECT_EQ(texts(all), (Texts{"first", "careful", "{one line}", "hmm", "last"}));
  for (size_t i = 1; i < all.size(); ++i) EXPECT_GT(all[i].end, all[i - 1].end);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto rest = lines_in(pieces, kByStream, false, all[i].end);
    EXPECT_EQ(texts(rest), texts({all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end()}))
        << i;
  }
}

}  // namespace
}  // namespace drover::queries
