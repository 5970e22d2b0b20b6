// The lines of an execution log, however they were cut on their way (P9).
#include "api/log_lines.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "base/limits.h"

namespace drover::api {
namespace {

using session::Stage;
using Pieces = std::vector<OutputPiece>;
using Texts = std::vector<std::string>;

std::vector<LogEntry> lines_in(const Pieces& pieces, Stage stage, bool more,
                               std::uint64_t told = 0) {
  LogLines lines(stage, told);
  auto out = lines.take(pieces);
  if (!more) std::ranges::move(lines.rest(), std::back_inserter(out));
  return out;
}

Texts texts(const std::vector<LogEntry>& entries) {
  Texts out;
  for (const LogEntry& entry : entries) out.push_back(entry.text);
  return out;
}

// P9: one line is one entry, from however many pieces; stderr is an error; the seq of an entry is
// the place behind it, in its stage.
TEST(LogLines, HaveALineForALine) {
  const auto entries = lines_in(
      {{0, Stream::out, 7, "a\nb"}, {3, Stream::out, 8, "c\n\n"}, {6, Stream::err, 9, "oops\n"}},
      Stage::pack, true);
  EXPECT_EQ(texts(entries), (Texts{"a", "bc", "", "oops"}));
  EXPECT_EQ(entries[1].time, 7);
  EXPECT_EQ(entries[1].source, "pack");
  EXPECT_EQ(entries[1].severity, play::Severity::info);
  EXPECT_EQ(entries[3].severity, play::Severity::error);
  EXPECT_EQ(place_of(entries[1].seq), (std::pair<size_t, std::uint64_t>{2, 5}));
  EXPECT_EQ(place_of(entries[3].seq).second, 11U);
  for (size_t i = 1; i < entries.size(); ++i) EXPECT_GT(entries[i].seq, entries[i - 1].seq);
}

// P9: an unfinished line waits for its end, and is told when there is none to come.
TEST(LogLines, HoldBackWhatIsUnfinished) {
  LogLines lines(Stage::build, 10);
  EXPECT_EQ(lines.begins(), 10U);
  EXPECT_EQ(texts(lines.take({{10, Stream::out, 0, "whole\nha"}})), Texts{"whole"});
  EXPECT_EQ(texts(lines.take({{18, Stream::out, 0, "lf\nno"}})), Texts{"half"});
  const auto rest = lines.rest();
  EXPECT_EQ(texts(rest), Texts{"no"});
  EXPECT_EQ(place_of(rest[0].seq).second, 23U);
}

// P9: what the other stream, or a gap of rotated bytes, breaks into is told in two.
TEST(LogLines, AreBrokenByTheOtherStreamAndByAGap) {
  const auto entries = lines_in({{0, Stream::out, 0, "ab"},
                                 {2, Stream::err, 0, "X\n"},
                                 {4, Stream::out, 0, "cd"},
                                 {100, Stream::out, 0, "ef\n"}},
                                Stage::runtime, true);
  EXPECT_EQ(texts(entries), (Texts{"ab", "X", "cd", "ef"}));
  EXPECT_EQ(place_of(entries[3].seq).second, 103U);
}

// P9: a line without end is cut between two characters, and nothing of it is lost; from any of its
// parts one goes on with the next.
TEST(LogLines, CutWhatIsTooLong) {
  std::string text;
  while (text.size() < 3 * limits::kDiagnosticLineBytesMax)
    text += "\xe2\x82\xac";  // 3 bytes each.
  for (const Stage stage : {Stage::build, Stage::validation}) {
    const auto entries = lines_in({{0, Stream::out, 0, text}}, stage, false);
    std::string all;
    for (const LogEntry& entry : entries) {
      EXPECT_LE(entry.text.size(), limits::kDiagnosticLineBytesMax);
      EXPECT_EQ(text_of(entry).find("base64"), std::string::npos);
      all += entry.text;
      EXPECT_EQ(place_of(entry.seq).second, all.size());
    }
    EXPECT_EQ(all, text);
    for (size_t i = 0; i < entries.size(); ++i) {
      LogLines rest(stage, place_of(entries[i].seq).second);
      auto lines = rest.take({{rest.begins(), Stream::out, 0, text.substr(rest.begins())}});
      std::ranges::move(rest.rest(), std::back_inserter(lines));
      ASSERT_EQ(lines.size(), entries.size() - i - 1);
      for (size_t k = 0; k < lines.size(); ++k) EXPECT_EQ(lines[k].text, entries[i + 1 + k].text);
    }
  }
}

// P9, P2: a diagnostic is shown as such, with its own severity; of another stage it is a line.
TEST(LogLines, ShowDiagnostics) {
  const std::string line = R"({"severity":"warning","message":"dark","file":"l.txt","line":3})"
                           "\n";
  const auto found = lines_in({{0, Stream::out, 0, line}}, Stage::validation, true);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "l.txt:3: dark");
  EXPECT_EQ(found[0].severity, play::Severity::warning);
  const auto json = boost::json::parse(text_of(found[0])).as_object();
  EXPECT_EQ(json.at("diagnostic").at("line"), boost::json::value(3));
  EXPECT_EQ(json.at("severity"), boost::json::value("warning"));
  const auto plain = lines_in({{0, Stream::out, 0, line}}, Stage::build, true);
  EXPECT_FALSE(plain[0].diagnostic);
}

// P9, P2: a diagnostic that stderr breaks into blocks the pack, and so it is shown as one; whoever
// left in between, wherever, gets what is left, whole and once.
TEST(LogLines, AreWholeInTheValidation) {
  const Pieces pieces{{0, Stream::out, 0, R"(first
{"severity":"error",)"},
                      {26, Stream::err, 1, "careful\nhm"},
                      {36, Stream::out, 2,
                       R"("message":"no way out"})"
                       "\nlast"},
                      {64, Stream::err, 3, "m\n"}};
  const auto all = lines_in(pieces, Stage::validation, false);
  EXPECT_EQ(texts(all), (Texts{"first", "careful", "no way out", "hmm", "last"}));
  EXPECT_TRUE(all[2].diagnostic);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_GT(all[i].seq, all[i - 1].seq);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto rest = lines_in(pieces, Stage::validation, false, place_of(all[i].seq).second);
    EXPECT_EQ(texts(rest), texts({all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end()}))
        << i;
  }
}

// P9: whatever was printed, its number is one that every reader of JSON has exactly.
TEST(LogLines, NumbersFitIntoADouble) {
  const std::uint64_t largest = seq_of(session::kStages.size(), (std::uint64_t{1} << 50) - 1);
  EXPECT_LE(largest, kLogSeqMax);
  EXPECT_LT(seq_of(1, (std::uint64_t{1} << 50) - 1), seq_of(2, 0));
  EXPECT_EQ(place_of(largest).first, session::kStages.size());
}

}  // namespace
}  // namespace drover::api
