#include "run/spec.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "base/text.h"

namespace drover::run {
namespace {

using limits::kArgumentBytesMax;
using namespace std::string_literals;

Spec good() {
  Spec spec;
  spec.argv = {"make", "test"};
  spec.cwd = "/home/ada/work";
  spec.env = {{"PATH", "/bin"}, {"BASH_FUNC_f%%", "() { :; }"}, {"EMPTY", ""}};
  spec.name = "nightly";
  spec.labels = {{"team", "infra"}, {"empty", ""}};
  spec.scope = "app/reports";
  spec.key = "3f0c";
  return spec;
}

struct Bad {
  const char* what;
  const char* param;
  std::function<void(Spec&)> spoil;
};

// H6: a malformed request is refused, and the error names the field.
TEST(Spec, EveryFieldsBadValuesAreRefusedByName) {
  const std::string long_argument(kArgumentBytesMax, 'x');
  const std::vector<Bad> all{
      {"empty argv", "command", [](Spec& s) { s.argv.clear(); }},
      {"empty program", "command", [](Spec& s) { s.argv = {"", "x"}; }},
      {"command and shell", "command", [](Spec& s) { s.shell = "ls"; }},
      {"NUL in an argument", "command", [](Spec& s) { s.argv[1] = "a\0b"s; }},
      {"NUL in the script", "command",
       [](Spec& s) {
         s.argv.clear();
         s.shell = "a\0b"s;
       }},
      {"an argument past 128 KiB", "command", [&](Spec& s) { s.argv[1] = long_argument; }},
      {"a script past 128 KiB", "command",
       [&](Spec& s) {
         s.argv.clear();
         s.shell = long_argument;
       }},
      {"too many arguments", "command",
       [](Spec& s) { s.argv.assign(limits::kArgumentsMax + 1, "x"); }},
      {"arguments past 2 MiB in all", "command",
       [](Spec& s) { s.argv.assign(20, std::string(kArgumentBytesMax - 1, 'x')); }},
      {"arguments and environment past 2 MiB in all", "command",
       [](Spec& s) {
         for (char c = 'a'; c < 'a' + 17; ++c) s.env[{c}] = std::string(kArgumentBytesMax - 9, c);
       }},
      {"a name that stands for another run", "name", [](Spec& s) { s.name = "@last"; }},
      {"a variable without a name", "env", [](Spec& s) { s.env[""] = "x"; }},
      {"a name with =", "env", [](Spec& s) { s.env["A=B"] = "x"; }},
      {"a name with NUL", "env", [](Spec& s) { s.env["A\0B"s] = "x"; }},
      {"a name that begins with a digit", "env", [](Spec& s) { s.env["1A"] = "x"; }},
      {"a name that is not UTF-8", "env", [](Spec& s) { s.env["A\xFF"] = "x"; }},
      {"a value with NUL", "env", [](Spec& s) { s.env["A"] = "a\0b"s; }},
      {"a value past 128 KiB", "env", [&](Spec& s) { s.env["A"] = long_argument; }},
      {"too many variables", "env",
       [](Spec& s) {
         for (size_t i = 0; i <= limits::kEnvironmentMax; ++i) s.env["V" + std::to_string(i)];
       }},
      {"no cwd", "cwd", [](Spec& s) { s.cwd = ""; }},
      {"a relative cwd", "cwd", [](Spec& s) { s.cwd = "work"; }},
      {"a cwd with NUL", "cwd", [](Spec& s) { s.cwd = "/a\0b"s; }},
      {"a cwd past PATH_MAX", "cwd", [](Spec& s) { s.cwd = "/" + std::string(4'095, 'x'); }},
      {"a long name", "name", [](Spec& s) { s.name.assign(limits::kNameBytesMax + 1, 'x'); }},
      {"a name with NUL", "name", [](Spec& s) { s.name = "a\0b"s; }},
      {"a name that is not UTF-8", "name", [](Spec& s) { s.name = "\xC0\xAF"; }},
      {"a long key", "key", [](Spec& s) { s.key.assign(limits::kKeyBytesMax + 1, 'x'); }},
      {"too many labels", "labels",
       [](Spec& s) {
         for (size_t i = 0; i <= limits::kLabelsMax; ++i) s.labels["l" + std::to_string(i)];
       }},
      {"a label without a name", "labels", [](Spec& s) { s.labels[""] = "x"; }},
      {"a label's name with =", "labels", [](Spec& s) { s.labels["a=b"] = "x"; }},
      {"a label's name with a space", "labels", [](Spec& s) { s.labels["a b"] = "x"; }},
      {"a long label", "labels",
       [](Spec& s) { s.labels["a"].assign(limits::kLabelBytesMax + 1, 'x'); }},
      {"a label that is not UTF-8", "labels", [](Spec& s) { s.labels["a"] = "\xFF"; }},
      {"a negative timeout", "timeout", [](Spec& s) { s.timeout_ms = -1; }},
      {"a timeout past ten years", "timeout",
       [](Spec& s) { s.timeout_ms = limits::kDurationMaxMs + 1; }},
      {"a negative idle timeout", "idle_timeout", [](Spec& s) { s.idle_timeout_ms = -1; }},
      {"a negative grace", "grace", [](Spec& s) { s.grace_ms = -1; }},
      {"no lane", "lane", [](Spec& s) { s.lane = ""; }},
      {"no scope", "scope", [](Spec& s) { s.scope = ""; }},
  };
  for (const Bad& bad : all) {
    Spec spec = good();
    bad.spoil(spec);
    const auto checked = validate(spec);
    ASSERT_FALSE(checked) << bad.what;
    EXPECT_EQ(checked.error().code, ErrorCode::invalid) << bad.what;
    EXPECT_EQ(checked.error().param, bad.param) << bad.what;
    EXPECT_FALSE(checked.error().message.empty()) << bad.what;
    EXPECT_LT(checked.error().message.size(), 500U) << bad.what;
  }
}

// A well-formed request is accepted, up to the exact limit.
TEST(Spec, AcceptsWellFormedRequests) {
  ASSERT_TRUE(validate(good()));
  Spec spec = good();
  spec.argv[1].assign(kArgumentBytesMax - 1, 'x');
  spec.cwd = "/" + std::string(4'094, 'x');
  spec.name.assign(limits::kNameBytesMax, 'x');
  spec.timeout_ms = limits::kDurationMaxMs;
  spec.grace_ms = 0;
  EXPECT_TRUE(validate(spec));
  spec.argv.clear();
  spec.shell = "make test | tee log";
  EXPECT_TRUE(validate(spec));
  EXPECT_EQ(spec.command(), (std::vector<std::string>{"/bin/sh", "-c", "make test | tee log"}));
}

// R15: argv is passed as given; nothing is interpreted, added or removed.
RC_GTEST_PROP(Spec, CommandIsArgvAsGiven, (const std::vector<std::string>& argv)) {
  Spec spec;
  spec.argv = argv;
  RC_ASSERT(spec.command() == argv);
}

// A scope is a path of plain names.
TEST(Spec, AScopeIsAPathOfNames) {
  for (const char* scope : {"default", "world/chat", "app/a-b_c.d", "tour/01HX", "a"}) {
    EXPECT_TRUE(validate_scope(scope)) << scope;
  }
  for (const char* scope :
       {"", "/", "/a", "a/", "a//b", "a b", "a/\xC3\xA4", "a\nb", "a%", "a\\b"}) {
    EXPECT_FALSE(validate_scope(scope)) << scope;
  }
  EXPECT_FALSE(validate_scope(std::string(limits::kScopeBytesMax + 1, 'x')));
  std::string deep = "a";
  for (int parts = 1; parts < limits::kScopePartsMax; ++parts) deep += "/a";
  EXPECT_TRUE(validate_scope(deep));
  EXPECT_FALSE(validate_scope(deep + "/a"));
}

// R16: a lane is one plain name.
TEST(Spec, ALaneIsOneName) {
  for (const char* lane : {"default", "apps", "gpu-0", "a.b_c"}) {
    EXPECT_TRUE(validate_lane(lane)) << lane;
  }
  for (const char* lane : {"", "a/b", "a b", "a\n", "\xC3\xA4"}) {
    EXPECT_FALSE(validate_lane(lane)) << lane;
  }
  EXPECT_TRUE(validate_lane(std::string(limits::kLaneBytesMax, 'x')));
  EXPECT_FALSE(validate_lane(std::string(limits::kLaneBytesMax + 1, 'x')));
}

}  // namespace
}  // namespace drover::run
