#include "play/diagnostics.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "play/limits.h"

namespace drover::play {
namespace {

// P9: a diagnostic with all of its fields is read completely.
TEST(Diagnostics, ReadsEveryField) {
  const Diagnostic want{.severity = Severity::error,
                        .message = "no exit",
                        .file = "levels/3.txt",
                        .line = 12,
                        .blocking = true};
  const auto got = read_diagnostic(
      R"( {"severity":"error","message":"no exit","file":"levels/3.txt","line":12,"blocking":true,"x":1})"
      "\r");
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, want);
  EXPECT_EQ(as_text(*got), "levels/3.txt:12: no exit (blocks the pack)");
  const auto least = read_diagnostic(R"({"severity":"info","message":""})");
  ASSERT_TRUE(least);
  EXPECT_EQ(*least, Diagnostic{});
  EXPECT_EQ(as_text(*read_diagnostic(R"({"severity":"info","message":"m","line":2})")),
            "line 2: m");
}

// Every name of a severity is read. An unknown one does not hide the message.
TEST(Diagnostics, ReadsEverySeverity) {
  for (const auto& [word, want] :
       std::vector<std::pair<std::string, std::string>>{{"debug", "debug"},
                                                        {"info", "info"},
                                                        {"note", "info"},
                                                        {"Warning", "warning"},
                                                        {"warn", "warning"},
                                                        {"ERROR", "error"},
                                                        {"fatal", "error"},
                                                        {"", "info"},
                                                        {"catastrophe", "info"}}) {
    const auto got = read_diagnostic(R"({"severity":")" + word + R"(","message":"m"})");
    ASSERT_TRUE(got) << word;
    EXPECT_EQ(name(got->severity), want) << word;
  }
}

// A line that is not a diagnostic is an ordinary line.
TEST(Diagnostics, LeavesOrdinaryLinesAlone) {
  for (const std::string& line : std::vector<std::string>{
           "", " ", "checking 3 levels", "{", "{}", "[1]", "null", "{not json}",
           R"({"severity":"error"})", R"({"message":"m"})", R"({"severity":1,"message":"m"})",
           R"({"severity":"error","message":null})", R"({"severity":"error","message":"m"} tail)",
           R"(x {"severity":"error","message":"m"})", R"([{"severity":"error","message":"m"}])",
           R"({"severity":"error","message":"m","deep":)" + std::string(10'000, '[')}) {
    EXPECT_FALSE(read_diagnostic(line)) << line.substr(0, 60);
  }
}

// Bytes that are not UTF-8, escape sequences and a byte order mark do not hide a diagnostic.
TEST(Diagnostics, ReadsAroundBytesThatAreNotJson) {
  const std::string line = R"({"severity":"error","message":"m"})";
  for (const std::string& printed : std::vector<std::string>{
           "\xef\xbb\xbf" + line, "\x1b[31m" + line + "\x1b[0m", line + "\r"}) {
    const auto got = read_diagnostic(printed);
    ASSERT_TRUE(got) << printed;
    EXPECT_EQ(got->message, "m");
  }
  const auto replaced = read_diagnostic("{\"severity\":\"error\",\"message\":\"\xff\"}");
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->message, "\xef\xbf\xbd");
}

// Invalid fields are dropped, and only `true` blocks the pack.
TEST(Diagnostics, DropsInvalidFields) {
  for (const char* odd : {R"("line":0)", R"("line":-1)", R"("line":"3")", R"("line":1.5)",
                          R"("file":7)", R"("line":18446744073709551615)", R"("blocking":"true")",
                          R"("blocking":1)", R"("blocking":false)", R"("blocking":null)"}) {
    const auto got =
        read_diagnostic(R"({"severity":"info","message":"",)" + std::string(odd) + "}");
    ASSERT_TRUE(got) << odd;
    EXPECT_EQ(*got, Diagnostic{}) << odd;
  }
}

// The length of a line and of each field is limited.
TEST(Diagnostics, LimitsLengths) {
  const std::string head = R"({"severity":"error","blocking":true,"message":")";
  const auto line = [&](size_t bytes) {
    return head + std::string(bytes - head.size() - 2, 'x') + "\"}";
  };
  const auto longest = read_diagnostic(line(kDiagnosticLineBytesMax));
  ASSERT_TRUE(longest);
  EXPECT_TRUE(longest->blocking);
  EXPECT_EQ(longest->message.size(), kDiagnosticTextBytesMax);
  EXPECT_FALSE(read_diagnostic(line(kDiagnosticLineBytesMax + 1)));
}

// Any bytes are read without failing, and the resulting text is valid UTF-8.
RC_GTEST_PROP(DiagnosticsProperty, ReadsAnyBytes, (const std::string& bytes)) {
  for (const std::string& line :
       {bytes, "{" + bytes + "}", R"({"severity":"error","message":"m",)" + bytes + "}",
        R"({"severity":"error","message":")" + bytes + "\"}"}) {
    if (const auto got = read_diagnostic(line)) {
      RC_ASSERT(is_utf8(got->message));
      RC_ASSERT(is_utf8(got->file));
      RC_ASSERT(got->line.value_or(1) > 0);
    }
  }
}

// A diagnostic that is written and read again is unchanged.
RC_GTEST_PROP(DiagnosticsProperty, SurvivesARoundTrip,
              (const std::string& bytes, std::int64_t line, bool blocking)) {
  const std::string text = bounded(bytes, kDiagnosticTextBytesMax);
  const auto got = read_diagnostic(boost::json::serialize(boost::json::object{
      {"message", text}, {"severity", "warning"}, {"line", line}, {"blocking", blocking}}));
  RC_ASSERT(got.has_value());
  RC_ASSERT(got->message == text);
  RC_ASSERT(got->blocking == blocking);
  RC_ASSERT(got->line.value_or(0) == std::max<std::int64_t>(0, line));
}

}  // namespace
}  // namespace drover::play
