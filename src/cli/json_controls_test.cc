// With --json no command passes on a control character, whatever runs are called or print: neither
// the ones that JSON escapes anyway, nor U+0080 to U+009F, which 8-bit terminals obey.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/client/fake_daemon.h"
#include "cli/every_command.h"

namespace drover::cli {
namespace {

const std::string kRun = "run_01jc8x00000000000000000000";
const std::string kHostile =
    "a\xC2\x9B"
    "2J";

// An object that is an answer to every question.
std::string answer() {
  const std::string name = "\"" + kHostile + "\"";
  const std::string run =
      R"({"run_id":")" + kRun + R"(","name":)" + name + R"(,"command":[)" + name +
      R"(],"state":"completed","reason":"exit","exit_code":0,"lane":"default","message":)" + name +
      R"(,"queued_at":"2026-11-15T09:58:25.123Z","finished_at":"2026-11-15T09:58:26.123Z")";
  const std::string event =
      R"({"cursor":"1","seq":1,"subject":"run/)" + kRun +
      R"(","type":"run.completed","time":"2026-11-15T09:58:25.123Z","data":)" + R"({"name":)" +
      name + "}}";
  return run + R"(,"runs":[)" + run + R"(}],"events":[)" + event + R"(],"lanes":[{"name":)" + name +
         R"(,"limit":1}],"tokens":[{"id":"tok_1","label":)" + name + R"(}],"followers":[{"name":)" +
         name + R"(}],"projects":[{"id":"game","name":)" + name +
         R"(,"root":"/"}],"id":"game","root":"/","label":)" + name +
         R"(,"stream":"stdout","offset":0,"time":"2026-11-15T09:58:25.123Z","seq":1,"text":)" +
         name + R"(,"outcome":)" + name + R"(,"accepted":3,"next_cursor":null})";
}

void script(const ReceivedRequest& heard, Reply& reply) {
  if (heard.is("GET", "/api/projects/") && heard.target.ends_with("after=1")) {
    return reply.with_header(200, "", "");  // The page after the last one.
  }
  if (heard.target.find("follow=true") == std::string::npos) {
    return reply.with_header(200, "Drover-Next-Offset: 3\r\n", answer() + "\n");
  }
  reply.begin_stream();
  reply.event("1", "run.progress", answer());
  reply.event("2", "run.completed",
              R"({"run_id":")" + kRun + R"(","data":{"name":")" + kHostile +
                  R"(","state":"completed","exit_code":0}})");
  reply.end_stream();
}

// These print nothing that a daemon says, take a terminal, or stay until they are stopped.
const std::set<std::string_view> kOthers{
    "attach",      "completion",      "__complete",     "__manual", "serve", "service install",
    "top",         "service remove",  "service status", "init",     "play",  "ui",
    "project add", "project manifest"};

// The words of the other commands, if `RUN` and so on are not enough.
const std::map<std::string_view, std::vector<std::string>> kWords{
    {"config get", {"run.lane"}},   {"config set", {"run.lane", "default"}},
    {"config unset", {"run.lane"}}, {"events", {"--follow", "--after", "0", "--limit", "1"}},
    {"lane set", {"default", "2"}}, {"lane move", {kRun, "default"}},
    {"priority", {kRun, "1"}},      {"progress", {"40", "text", "--run", kRun}},
    {"run", {"--", "true"}},        {"send", {kRun, "text"}},
    {"signal", {kRun, "CONT"}},     {"token revoke", {"tok_1f2e3d4c5b6a"}},
};

std::vector<std::string> words_of(const Command& command) {
  std::vector<std::string> words;
  std::string name(command.name);
  for (size_t space = 0; (space = name.find(' ')) != std::string::npos;) {
    words.push_back(name.substr(0, space));
    name.erase(0, space + 1);
  }
  words.push_back(name);
  words.emplace_back("--json");
  const auto known = kWords.find(command.name);
  if (known != kWords.end()) {
    words.insert(words.end(), known->second.begin(), known->second.end());
  } else if (command.words.find("PROJECT") != std::string_view::npos) {
    words.emplace_back("game");
  } else if (command.words_min > 0 || command.words == "[RUN…]") {
    words.push_back(command.words.starts_with("LANE") ? "default" : kRun);
  }
  return words;
}

bool has_control(const std::string& text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const auto next = static_cast<unsigned char>(text[i + 1]);
    if (text[i] == '\xC2' && next >= 0x80 && next <= 0x9F) return true;
  }
  return text.find('\x1b') != std::string::npos;
}

TEST(JsonControls, NoCommandPassesThemOn) {
  FakeDaemon daemon(script);
  std::set<std::string> quoting;  // Those that print the hostile text.
  for (const Command* command : every_command()) {
    if (kOthers.contains(command->name)) continue;
    SCOPED_TRACE(command->name);
    const ProgramResult ended = drover_says(words_of(*command), daemon.home());
    EXPECT_GE(ended.code, 0) << "killed by a signal";
    EXPECT_FALSE(has_control(ended.out)) << ended.out;
    EXPECT_FALSE(has_control(ended.err)) << ended.err;
    if (ended.out.find("\\u009b") != std::string::npos) quoting.emplace(command->name);
  }
  for (const char* name : {"run", "events", "show", "ps", "logs", "wait", "why", "play log",
                           "lane ls", "token ls", "project ls"}) {
    EXPECT_TRUE(quoting.contains(name)) << name;
  }
}

// An error quotes its caller's words.
TEST(JsonControls, NoErrorPassesThemOn) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(404,
               R"({"error":{"type":"not_found_error","code":"run_not_found","message":"no run )" +
                   kHostile + R"("}})");
  });
  const ProgramResult ended = drover_says({"show", "--json", kRun}, daemon.home());
  EXPECT_FALSE(has_control(ended.err)) << ended.err;
  EXPECT_NE(ended.err.find("\\u009b"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace drover::cli
