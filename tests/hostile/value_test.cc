// Invalid values: numbers out of range, names with an equals sign, missing directories, ids of
// another scope. Each is refused with the name of its field, or recorded as a failure.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "base/limits.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;
using Values = AttackedFlock;
using boost::json::array;
using boost::json::object;
using tests::text_of;

// S1: a duration is numbers with units; whatever else it is, the field is named.
TEST_F(Values, AnInvalidDurationIsNamed) {
  begin();
  for (const char* field : {"timeout", "idle_timeout", "grace"}) {
    for (const char* value : {R"("")",
                              R"("0")",
                              R"("-1s")",
                              R"("-0s")",
                              R"("+1s")",
                              R"("1e999s")",
                              R"("1e3ms")",
                              R"("99999999999999999999d")",
                              R"("9223372036854775807ms")",
                              R"("3651d")",
                              R"("NaN")",
                              R"("nans")",
                              R"("infs")",
                              R"("0x10s")",
                              R"("010")",
                              R"(" 1s")",
                              R"("1s ")",
                              R"("1 s")",
                              R"("1.5.2s")",
                              R"("1.5.2s")",
                              R"("1S")",
                              R"("1w")",
                              R"("1s1s")",
                              R"("\u0663s")",
                              R"("1\u0000s")",
                              "0",
                              "10",
                              "-1",
                              "1.5",
                              "1e999",
                              "true",
                              "null",
                              "[]",
                              "{}"}) {
      const std::string body =
          R"({"command":["true"],")" + std::string(field) + R"(":)" + value + "}";
      const Refusal refusal = ask("POST", "/api/runs", body);
      EXPECT_EQ(refusal.status, 400) << body;
      EXPECT_EQ(refusal.code, "invalid_value") << body;
      EXPECT_EQ(refusal.param, field) << body;
    }
  }
  expect_untouched();
}

// The same for every other number in a request.
TEST_F(Values, AnInvalidNumberIsNamed) {
  const std::string id = flock_.run("exit 0");
  flock_.ended(id);
  begin();
  struct Case {
    const char* method;
    std::string path, body, param;
  };
  std::vector<Case> cases;
  const std::string run = "/api/runs/" + id;
  for (const char* text : {"", "-1", "+1", "1e3", "NaN", "inf", "0x10", "1.5", " 1", "1 ",
                           "99999999999999999999", "18446744073709551616", "one"}) {
    const std::string escaped = text == std::string(" 1")   ? "%201"
                                : text == std::string("1 ") ? "1%20"
                                                            : text;
    for (const char* query : {"limit", "tail", "offset"}) {
      cases.push_back({"GET", run + "/logs?" + query + "=" + escaped, "", query});
    }
    for (const char* query : {"limit", "cursor"}) {
      cases.push_back({"GET", std::string("/api/runs?") + query + "=" + escaped, "", query});
    }
    cases.push_back({"GET", run + "?wait=" + escaped, "", "wait"});
    if (escaped != "1.5") {  // An event and an offset: a valid cursor.
      cases.push_back({"GET", "/api/events?after=" + escaped, "", "after"});
    }
  }
  for (const char* limit : {"0", "-1", "1.5", "1e999", "\"5\"", "100001", "9223372036854775808",
                            "18446744073709551616", "null", "[1]", "true"}) {
    cases.push_back({"PUT", "/api/lanes/x", R"({"limit":)" + std::string(limit) + "}", "limit"});
  }
  for (const char* signal : {"0", "-1", "65", "1e9", "9.5", "99999999999", "\"NOPE\"", "\"\"",
                             "\"9 \"", "null", "[9]"}) {
    cases.push_back(
        {"POST", run + "/signal", R"({"signal":)" + std::string(signal) + "}", "signal"});
  }
  for (const char* grace : {"-1", "\"-1s\"", "\"1e999s\"", "\"\""}) {
    cases.push_back({"POST", run + "/cancel", R"({"grace":)" + std::string(grace) + "}", "grace"});
  }
  for (const Case& c : cases) {
    const Refusal refusal = ask(c.method, c.path, c.body);
    EXPECT_EQ(refusal.status, 400) << c.path << " " << c.body;
    EXPECT_EQ(refusal.code, "invalid_value") << c.path << " " << c.body;
    EXPECT_EQ(refusal.param, c.param) << c.path << " " << c.body;
  }
  // A value that is only large is allowed: the answer is empty.
  for (const char* query : {"offset=9223372036854775807", "tail=9223372036854775807", "limit=1"}) {
    EXPECT_EQ(ask("GET", run + "/logs?" + query).status, 200) << query;
  }
  expect_untouched();
}

// Names of variables, scopes, lanes, labels and keys that would not be read back unchanged are
// refused.
TEST_F(Values, AnInvalidNameIsRefused) {
  begin();
  const std::string long_name(300, 'n'), megabyte(1 << 20, 'v');
  struct Case {
    std::string fields, param;
  };
  for (const Case& c : {Case{R"("env":{"":"x"})", "env"},
                        {R"("env":{"A=B":"x"})", "env"},
                        {R"("env":{"=":"x"})", "env"},
                        {R"("env":{"A\u0000B":"x"})", "env"},
                        {R"("env":{"A":"x\u0000y"})", "env"},
                        {R"("env":{"1A":"x"})", "env"},
                        {R"("env":{"A":1})", "env"},
                        {R"("env":{"A":")" + megabyte + R"("})", "env"},
                        {R"("env":["A=B"])", "env"},
                        {R"("scope":"")", "scope"},
                        {R"("scope":"/a")", "scope"},
                        {R"("scope":"a//b")", "scope"},
                        {R"("scope":"a b")", "scope"},
                        {R"("scope":")" + long_name + R"(")", "scope"},
                        {R"("lane":"")", "lane"},
                        {R"("lane":"a/b")", "lane"},
                        {R"("lane":")" + long_name + R"(")", "lane"},
                        {R"("name":")" + long_name + R"(")", "name"},
                        {R"("name":"a\u0000b")", "name"},
                        {R"("labels":{"":"x"})", "labels"},
                        {R"("labels":{"a b":"x"})", "labels"},
                        {R"("labels":{"a":")" + long_name + R"("})", "labels"},
                        {R"("cwd":"")", "cwd"},
                        {R"("cwd":"~")", "cwd"},
                        {R"("cwd":"/a\u0000b")", "cwd"},
                        {R"("cwd":"/)" + std::string(limits::kPathBytesMax, 'd') + R"(")", "cwd"},
                        {R"("stdin":"tty")", "stdin"},
                        {R"("on_restart":"maybe")", "on_restart"}}) {
    const Refusal refusal = ask("POST", "/api/runs", R"({"command":["true"],)" + c.fields + "}");
    EXPECT_EQ(refusal.code, "invalid_value") << c.fields.substr(0, 80);
    EXPECT_EQ(refusal.param, c.param) << c.fields.substr(0, 80);
  }
  for (const std::string& key : {std::string(" "), long_name}) {
    const Refusal refusal =
        ask("POST", "/api/runs", R"({"command":["true"]})", "Idempotency-Key: " + key + "\r\n");
    EXPECT_EQ(refusal.code, "invalid_value");
    EXPECT_EQ(refusal.param, "Idempotency-Key");
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--env", "=x"},
                                                {"--env", "NAME"},
                                                {"--env", "1A=x"},
                                                {"--env", "A=\xff"},
                                                {"--name", "\xff"},
                                                {"--label", "a=\xff"},
                                                {"--cwd", "/\xff"},
                                                {"--scope", "\xc0\x80"}}) {
    std::vector<std::string> all{"run"};
    all.insert(all.end(), words.begin(), words.end());
    for (const char* word : {"--", "true"}) all.emplace_back(word);
    const tests::Output output = flock_.drover(all);
    EXPECT_EQ(output.code, 2) << words[1];
    EXPECT_NE(output.err.find(words[0].substr(2)), std::string::npos) << output.err;
  }
  expect_untouched();
}

// Arguments beyond the kernel's limits are refused; if only the kernel can know, the run fails at
// `exec`.
TEST_F(Values, MoreThanTheKernelTakesIsRefused) {
  begin();
  const auto of = [](size_t count, size_t bytes) {
    array command{"true"};
    for (size_t i = 0; i < count; ++i) command.push_back(boost::json::string(bytes, 'x'));
    return boost::json::serialize(object{{"command", command}, {"cwd", "/"}});
  };
  for (const std::string& body : {of(1, limits::kArgumentBytesMax), of(17, 127 * 1024),
                                  of(limits::kArgumentsMax, 0), of(limits::kArgumentsMax, 100)}) {
    const Refusal refusal = ask("POST", "/api/runs", body);
    EXPECT_EQ(refusal.code, "invalid_value");
    EXPECT_EQ(refusal.param, "command");
  }
  expect_untouched();
  // Below our limit and above the kernel's, which includes pointers and the environment.
  race::Client client = connect();
  const auto ended = client.ask("POST", "/api/runs?wait=60s", of(16'000, 128));
  EXPECT_EQ(ended.text("state"), "failed");
  EXPECT_EQ(ended.text("reason"), "launch_failed");
  EXPECT_EQ(ended.text("launch_step"), "exec");
  EXPECT_EQ(ended.text("launch_error"), "E2BIG");
  EXPECT_NE(ended.text("message"), "");
}

// H6: a directory that cannot be entered is named with the reason; the command does not run
// elsewhere.
TEST_F(Values, AnInvalidDirectoryIsNamed) {
  flock_.daemon();
  flock_.touch("file");
  fs::create_symlink(flock_.file("nowhere"), flock_.file("dangling"));
  fs::create_symlink(flock_.file("loop"), flock_.file("loop"));
  struct Case {
    std::string cwd, error;
  };
  for (const Case& c : {Case{flock_.file("file"), "ENOTDIR"},
                        {flock_.file("file/below"), "ENOTDIR"},
                        {flock_.file("dangling"), "ENOENT"},
                        {flock_.file("loop"), "ELOOP"},
                        {"/" + std::string(300, 'd'), "ENAMETOOLONG"},
                        {"/proc/1/nothing", "ENOENT"}}) {
    const tests::Output output =
        flock_.drover({"run", "--cwd", c.cwd, "--", "touch", flock_.file("ran")});
    EXPECT_EQ(output.code, 125) << c.cwd << output.err;
    const object record = flock_.show("@last");
    EXPECT_EQ(text_of(record, "launch_step"), "cwd") << c.cwd;
    EXPECT_EQ(text_of(record, "launch_error"), c.error) << c.cwd;
    EXPECT_NE(text_of(record, "message").find(c.cwd.substr(0, 100)), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(flock_.file("ran")));
  flock_.expect_verified();
}

// A caller whose current directory was deleted gets an error; its run does not start elsewhere.
TEST_F(Values, ADeletedCurrentDirectoryIsAnError) {
  begin();
  const std::string script = "mkdir gone && cd gone && rmdir ../gone && exec " + program("drover") +
                             " run -- touch " + flock_.file("ran");
  const tests::Output output =
      tests::Started({"/bin/sh", "-c", script}, flock_.environment, "", flock_.file("")).finish();
  EXPECT_EQ(output.code, 125) << output.err;
  EXPECT_NE(output.err.find("--cwd"), std::string::npos) << output.err;
  EXPECT_FALSE(fs::exists(flock_.file("ran")));
  expect_untouched();
}

// An id belongs to one scope: through another scope it is not found, and nothing is canceled.
TEST_F(Values, AnIdOfAnotherScopeIsNotFound) {
  const std::string mine = flock_.run("sleep 1000", {"--scope", "web"});
  const std::string below = flock_.run("sleep 1000", {"--scope", "web/reports"});
  const std::string near = flock_.run("sleep 1000", {"--scope", "webs"});
  flock_.wait_for_state(near, "running");
  const auto ids_in = [&](const std::string& scope) {
    std::string ids;
    for (const auto& run : flock_.json({"ps", "-a", "--scope", scope}).at("runs").get_array()) {
      ids += text_of(run.get_object(), "run_id") + " ";
    }
    return ids;
  };
  EXPECT_EQ(ids_in("webs"), near + " ");
  EXPECT_EQ(ids_in("web"), below + " " + mine + " ");
  EXPECT_EQ(ids_in("we"), "");
  for (const char* follow : {"", "&follow=true", "&follow=true&output=true"}) {
    const std::string path = "/api/runs/" + near + "/events?scope=web" + follow;
    const Refusal refusal = ask("GET", path);
    EXPECT_EQ(refusal.status, 404) << path;
    EXPECT_EQ(refusal.code, "not_found") << path;
  }
  EXPECT_EQ(ask("POST", "/api/cancel", R"({"scope":"we"})").status, 200);
  EXPECT_EQ(ask("POST", "/api/cancel", R"({"scope":"web"})").status, 200);
  EXPECT_EQ(text_of(flock_.ended(mine), "state"), "canceled");
  EXPECT_EQ(text_of(flock_.ended(below), "state"), "canceled");
  EXPECT_EQ(text_of(flock_.show(near), "state"), "running");
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::hostile
