#include "config/settings.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/fd.h"
#include "base/limits.h"
#include "config/file.h"
#include "testing/plain_words.h"

namespace drover::config {
namespace {

const char* nothing(const char*) {
  return nullptr;
}

// S1: without a file or a variable every setting has its listed default, and the default is valid.
TEST(Settings, HaveTheListedDefaults) {
  const auto settings = Settings::read("f", "", nothing);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->get("run.lane").text, "default");
  EXPECT_EQ(settings->get("run.lane").origin, Origin::fallback);
  EXPECT_EQ(settings->text("run.timeout"), std::nullopt);
  EXPECT_EQ(settings->chosen("run.lane"), std::nullopt);
  EXPECT_EQ(settings->number("retention.count"), limits::kFinishedPerScopeMax);
  EXPECT_EQ(*parse_duration_ms(*settings->text("retention.age"), ""), limits::kFinishedAgeMaxMs);
  EXPECT_EQ(*parse_duration_ms(*settings->text("run.grace"), ""), limits::kGraceMs);
  for (const Setting& setting : kSettings) {
    if (!setting.fallback.empty()) EXPECT_TRUE(check(setting, setting.fallback)) << setting.name;
  }
}

// S1: the environment wins over the file, the file over the default, and each value names its
// source.
TEST(Settings, EnvironmentWinsOverFileOverDefault) {
  const auto settings = Settings::read(
      "/c/config.toml", "[run]\n# why\nlane = \"build\"\ntimeout = \"5m\"\n", [](const char* name) {
        return std::string_view(name) == "DROVER_RUN_LANE" ? "fast" : nullptr;
      });
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->get("run.lane").text, "fast");
  EXPECT_EQ(settings->get("run.lane").where, "$DROVER_RUN_LANE");
  EXPECT_EQ(settings->get("run.timeout").text, "5m");
  EXPECT_EQ(settings->get("run.timeout").where, "/c/config.toml:4");
  EXPECT_EQ(settings->get("run.grace").origin, Origin::fallback);
}

// S1: a bad file is an error that names the file, the line and what to do.
TEST(Settings, BadFilesAreNamedWithTheirLine) {
  struct Case {
    std::string text;
    std::string line;
    std::string says;
  };
  for (const Case& c : std::vector<Case>{
           {"[run]\nlane = build\n", ":2:", "invalid TOML"},
           {"\n\n[run\n", ":3:", "invalid TOML"},
           {"[run]\nlane = \"x\"\nlane = \"y\"\n", ":3:", "invalid TOML"},
           {"[run]\nspeed = 3\n", ":2:", "drover config show"},
           {"color = \"never\"\n", ":1:", "unknown setting color"},
           {"[run]\nlane = 3\n", ":2:", "quotes"},
           {"[retention]\ncount = \"3\"\n", ":2:", "without quotes"},
           {"[retention]\ncount = -1\n", ":2:", "at least 0"},
           {"[run]\njobs = 0\n", ":2:", "from 1 to 1024"},
           {"[run]\njobs = 1025\n", ":2:", "from 1 to 1024"},
           {"[run]\nlane = \"a b\"\n", ":2:", "1 to 64 letters"},
           {"[listen]\naddress = \"nonsense:99999\"\n", ":2:", "such as 127.0.0.1:7777"},
           {"[run]\n\nlane = build # x\n", ":3:", "correct the line \"lane = build # x\""},
           {"[retention]\nage = \"soon\"\n", ":2:", "duration"},
           {"[ui]\ncolor = \"blue\"\n", ":2:", "always"},
           {"[run]\nlane = [\"a\"]\n", ":2:", "must be text or a whole number"},
           {"[run]\nlane = 1.5\n", ":2:", "must be text or a whole number"},
           {"[run]\nlane = \"\"\n", ":2:", "1 to 64 letters"},
           {"[listen]\ntls_key = \"\"\n", ":2:", "empty"},
           {std::string("\0\xff", 2), ":1:", "invalid TOML"},
           {"[run]\nlane = \"a\"\n\nspür = 1\n", ":4:", "in quotes"},
           {"[run]\n\n[!]\n[ui]\n", ":3:", "invalid TOML"},
           {"[run" + std::string(100'000, '.') + "]\n", ":1:", "dots"},
       }) {
    const auto settings = Settings::read("/c/config.toml", c.text, nothing);
    ASSERT_FALSE(settings) << c.text;
    EXPECT_EQ(settings.error().reason, "bad_config");
    EXPECT_NE(settings.error().message.find("/c/config.toml" + c.line), std::string::npos)
        << settings.error().message;
    EXPECT_NE(settings.error().message.find(c.says), std::string::npos) << settings.error().message;
  }
  const auto variable = Settings::read("f", "", [](const char* name) {
    return std::string_view(name) == "DROVER_COLOR" ? "blue" : nullptr;
  });
  ASSERT_FALSE(variable);
  EXPECT_NE(variable.error().message.find("$DROVER_COLOR"), std::string::npos);
}

// Any bytes are read without a crash, and so is a valid file with any cut or changed byte.
RC_GTEST_PROP(SettingsProperty, ReadAnyBytes, (const std::string& bytes)) {
  for (const char* before : {"", "[", "[run]\n", "[run]\nlane = ", "[retention]\ncount = "}) {
    const auto settings = Settings::read("f", before + bytes, nothing);
    if (!settings) RC_ASSERT(settings.error().message.starts_with("f:"));
  }
}
RC_GTEST_PROP(SettingsProperty, ReadAnyDamage, ()) {
  std::string text =
      "# mine\n[run]\nlane = \"a.b\" # x\ntimeout = '5m'\njobs = 3\n[retention]\ncount = 1_000\n"
      "age = \"\"\"30d\"\"\"\nui = { color = \"never\", x = [1, {y = 2.5}] }\n";
  text.resize(*rc::gen::inRange<size_t>(1, text.size() + 1));
  text[*rc::gen::inRange<size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  const auto settings = Settings::read("f", text, nothing);
  if (!settings) RC_ASSERT(settings.error().message.starts_with("f:"));
}

// Deep nesting of any kind is an error, not a stack overflow.
TEST(Settings, RefuseDeepNesting) {
  const auto repeated = [](const std::string& text) {
    std::string out;
    for (int i = 0; i < 100'000; ++i) out += text;
    return out;
  };
  for (const std::string& text :
       {"a = " + repeated("["), "a = " + repeated("{b="), repeated("a.") + "a = 1",
        "[" + repeated("a.") + "a]", "[[" + repeated("a.") + "a]]",
        "a = {" + repeated("b.") + "b=1}"}) {
    const auto settings = Settings::read("f", text + "\n", nothing);
    ASSERT_FALSE(settings) << text.substr(0, 20);
    EXPECT_EQ(settings.error().reason, "bad_config") << text.substr(0, 20);
  }
}

// S1: setting a value keeps what a person wrote around it, and reads back as set.
TEST(Settings, EditingKeepsTheTextAroundAValue) {
  EXPECT_EQ(edit("", "run.lane", "a", false), "[run]\nlane = \"a\"\n");
  EXPECT_EQ(edit("# mine\n[run]\ntimeout = \"1m\" # x\n\n[ui]\ncolor = \"never\"", "run.lane", "a",
                 false),
            "# mine\n[run]\nlane = \"a\"\ntimeout = \"1m\" # x\n\n[ui]\ncolor = \"never\"\n");
  EXPECT_EQ(edit("[ui]\ncolor = \"x\"\n[run]\n  lane=\"b\"\n", "run.lane", "a\"\\", false),
            "[ui]\ncolor = \"x\"\n[run]\n  lane= \"a\\\"\\\\\"\n");
  EXPECT_EQ(edit("run.lane = \"b\"\n", "run.lane", "a", false), "run.lane = \"a\"\n");
  EXPECT_EQ(edit("[run]\nlane = \"b\"\n", "run.lane", "", false), "[run]\n");
  EXPECT_EQ(edit("[run]\nlane = \"b#\\\"#\"  # why\n", "run.lane", "a", false),
            "[run]\nlane = \"a\"  # why\n");
  EXPECT_EQ(edit("[run]\nlane = '#\\'# x\n", "run.lane", "a", false), "[run]\nlane = \"a\"# x\n");
  EXPECT_EQ(edit("[run]\njobs = 3 # of 4\n", "run.jobs", "2", true), "[run]\njobs = 2 # of 4\n");
  EXPECT_EQ(edit("[ui]\ncolor = \"never\"\n", "retention.count", "5", true),
            "[ui]\ncolor = \"never\"\n\n[retention]\ncount = 5\n");
  for (const Setting& setting : kSettings) {
    const std::string value = setting.fallback.empty() ? "7" : std::string(setting.fallback);
    const bool is_number = setting.kind == Kind::number;
    if (!check(setting, value)) continue;
    const std::string text = edit("[run]\n\n[ui]\n", setting.name, value, is_number);
    const auto settings = Settings::read("f", text, nothing);
    ASSERT_TRUE(settings) << text;
    EXPECT_EQ(settings->get(setting.name).text, value);
    EXPECT_EQ(settings->get(setting.name).origin, Origin::file);
  }
}

// The description of a setting is a label that can be read once.
TEST(Settings, DescriptionsArePlainWords) {
  for (const Setting& setting : kSettings) {
    EXPECT_EQ(testing::label_violations(setting.help), std::vector<std::string>()) << setting.name;
  }
}

// S1: the page on settings lists every one, with its default, variable and flag.
TEST(Settings, AreAllDocumented) {
  const auto page = read_file(std::string(DROVER_DOCS) + "/config.md", 1 << 20);
  ASSERT_TRUE(page);
  for (const Setting& setting : kSettings) {
    const size_t at = page->find("| `" + std::string(setting.name) + "`");
    ASSERT_NE(at, std::string::npos) << setting.name;
    const std::string row = page->substr(at, page->find('\n', at) - at);
    for (const std::string_view text : {setting.fallback, setting.variable, setting.flag}) {
      if (text.empty()) continue;
      EXPECT_NE(row.find("`" + std::string(text) + "`"), std::string::npos) << row;
    }
  }
}

}  // namespace
}  // namespace drover::config
