// A wrong FileSpec is refused by field; a right one selects files.
#include "triggers/files/file_spec.h"

#include <gtest/gtest.h>

#include <functional>

#include "testing/plain_words.h"

namespace drover::triggers {
namespace {

// Every field, wrong in every way, is named in the error.
TEST(FileSpec, RefusesByField) {
  struct Case {
    std::string_view param;
    std::function<void(FileSpec&)> spoil;
  };
  const std::vector<Case> cases{
      {"root", [](FileSpec& spec) { spec.root = ""; }},
      {"root", [](FileSpec& spec) { spec.root = "src"; }},
      {"root", [](FileSpec& spec) { spec.root = "/a/../b"; }},
      {"root", [](FileSpec& spec) { spec.root = "/a/./b"; }},
      {"root", [](FileSpec& spec) { spec.root = "/a//b"; }},
      {"root", [](FileSpec& spec) { spec.root = "/a/"; }},
      {"root", [](FileSpec& spec) { spec.root = std::string("/a\0b", 4); }},
      {"root", [](FileSpec& spec) { spec.root = "/" + std::string(kRootBytesMax, 'a'); }},
      {"globs[1]", [](FileSpec& spec) { spec.globs = {"*", "../*"}; }},
      {"globs[0]", [](FileSpec& spec) { spec.globs = {"/etc/*"}; }},
      {"globs", [](FileSpec& spec) { spec.globs.assign(kGlobsMax + 1, "*"); }},
      {"kinds", [](FileSpec& spec) { spec.kinds = {false, false, false, false}; }},
      {"ignore", [](FileSpec& spec) { spec.ignore.assign(kIgnoreRulesMax + 1, "a"); }},
      {"ignore[0]", [](FileSpec& spec) { spec.ignore = {"a\nb"}; }},
      {"ignore[1]", [](FileSpec& spec) { spec.ignore = {"a", ""}; }},
      {"settle_ms", [](FileSpec& spec) { spec.settle_ms = -1; }},
      {"settle_ms", [](FileSpec& spec) { spec.settle_ms = kSettleMsMax + 1; }},
  };
  for (const Case& each : cases) {
    FileSpec spec{.root = "/srv/data", .globs = {"**/*.csv"}, .ignore = {"*.part"}};
    ASSERT_TRUE(validate(spec));
    each.spoil(spec);
    const auto refused = validate(spec);
    ASSERT_FALSE(refused) << each.param;
    EXPECT_EQ(refused.error().param, each.param) << refused.error().message;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    EXPECT_EQ(testing::violations(refused.error().message), std::vector<std::string>{});
  }
  EXPECT_TRUE(validate({.root = "/"}));
}

// The fingerprint changes with the files that are listed, and with nothing else.
TEST(FileSpec, FingerprintsTheListedFiles) {
  const FileSpec spec{.root = "/a", .globs = {"*"}, .ignore = {"b"}};
  const auto changed = [&](auto change) {
    FileSpec other = spec;
    change(other);
    return fingerprint(other) != fingerprint(spec);
  };
  EXPECT_TRUE(changed([](FileSpec& other) { other.root = "/b"; }));
  EXPECT_TRUE(changed([](FileSpec& other) { other.globs = {"**"}; }));
  EXPECT_TRUE(changed([](FileSpec& other) { std::swap(other.globs, other.ignore); }));
  EXPECT_TRUE(changed([](FileSpec& other) { other.gitignore = false; }));
  EXPECT_FALSE(changed([](FileSpec& other) { other.settle_ms = 1; }));
  EXPECT_FALSE(changed([](FileSpec& other) { other.kinds.moved = false; }));
}

// Any of the globs selects a file; without globs every file is selected.
TEST(FileSpec, SelectsFiles) {
  const FileFilter filter({.root = "/a", .globs = {"*.h", "src/**"}, .ignore = {"*.o"}});
  EXPECT_TRUE(filter.matches("a.h"));
  EXPECT_TRUE(filter.matches("src/x/y"));
  EXPECT_FALSE(filter.matches("x/a.h"));
  EXPECT_FALSE(filter.may_match_below("lib"));
  EXPECT_TRUE(filter.ignores().ignores("src/a.o", false));
  EXPECT_TRUE(FileFilter({.root = "/a"}).matches("any/thing"));
}

}  // namespace
}  // namespace drover::triggers
