// The lines of an execution log, however they were cut on their way (P9).
#include "api/execution_log.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "base/limits.h"

namespace drover::api {
namespace {

using session::Stage;

std::vector<std::string> texts(const std::vector<LogEntry>& entries) {
  std::vector<std::string> out;
  for (const LogEntry& entry : entries) out.push_back(entry.text);
  return out;
}
using Texts = std::vector<std::string>;

// P9: one line is one entry, from however many pieces; stderr is an error; the seq of an entry is
// the place behind it, in its stage.
TEST(ExecutionLog, HasALineForALine) {
  std::uint64_t next = 0;
  const auto entries = lines_in(
      {{0, Stream::out, 7, "a\nb"}, {3, Stream::out, 8, "c\n\n"}, {6, Stream::err, 9, "oops\n"}},
      Stage::pack, true, next);
  EXPECT_EQ(texts(entries), (Texts{"a", "bc", "", "oops"}));
  EXPECT_EQ(next, 11U);
  EXPECT_EQ(entries[1].time, 7);
  EXPECT_EQ(entries[1].source, "pack");
  EXPECT_EQ(entries[1].severity, play::Severity::info);
  EXPECT_EQ(entries[3].severity, play::Severity::error);
  EXPECT_EQ(place_of(entries[1].seq), (std::pair<size_t, std::uint64_t>{2, 5}));
  for (size_t i = 1; i < entries.size(); ++i) EXPECT_GT(entries[i].seq, entries[i - 1].seq);
}

// P9: an unfinished line waits for its end, and is told when there is none to come.
TEST(ExecutionLog, HoldsBackWhatIsUnfinished) {
  std::uint64_t next = 0;
  const std::vector<OutputPiece> pieces{{10, Stream::out, 0, "whole\nha"}};
  EXPECT_EQ(texts(lines_in(pieces, Stage::build, true, next)), Texts{"whole"});
  EXPECT_EQ(next, 16U);
  EXPECT_EQ(texts(lines_in(pieces, Stage::build, false, next)), (Texts{"whole", "ha"}));
  EXPECT_EQ(next, 18U);
}

// P9: what the other stream, or a gap of rotated bytes, breaks into is told in two.
TEST(ExecutionLog, IsBrokenByTheOtherStreamAndByAGap) {
  std::uint64_t next = 0;
  const auto entries = lines_in({{0, Stream::out, 0, "ab"},
                                 {2, Stream::err, 0, "X\n"},
                                 {4, Stream::out, 0, "cd"},
                                 {100, Stream::out, 0, "ef\n"}},
                                Stage::runtime, true, next);
  EXPECT_EQ(texts(entries), (Texts{"ab", "X", "cd", "ef"}));
  EXPECT_EQ(next, 103U);
}

// P9: a line without end is cut between two characters, and nothing of it is lost.
TEST(ExecutionLog, CutsWhatIsTooLong) {
  std::string text;
  while (text.size() < 3 * limits::kDiagnosticLineBytesMax)
    text += "\xe2\x82\xac";  // 3 bytes each.
  std::uint64_t next = 0;
  const auto entries = lines_in({{0, Stream::out, 0, text}}, Stage::build, false, next);
  std::string all;
  for (const LogEntry& entry : entries) {
    EXPECT_LE(entry.text.size(), limits::kDiagnosticLineBytesMax);
    EXPECT_EQ(text_of(entry).find("base64"), std::string::npos);
    all += entry.text;
  }
  EXPECT_EQ(all, text);
  EXPECT_EQ(next, text.size());
}

// P9, P2: a diagnostic is shown as such, with its own severity; of another stage it is a line.
TEST(ExecutionLog, ShowsDiagnostics) {
  const std::string line = R"({"severity":"warning","message":"dark","file":"l.txt","line":3})"
                           "\n";
  std::uint64_t next = 0;
  const auto found = lines_in({{0, Stream::out, 0, line}}, Stage::validation, true, next);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "l.txt:3: dark");
  EXPECT_EQ(found[0].severity, play::Severity::warning);
  const auto json = boost::json::parse(text_of(found[0])).as_object();
  EXPECT_EQ(json.at("diagnostic").at("line"), boost::json::value(3));
  EXPECT_EQ(json.at("severity"), boost::json::value("warning"));
  const auto plain = lines_in({{0, Stream::out, 0, line}}, Stage::build, true, next);
  EXPECT_FALSE(plain[0].diagnostic);
}

// P9: whatever was printed, its number is one that every reader of JSON has exactly.
TEST(ExecutionLog, NumbersFitIntoADouble) {
  const std::uint64_t largest = seq_of(session::kStages.size(), (std::uint64_t{1} << 50) - 1);
  EXPECT_LE(largest, kLogSeqMax);
  EXPECT_LT(seq_of(1, (std::uint64_t{1} << 50) - 1), seq_of(2, 0));
  EXPECT_EQ(place_of(largest).first, session::kStages.size());
}

}  // namespace
}  // namespace drover::api
