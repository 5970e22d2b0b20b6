// The lines of a stage's output as entries of the execution log (P9).
#include "api/play/log_entry.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::api {
namespace {

using play::Stage;

std::vector<LogEntry> entries_in(const std::vector<OutputPiece>& pieces, Stage stage) {
  std::vector<LogEntry> out;
  queries::OutputLines lines(line_rules(stage));
  for (queries::OutputLine& line : lines.take(pieces)) {
    out.push_back(entry_of(stage, std::move(line)));
  }
  return out;
}

// P9: one line is one entry; stderr has the severity error; an entry's seq is the offset after it
// in its stage.
TEST(LogEntries, HaveASeverityAndASeq) {
  const auto entries =
      entries_in({{0, Stream::out, 7, "a\n"}, {2, Stream::err, 9, "oops\n"}}, Stage::pack);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].source, "pack");
  EXPECT_EQ(entries[0].time, 7);
  EXPECT_EQ(entries[0].severity, play::Severity::info);
  EXPECT_EQ(entries[1].severity, play::Severity::error);
  EXPECT_EQ(position_of(entries[0].seq), (std::pair<size_t, std::uint64_t>{2, 2}));
  EXPECT_EQ(position_of(entries[1].seq).second, 7U);
}

// P9, P2: a diagnostic of the validation has its own severity; in other stages it is an ordinary
// line.
TEST(LogEntries, ParseDiagnosticsOfTheValidation) {
  const std::string line = R"({"severity":"warning","message":"dark","file":"l.txt","line":3})"
                           "\n";
  const auto found = entries_in({{0, Stream::out, 0, line}}, Stage::validation);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "l.txt:3: dark");
  EXPECT_EQ(found[0].severity, play::Severity::warning);
  const auto json = boost::json::parse(text_of(found[0])).as_object();
  EXPECT_EQ(json.at("diagnostic").at("line"), boost::json::value(3));
  EXPECT_EQ(json.at("severity"), boost::json::value("warning"));
  const auto plain = entries_in({{0, Stream::out, 0, line}}, Stage::build);
  EXPECT_FALSE(plain[0].diagnostic);
}

// P9, P2: stderr in the middle of a diagnostic does not split it, so a blocking diagnostic is shown
// as one.
TEST(LogEntries, AreWholeInTheValidation) {
  const auto all = entries_in({{0, Stream::out, 0, R"({"severity":"error",)"},
                               {20, Stream::err, 1, "careful\n"},
                               {28, Stream::out, 2,
                                R"("message":"no way out"})"
                                "\n"}},
                              Stage::validation);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text, "careful");
  EXPECT_EQ(all[1].text, "no way out");
  EXPECT_TRUE(all[1].diagnostic);
}

// P9: every seq fits exactly into a JSON number.
TEST(LogEntries, NumbersFitIntoADouble) {
  const std::uint64_t largest = seq_of(play::kStages.size(), (std::uint64_t{1} << 50) - 1);
  EXPECT_LE(largest, kLogSeqMax);
  EXPECT_LT(seq_of(1, (std::uint64_t{1} << 50) - 1), seq_of(2, 0));
  EXPECT_EQ(position_of(largest).first, play::kStages.size());
}

}  // namespace
}  // namespace drover::api
