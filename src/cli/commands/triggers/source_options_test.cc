// The options of `drover trigger add` and `edit` that say when a trigger fires.
#include "cli/commands/triggers/source_options.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

namespace drover::cli {
namespace {

using Options = std::map<std::string, std::vector<std::string>, std::less<>>;

// The source as JSON, "none", or the error.
std::string source(Options options, std::string_view before = {}) {
  const auto out = source_of({.options = std::move(options), .words = {}}, before);
  if (!out) return out.error().param + ": " + out.error().message;
  return *out ? boost::json::serialize(**out) : "none";
}

// The option that chooses the source, and those that belong to it, are fields of the source.
TEST(SourceOptions, AreFieldsOfTheSource) {
  EXPECT_EQ(source({{"cron", {"0 3 * * *"}}, {"tz", {"Asia/Tokyo"}}}),
            R"({"type":"cron","cron":"0 3 * * *","tz":"Asia/Tokyo"})");
  EXPECT_EQ(source({{"file", {"*.c", "*.h"}}, {"root", {"/src"}}, {"change", {"created"}}}),
            R"({"type":"file","globs":["*.c","*.h"],"root":"/src","on":["created"]})");
  EXPECT_EQ(source({{"webhook", {"deploy"}}, {"secret-env", {"KEY"}}}),
            R"({"type":"webhook","path":"deploy","secret":"env:KEY"})");
  EXPECT_EQ(source({{"page", {"https://x.example"}}, {"selector", {"p"}}, {"allow-private", {}}}),
            R"({"type":"page","url":"https://x.example","selector":"p","allow_private":true})");
  EXPECT_EQ(source({}), "none");
}

// Two sources, and options without the source that they belong to, are refused with the name of
// the option.
TEST(SourceOptions, AreRefusedIfTheyDoNotFit) {
  EXPECT_EQ(source({{"cron", {"0 3 * * *"}}, {"every", {"1h"}}}),
            "every: --every and --cron cannot be combined; add two triggers");
  EXPECT_EQ(source({{"every", {"1h"}}, {"tz", {"UTC"}}}), "tz: --tz requires --cron");
  EXPECT_EQ(source({{"every", {"1h"}}, {"secret-env", {"KEY"}}}),
            "secret: a secret requires --webhook");
  EXPECT_EQ(source({{"webhook", {"x"}}, {"secret-env", {"KEY"}}, {"secret-file", {"/k"}}}),
            "secret: --secret-file and --secret-env cannot be combined");
  EXPECT_EQ(source({{"file", {"*"}}, {"root", {""}}}),
            "path: a path is empty; leave its option out for the default");
  EXPECT_EQ(source({{"webhook", {"x"}}}),
            "secret: --webhook requires --secret-file FILE or --secret-env NAME");
  EXPECT_EQ(source({{"page", {"https://x.example"}}}), "selector: --page requires --selector CSS");
}

// An edit may give the options of the source that the trigger has, and needs no others.
TEST(SourceOptions, BelongToTheSourceOfAnEditedTrigger) {
  EXPECT_EQ(source({{"tz", {"UTC"}}}, "cron"), R"({"type":"cron","tz":"UTC"})");
  EXPECT_EQ(source({{"webhook", {"y"}}}, "webhook"), R"({"type":"webhook","path":"y"})");
  EXPECT_EQ(source({{"tz", {"UTC"}}}, "every"), "tz: --tz requires --cron");
  EXPECT_EQ(source({}, "cron"), "none");
}

}  // namespace
}  // namespace drover::cli
