// Errors through the real programs: each has a type and says what to do next, and nothing is lost.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json/parse.hpp>

#include "tests/harness.h"

namespace drover::tests {
namespace {

class Refusal : public ::testing::Test {
 protected:
  // The error code of a POST to /api/runs.
  std::string refused(const std::string& body, const std::string& type = "application/json") {
    flock_.daemon();
    const std::string answer = flock_.http(
        "POST /api/runs HTTP/1.1\r\nHost: d\r\nConnection: close\r\nContent-Type: " + type +
        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    const size_t at = answer.find("\r\n\r\n");
    if (at == std::string::npos) return "no answer";
    boost::system::error_code bad;
    const auto value = boost::json::parse(answer.substr(at + 4), bad);
    if (bad || !value.is_object() || !value.get_object().contains("error")) return answer;
    const auto& error = value.at("error").get_object();
    EXPECT_NE(text_of(error, "message"), "");
    EXPECT_NE(text_of(error, "request_id"), "");
    return text_of(error, "code");
  }
  Flock flock_;
};

// Any unknown id is "not found", whatever it looks like, with exit code 5.
TEST_F(Refusal, AnUnknownIdIsNotFound) {
  for (const char* id : {"run_01m7fcy0qbft3zp4enwe6wz7t4", "nonsense", "../../etc/passwd", "@last",
                         "run_", "%00", "\xff\xfe"}) {
    const Output output = flock_.drover({"show", id});
    EXPECT_EQ(output.code, 5) << id << output.err;
    EXPECT_FALSE(output.err.empty());
  }
}

// H6: a malformed request is refused with a code, and creates no run.
TEST_F(Refusal, MalformedRequestsCreateNoRun) {
  EXPECT_EQ(flock_.drover({"run", "--"}).code, 2);
  EXPECT_EQ(flock_.drover({"run", "--timeout", "10", "--", "true"}).code, 2);
  EXPECT_EQ(flock_.drover({"run", "--timeout", "1.5.2s", "--", "true"}).code, 2);
  EXPECT_EQ(flock_.drover({"run", "--label", "novalue", "--", "true"}).code, 2);
  EXPECT_NE(refused("{not json"), "");
  for (const char* body :
       {"{not json", "[]", "{}", R"({"command":[]})", R"({"command":"true"})",
        R"({"command":["true"],"timeout":"soon"})", R"({"command":["true"],"nonsense":1})",
        R"({"command":["true"],"cwd":"relative"})", R"({"command":["true"],"env":{"A=B":"x"}})",
        R"({"command":["true"],"shell":"true"})", R"({"command":["a\u0000b"]})"}) {
    const std::string code = refused(body);
    EXPECT_TRUE(code.find(' ') == std::string::npos && !code.empty()) << body << ": " << code;
  }
  EXPECT_NE(refused(R"({"command":["true"]})", "text/plain"), "");
  // No run was created.
  EXPECT_TRUE(flock_.json({"ps", "-a"}).at("runs").get_array().empty());
}

// H6: a valid request that cannot work on this machine is acknowledged and then fails, with its
// step.
TEST_F(Refusal, AnImpossibleCommandFailsLater) {
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string step, error;
  };
  const std::string text = flock_.file("text");
  ASSERT_TRUE(replace_file(text, "just words\n"));
  const std::string plain = flock_.file("plain");
  ASSERT_TRUE(replace_file(plain, "#!/bin/sh\n"));
  ASSERT_EQ(::chmod(text.c_str(), 0700), 0);
  for (const Case& c :
       {Case{{"run", "--", "no-such-program"}, 127, "exec", "ENOENT"},
        Case{{"run", "--", "/tmp"}, 126, "exec", "EISDIR"},
        Case{{"run", "--", text}, 126, "exec", "ENOEXEC"},
        Case{{"run", "--", plain}, 126, "exec", "EACCES"},
        Case{{"run", "--cwd", "/no/such/directory", "--", "true"}, 125, "cwd", "ENOENT"}}) {
    const Output output = flock_.drover(c.words);
    EXPECT_EQ(output.code, c.code) << output.err;
    EXPECT_FALSE(output.err.empty());
    const auto record = flock_.show("@last");
    EXPECT_EQ(text_of(record, "state"), "failed");
    EXPECT_EQ(text_of(record, "reason"), "launch_failed");
    EXPECT_EQ(text_of(record, "origin"), "launch");
    EXPECT_EQ(text_of(record, "launch_step"), c.step);
    EXPECT_EQ(text_of(record, "launch_error"), c.error);
    EXPECT_EQ(record.at("stdout_bytes").to_number<int>(), 0);
  }
  flock_.expect_verified();
}

// A home has one daemon: a second one names the first, and exits with 6.
TEST_F(Refusal, ASecondDaemonNamesTheFirst) {
  const pid_t first = flock_.daemon();
  const Output second = flock_.droverd({});
  EXPECT_EQ(second.code, 6);
  EXPECT_NE(second.err.find(std::to_string(first)), std::string::npos);
  EXPECT_NE(second.err.find("daemon_running"), std::string::npos);
  EXPECT_EQ(flock_.daemon(), first);
}

// The socket of a dead daemon is replaced.
TEST_F(Refusal, AStaleSocketIsReplaced) {
  const pid_t first = flock_.daemon();
  flock_.kill_daemon();
  struct stat st{};
  EXPECT_EQ(::stat(flock_.home().socket().c_str(), &st), 0);
  EXPECT_NE(flock_.daemon(), first);
}

// A newer or damaged database is reported and not changed.
TEST_F(Refusal, AnUnusableDatabaseIsNotChanged) {
  flock_.daemon();
  flock_.ok({"stop"});
  const std::string path = flock_.home().database();
  const auto good = read_file(path, 1 << 26);
  ASSERT_TRUE(good && good->size() > 100);

  std::string newer = *good;
  newer[60] = 0x7f;  // user_version, big-endian, at byte 60 of the header.
  for (const char* suffix : {"-wal", "-shm"}) (void)remove_tree(path + suffix);
  ASSERT_TRUE(replace_file(path, newer));
  Output output = flock_.drover({"status"});
  EXPECT_NE(output.code, 0);
  EXPECT_NE(output.err.find("newer"), std::string::npos) << output.err;
  EXPECT_EQ(read_file(path, 1 << 26).value(), newer);

  const std::string damaged(8192, 'x');
  ASSERT_TRUE(replace_file(path, damaged));
  output = flock_.drover({"status"});
  EXPECT_NE(output.code, 0);
  EXPECT_NE(output.err.find("database"), std::string::npos) << output.err;
  EXPECT_EQ(read_file(path, 1 << 26).value(), damaged);
}

}  // namespace
}  // namespace drover::tests
