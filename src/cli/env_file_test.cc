#include "cli/env_file.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

// R15: the forms in which all readers of such files agree give the same value.
TEST(EnvFile, ReadsTheCommonForms) {
  const auto found = parse_env_file(
      "\xef\xbb\xbf# a comment\r\n"
      "\n"
      "PLAIN=a value, with $signs \\ and = in it\r\n"
      "  EMPTY=\n"
      "export EXPORTED=x#y\n"
      "SINGLE='it is $5 # \\n'\n"
      "DOUBLE=\"two\\nlines, a \\\"word\\\", \\$5, \\\\ and a tab:\\t#\"\n"
      "_LAST1=\"\"",
      "f");
  ASSERT_TRUE(found) << found.error().message;
  const Variables expected{{"PLAIN", "a value, with $signs \\ and = in it"},
                           {"EMPTY", ""},
                           {"EXPORTED", "x#y"},
                           {"SINGLE", "it is $5 # \\n"},
                           {"DOUBLE", "two\nlines, a \"word\", $5, \\ and a tab:\t#"},
                           {"_LAST1", ""}};
  EXPECT_EQ(*found, expected);
}

// R15, R3: every other form is refused with its line, and the message contains no value.
TEST(EnvFile, RefusesWhatReadersDisagreeOn) {
  for (const char* line :
       {"JUSTANAME", "=hush", "A =hush", "1A=hush", "A-B=hush", "A= hush", "A=hush ",
        "A=hush # why", "A='hush", "A='hush' x", "A=\"hush", "A=\"hush\"x", "A=\"$hush\"",
        "A=\"\\hush\"", "A=\"hush\\", "OK=hush", "A=hush\xff"}) {
    const auto found = parse_env_file("OK=1\n\n" + std::string(line) + "\nB=2\n", "my.env");
    ASSERT_FALSE(found) << line;
    EXPECT_TRUE(found.error().message.starts_with("--env-file my.env, line 3: "))
        << found.error().message;
    EXPECT_EQ(found.error().message.find("hush"), std::string::npos) << found.error().message;
  }
}

}  // namespace
}  // namespace drover::cli
