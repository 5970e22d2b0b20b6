// Globs match as people expect them to, in bounded time, and never leave their root.
#include "triggers/files/glob.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "testing/plain_words.h"
#include "triggers/files/limits.h"

namespace drover::triggers {
namespace {

bool matches(std::string_view glob, std::string_view path) {
  const auto parsed = parse_glob(glob);
  EXPECT_TRUE(parsed) << glob << ": " << (parsed ? "" : parsed.error().message);
  return parsed && parsed->matches(path);
}

struct Case {
  std::string_view glob;
  std::vector<std::string_view> matching;
  std::vector<std::string_view> others;
};

// Every construct of a glob matches these paths and not those.
TEST(Glob, Matches) {
  const std::vector<Case> cases{
      {"*", {"a", ".a", "a.b"}, {"a/b"}},
      {"*.cc", {"a.cc", ".cc"}, {"a.h", "d/a.cc", "a.ccc"}},
      {"?", {"a", "ü", "\xFF"}, {"", "ab", "/"}},
      {"a?c", {"abc", "a漢c"}, {"ac", "a/c", "abbc"}},
      {"[a-c]x", {"ax", "cx"}, {"dx", "x"}},
      {"[!a-c]x", {"dx", "-x"}, {"ax", "/x"}},
      {"[^a]x", {"bx"}, {"ax"}},
      {"[]a]", {"]", "a"}, {"b"}},
      {"[a-]", {"-", "a"}, {"b"}},
      {"[ä-ü]", {"ö"}, {"o"}},
      {"[[:digit:]]", {"7"}, {"x"}},
      {"[{,}]", {"{", ",", "}"}, {"a"}},
      {"{a,b}.h", {"a.h", "b.h"}, {"c.h", "{a,b}.h"}},
      {"{a,b{c,d}}", {"a", "bc", "bd"}, {"b", "ab"}},
      {"x{,.old}", {"x", "x.old"}, {"x."}},
      {"{a}", {"a"}, {"{a}"}},
      {"**", {"a", "a/b/c"}, {}},
      {"**/a", {"a", "x/a", "x/y/a"}, {"ba", "a/b"}},
      {"a/**", {"a/b", "a/b/c"}, {"a", "b/a"}},
      {"***/a", {"a", "x/y/a"}, {"ba"}},
      {"a/**/b", {"a/b", "a/x/b", "a/x/y/b"}, {"a", "b", "ab", "a/b/c"}},
      {"**/a/**/b", {"a/b", "x/a/y/a/b"}, {"b/a"}},
      {"src/{**/,}*.cc", {"src/a.cc", "src/x/y/a.cc"}, {"a.cc"}},
      {R"(\*\?\[\{\\)", {R"(*?[{\)"}, {"axx"}},
      {"...", {"..."}, {".."}},
      {"a b", {"a b"}, {"ab"}},
  };
  for (const Case& each : cases) {
    for (const auto path : each.matching)
      EXPECT_TRUE(matches(each.glob, path)) << each.glob << " " << path;
    for (const auto path : each.others)
      EXPECT_FALSE(matches(each.glob, path)) << each.glob << " " << path;
  }
}

// A wrong glob is refused with the field, the reason and the fix.
TEST(Glob, Refuses) {
  const std::string long_one(kGlobBytesMax + 1, 'a');
  const std::string deep = [] {
    std::string out = "a";
    for (size_t i = 0; i < kGlobPartsMax; ++i) out += "/a";
    return out;
  }();
  for (const std::string& bad :
       {std::string(), std::string("a//b"), std::string("a/"), std::string("[a"),
        std::string("a\\"), std::string("a**"), std::string("**a/b"), std::string("[z-a]"),
        std::string("[[:word:]]"), std::string("{a,b"), std::string("a}"), std::string("./a"),
        std::string("a\0b", 3), std::string("{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b}"), long_one, deep}) {
    const auto refused = parse_glob(bad, "file.globs[0]");
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().reason, "invalid_glob") << bad;
    EXPECT_EQ(refused.error().param, "file.globs[0]");
    EXPECT_NE(refused.error().message.find(": "), std::string::npos);
    EXPECT_EQ(testing::violations(refused.error().message), std::vector<std::string>{});
  }
}

// No glob leaves its root, however it is written.
TEST(Glob, StaysBelowItsRoot) {
  for (const char* bad : {"/etc/*", "../x", "a/../../x", "..", "a/..", R"(\.\./x)", R"(\/etc)",
                          "{a,/etc}/x", "{.,x}./y", "**/.."}) {
    const auto refused = parse_glob(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().reason, "glob_escapes_root") << bad << refused.error().message;
  }
}

// A walk enters only the directories that may contain a match.
TEST(Glob, KnowsWhereAMatchMayBe) {
  const auto glob = *parse_glob("src/**/x/*.cc");
  for (const char* entered : {"", "src", "src/a", "src/x", "src/a/b"}) {
    EXPECT_TRUE(glob.may_match_below(entered)) << entered;
  }
  for (const char* skipped : {"lib", "srcs", "lib/src"}) {
    EXPECT_FALSE(glob.may_match_below(skipped)) << skipped;
  }
  EXPECT_FALSE(parse_glob("*.cc")->may_match_below("src"));
  EXPECT_FALSE(parse_glob("a/b")->may_match_below("a/b"));
}

// The definition, without any cleverness: exponential, so only for short texts.
bool plainly(std::string_view glob, std::string_view path) {
  if (glob.empty()) return path.empty();
  if (glob == "**") return !path.empty();
  if (glob.starts_with("**/")) {
    if (plainly(glob.substr(3), path)) return true;
    const size_t slash = path.find('/');
    return slash != std::string_view::npos && plainly(glob, path.substr(slash + 1));
  }
  if (glob[0] == '*') {
    if (plainly(glob.substr(1), path)) return true;
    return !path.empty() && path[0] != '/' && plainly(glob, path.substr(1));
  }
  if (path.empty()) return false;
  if (glob[0] == '?' ? path[0] == '/' : glob[0] != path[0]) return false;
  return plainly(glob.substr(1), path.substr(1));
}

// Any glob matches the same paths as its definition.
RC_GTEST_PROP(GlobProperty, MatchesLikeItsDefinition, ()) {
  const auto glob_part =
      rc::gen::oneOf(rc::gen::just<std::string>("**"),
                     rc::gen::resize(5, rc::gen::nonEmpty(rc::gen::container<std::string>(
                                            rc::gen::elementOf(std::string("ab*?"))))));
  const auto name = rc::gen::resize(
      6, rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab")))));
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string out;
    for (const auto& part : parts) out += (out.empty() ? "" : "/") + part;
    return out;
  };
  const auto globs = *rc::gen::resize(
      4, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(glob_part)));
  const auto names =
      *rc::gen::resize(4, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(name)));
  const std::string glob = joined(globs);
  const std::string path = joined(names);
  const auto parsed = parse_glob(glob);
  RC_PRE(parsed.has_value());  // "a**" is refused.
  auto defined = globs;        // As in git, a part of more than two stars is "**".
  for (std::string& part : defined) {
    if (part.size() > 2 && part.find_first_not_of('*') == part.npos) part = "**";
  }
  RC_ASSERT(parsed->matches(path) == plainly(joined(defined), path));
  if (!parsed->matches(path)) return;
  for (size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    RC_ASSERT(parsed->may_match_below(path.substr(0, at)));
  }
}

// Patterns that make a backtracking matcher run for years are answered (or this test never ends).
TEST(Glob, TakesBoundedTime) {
  std::string stars;
  while (stars.size() + 2 < kGlobBytesMax) stars += "*a";
  const std::string name(4'000, 'a');
  EXPECT_TRUE(matches(stars, name));
  EXPECT_FALSE(matches(stars.substr(0, 1'000) + "b", name));
  std::string levels;
  for (size_t i = 0; i + 2 < kGlobPartsMax; i += 2) levels += "**/*a*/";
  std::string path;
  for (int i = 0; i < 1'000; ++i) path += "aaa/";
  EXPECT_TRUE(matches(levels + "a", path + "a"));
  EXPECT_FALSE(matches(levels + "b", path + "a"));
}

// Any bytes are parsed or refused; nothing else happens.
RC_GTEST_PROP(GlobProperty, SurvivesAnyText, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a*?[]!^-{},/\\.:\xC3\xFF")));
  const auto parsed = parse_glob(text);
  if (parsed) (void)parsed->matches("a/b.\xC3/c");
}

}  // namespace
}  // namespace drover::triggers
