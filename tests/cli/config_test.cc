// `drover config` and config.toml, through the real programs.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "config/daemon_options.h"
#include "testing/plain_words.h"
#include "tests/harness.h"

namespace drover::tests {
namespace {

std::string file_of(const Flock& flock) {
  return flock.home().config + "/config.toml";
}

void write_file(const Flock& flock, const std::string& text) {
  std::filesystem::create_directories(flock.home().config);
  ASSERT_TRUE(replace_file(file_of(flock), text));
}

// S1: `config` sets a value and shows where it is set. The environment overrides the file, and an
// option overrides both.
TEST(Config, FlagWinsOverEnvironmentOverFile) {
  Flock flock;
  EXPECT_EQ(flock.ok({"config", "path"}), file_of(flock));
  EXPECT_EQ(flock.ok({"config", "get", "run.lane"}), "default");
  flock.ok({"config", "set", "run.lane", "slow"});
  flock.ok({"config", "set", "run.timeout", "1h"});
  EXPECT_EQ(flock.ok({"config", "get", "run.lane"}), "slow");
  EXPECT_EQ(text_of(flock.show(flock.run("true")), "lane"), "slow");
  EXPECT_EQ(text_of(flock.show(flock.run("true", {"--lane", "typed"})), "lane"), "typed");
  flock.environment["DROVER_RUN_LANE"] = "fast";
  EXPECT_EQ(text_of(flock.show(flock.run("true")), "lane"), "fast");
  const std::string page = flock.ok({"config", "show", "--origin"});
  EXPECT_NE(page.find("$DROVER_RUN_LANE"), std::string::npos) << page;
  EXPECT_NE(page.find(file_of(flock) + ":2"), std::string::npos) << page;
  EXPECT_NE(page.find("default"), std::string::npos) << page;
  flock.environment.erase("DROVER_RUN_LANE");
  flock.ok({"config", "unset", "run.lane"});
  EXPECT_EQ(flock.ok({"config", "get", "run.lane"}), "default");
  const auto settings = flock.json({"config", "show"})["settings"].as_object();
  EXPECT_EQ(text_of(settings.at("run.timeout").as_object(), "origin"), "file");
}

// S1: an invalid file prevents runs and starting the daemon, but not looking and stopping.
TEST(Config, AnInvalidFilePreventsRunsButNotStop) {
  Flock flock;
  flock.daemon();
  write_file(flock, "[run]\nlane = slow\n");
  const std::string where = file_of(flock) + ":2";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", "--", "true"}, {"config", "show"}, {"config", "set", "run.lane", "a"}}) {
    const Output out = flock.drover(words);
    EXPECT_EQ(out.code, 2) << words[0];
    EXPECT_NE(out.err.find(where), std::string::npos) << out.err;
  }
  EXPECT_EQ(flock.drover({"ps"}).code, 0);
  EXPECT_EQ(flock.drover({"config", "path"}).code, 0);
  const Output doctor = flock.drover({"doctor"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_NE(doctor.out.find("bad  settings       " + where), std::string::npos) << doctor.out;
  flock.ok({"stop"});
  const Output out = flock.drover({"status"});
  EXPECT_NE(out.code, 0);
  EXPECT_NE(out.err.find(where), std::string::npos) << out.err;
  write_file(flock, "");
  flock.ok({"status"});
}

// R9: the daemon's own options are validated too: a value that is not a number does not mean "keep
// nothing".
TEST(Config, TheDaemonRefusesInvalidOptions) {
  Flock flock;
  for (const char* value : {"x", "12x", "-1", "", "1e3"}) {
    const Output out = flock.droverd({"--retain-count", value});
    EXPECT_EQ(out.code, 2) << value;
    EXPECT_NE(out.err.find("--retain-count"), std::string::npos) << out.err;
  }
}

// S1: `droverd --help` lists every option that it accepts, with its text; it starts no daemon.
TEST(Config, TheDaemonListsItsOptions) {
  Flock flock;
  const Output help = flock.droverd({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_EQ(testing::width_violations(help.out, 80), std::vector<std::string>());
  std::string text;  // With one blank between words: long texts are wrapped.
  std::istringstream words(help.out);
  for (std::string word; words >> word;) text += word + " ";
  for (const config::DaemonOption& option : config::kDaemonOptions) {
    const size_t at = help.out.find("\n  " + std::string(option.name) + " ");
    ASSERT_NE(at, std::string::npos) << option.name;
    EXPECT_NE(text.find(option.help), std::string::npos) << option.name;
    if (option.value.empty()) continue;
    const Output alone = flock.droverd({std::string(option.name)});
    EXPECT_EQ(alone.code, 2) << option.name;
    EXPECT_NE(alone.err.find(std::string(option.name) + " needs a value"), std::string::npos)
        << alone.err;
  }
  EXPECT_NE(help.out.find("--manifest ROOT"), std::string::npos) << help.out;
  const Output unknown = flock.droverd({"--lissen"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("unknown argument --lissen"), std::string::npos) << unknown.err;
  EXPECT_EQ(flock.drover({"--no-start", "status"}).code, 7);
}

// S1: an invalid value is refused before it is written.
TEST(Config, RefusesInvalidValues) {
  Flock flock;
  EXPECT_EQ(flock.drover({"config", "set", "run.speed", "3"}).code, 5);
  EXPECT_EQ(flock.drover({"config", "get", "x"}).code, 5);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"run.timeout", "soon"},
                                                        {"retention.count", "-1"},
                                                        {"ui.color", "blue"},
                                                        {"run.lane", ""},
                                                        {"run.lane", "a b"},
                                                        {"retention.count", "many"}}) {
    EXPECT_EQ(flock.drover({"config", "set", name, value}).code, 2) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(file_of(flock)));
}

// R9: from its next start on, the daemon keeps as many finished runs as the file says.
TEST(Config, RetentionUsesTheFile) {
  Flock flock;
  flock.ok({"config", "set", "retention.count", "0"});
  const Output told = flock.drover({"config", "set", "retention.count", "2"});
  EXPECT_NE(told.err.find("when it starts"), std::string::npos) << told.err;
  EXPECT_EQ(*read_file(file_of(flock), 1000), "[retention]\ncount = 2\n");
  const auto daemon = flock.start({"serve", "--", "--retain-every", "10ms"});
  daemon->wait_for_error("ready: ");
  const auto events = flock.start({"events", "--follow", "--after", "0"});
  const std::string first = flock.run("true");
  for (int i = 0; i < 3; ++i) flock.ended(flock.run("true"));
  events->wait_for(first + "  run.deleted");
  flock.ok({"stop"});
}

// S1: the configured color mode applies unless --color or NO_COLOR overrides it.
TEST(Config, ColorAppliesUnlessOverridden) {
  Flock flock;
  flock.ended(flock.run("true"));
  flock.ok({"config", "set", "ui.color", "always"});
  EXPECT_NE(flock.drover({"ps"}).out.find("\x1b["), std::string::npos);
  EXPECT_EQ(flock.drover({"ps", "--color", "never"}).out.find("\x1b["), std::string::npos);
  flock.environment["NO_COLOR"] = "1";
  EXPECT_EQ(flock.drover({"ps"}).out.find("\x1b["), std::string::npos);
}

}  // namespace
}  // namespace drover::tests
