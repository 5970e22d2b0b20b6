// The command of a run in JSON: a room stores it and starts the same run later.
#include "requests/command.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace drover::requests {
namespace {

run::Spec read(std::string_view body) {
  run::Spec spec;
  Fields fields(body);
  read_command(fields, spec);
  const auto ok = fields.finish();
  EXPECT_TRUE(ok) << (ok ? "" : ok.error().message);
  return spec;
}

// Writing a command and reading it again changes nothing, whatever was set.
TEST(Command, IsReadBackAsWritten) {
  const run::Spec spec = read(R"({"command": ["make", {"base64": "/w=="}], "cwd": "/src",
    "name": "build", "lane": "gpu", "labels": {"team": "a"}, "timeout": "90s",
    "idle_timeout": "5m", "grace": "1s", "priority": 7, "on_restart": "fail",
    "retry": {"max": 3, "backoff": "2s", "on": ["failed", "abandoned"]},
    "limits": {"memory": "512M", "cpus": 1.5, "pids": 100, "nice": 5, "output": "1M",
               "on_output": "end"}})");
  EXPECT_EQ(spec.argv[1], "\xff");
  EXPECT_EQ(spec.limits.cpu_milli, 1500U);
  const std::string text = boost::json::serialize(command_of(spec));
  EXPECT_EQ(boost::json::serialize(command_of(read(text))), text);
  EXPECT_EQ(read(text).retry, spec.retry);
  EXPECT_EQ(read(text).limits, spec.limits);
}

// A command with defaults is short, and a shell script stays one.
TEST(Command, LeavesOutDefaults) {
  EXPECT_EQ(boost::json::serialize(command_of(read(R"({"shell": "a | b", "cwd": "/"})"))),
            R"({"shell":"a | b","cwd":"/"})");
}

// R15: the values of environment variables are never part of the stored command.
TEST(Command, DoesNotContainTheEnvironment) {
  const run::Spec spec = read(R"({"command": ["x"], "cwd": "/", "env": {"KEY": "s3cret"}})");
  EXPECT_EQ(spec.env.at("KEY"), "s3cret");
  EXPECT_FALSE(command_of(spec).contains("env"));
}

}  // namespace
}  // namespace drover::requests
