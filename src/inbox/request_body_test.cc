#include "inbox/request_body.h"

#include <gtest/gtest.h>

#include "inbox/limits.h"

namespace drover::inbox {
namespace {

constexpr WallMs kNow = 1'800'000'000'000;

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

// The fields of a question, and their defaults.
TEST(RequestBody, ReadsAQuestion) {
  const auto all = read_question(R"({"question": "deploy?", "choices": ["yes", "no"],
      "context": "tests are green", "timeout": "1h", "waits": true, "data": {"pr": 7}})",
                                 kNow);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(all->is_question());
  EXPECT_EQ(all->text, "deploy?");
  EXPECT_EQ(all->choices, (std::vector<std::string>{"yes", "no"}));
  EXPECT_EQ(all->context, "tests are green");
  EXPECT_EQ(all->deadline, kNow + 3'600'000);
  EXPECT_TRUE(all->waits);
  EXPECT_EQ(all->data, R"({"pr":7})");
  const auto least = read_question(R"({"question": "which?"})", kNow);
  EXPECT_EQ(least->deadline, kNow + kTimeoutMs);
  EXPECT_TRUE(least->choices.empty());
  EXPECT_FALSE(least->waits);
  EXPECT_EQ(read_question(R"({"question": "x", "timeout": "never"})", kNow)->deadline,
            std::nullopt);
}

// A12: each type of report; an escalation is a question.
TEST(RequestBody, ReadsAReport) {
  for (const Type type : kTypes) {
    const auto report = read_report(
        R"({"type": ")" + std::string(name(type)) + R"(", "summary": "s", "data": [1]})", kNow);
    ASSERT_TRUE(report) << name(type) << report.error().message;
    EXPECT_EQ(report->type, type);
    EXPECT_EQ(report->text, "s");
    EXPECT_EQ(report->data, "[1]");
    EXPECT_EQ(report->deadline.has_value(), type == Type::escalation);
  }
  const auto asked = read_report(
      R"({"type": "escalation", "summary": "s", "question": "q?", "choices": ["a"]})", kNow);
  EXPECT_EQ(asked->text, "q?");
  EXPECT_EQ(asked->choices.size(), 1U);
}

// Every bad question is refused with the field at fault.
TEST(RequestBody, RefusesBadQuestions) {
  const std::string many = "[" + repeated("\"a\",", kChoicesMax) + "\"b\"]";
  struct Case {
    std::string body, field;
  };
  for (const Case& bad : std::vector<Case>{
           {"", "question"},
           {"{", "body"},
           {"[]", "body"},
           {R"({"question": 5})", "question"},
           {R"({"question": ""})", "question"},
           {R"({"question": " \n\t"})", "question"},
           {R"({"question": "a\u0000b"})", "question"},
           {R"({"question": ")" + std::string(kTextBytesMax + 1, 'x') + "\"}", "question"},
           {R"({"question": "q", "choices": "yes"})", "choices"},
           {R"({"question": "q", "choices": [1]})", "choices"},
           {R"({"question": "q", "choices": [""]})", "choices"},
           {R"({"question": "q", "choices": ["a", "b", "a"]})", "choices"},
           {R"({"question": "q", "choices": ["a\nb"]})", "choices"},
           {R"({"question": "q", "choices": ["\u001b[2J"]})", "choices"},
           {R"({"question": "q", "choices": )" + many + "}", "choices"},
           {R"({"question": "q", "choices": [")" + std::string(kChoiceBytesMax + 1, 'x') + "\"]}",
            "choices"},
           {R"({"question": "q", "context": 1})", "context"},
           {R"({"question": "q", "context": ")" + std::string(kContextBytesMax + 1, 'x') + "\"}",
            "context"},
           {R"({"question": "q", "timeout": "5"})", "timeout"},
           {R"({"question": "q", "timeout": "0s"})", "timeout"},
           {R"({"question": "q", "timeout": "367d"})", "timeout"},
           {R"({"question": "q", "timeout": "forever"})", "timeout"},
           {R"({"question": "q", "timeout": 60})", "timeout"},
           {R"({"question": "q", "waits": "yes"})", "waits"},
           {R"({"question": "q", "data": ")" + std::string(kDataBytesMax, 'x') + "\"}", "data"},
           {R"({"question": "q", "answer": "yes"})", "answer"},
           {R"({"question": "q", "run_id": "run_x"})", "run_id"},
       }) {
    const auto read = read_question(bad.body, kNow);
    ASSERT_FALSE(read) << bad.body.substr(0, 80);
    EXPECT_EQ(read.error().code, ErrorCode::invalid) << bad.body.substr(0, 80);
    EXPECT_EQ(read.error().param, bad.field) << bad.body.substr(0, 80);
  }
}

// Every bad report is refused with the field at fault.
TEST(RequestBody, RefusesBadReports) {
  struct Case {
    std::string body, field;
  };
  for (const Case& bad : std::vector<Case>{
           {"{}", "type"},
           {R"({"summary": "s"})", "type"},
           {R"({"type": "run_error", "summary": "s"})", "type"},
           {R"({"type": 1, "summary": "s"})", "type"},
           {R"({"type": "output"})", "summary"},
           {R"({"type": "output", "summary": ""})", "summary"},
           {R"({"type": "output", "summary": "s", "choices": ["a"]})", "choices"},
           {R"({"type": "output", "summary": ")" + std::string(kTextBytesMax + 1, 'x') + "\"}",
            "summary"},
           {R"({"type": "escalation", "summary": "s", "timeout": "1"})", "timeout"},
       }) {
    const auto read = read_report(bad.body, kNow);
    ASSERT_FALSE(read) << bad.body.substr(0, 80);
    EXPECT_EQ(read.error().param, bad.field) << bad.body.substr(0, 80);
  }
}

TEST(RequestBody, RefusesBadAnswersAndKeys) {
  EXPECT_EQ(read_answer(R"({"choice": "yes", "text": "but"})")->text, "but");
  for (const char* bad : {"", "{}", R"({"choice": ""})", R"({"choice": 1})", R"({"text": " "})",
                          R"({"choice": "a", "by": "me"})", "null"}) {
    EXPECT_FALSE(read_answer(bad)) << bad;
  }
  EXPECT_FALSE(read_answer(R"({"text": ")" + std::string(kAnswerBytesMax + 1, 'x') + "\"}"));
  EXPECT_TRUE(check_key("0123-abc"));
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a\n"),
                                 std::string(kKeyBytesMax + 1, 'k'), std::string("\xc3\xa4")}) {
    EXPECT_FALSE(check_key(bad)) << bad;
  }
}

}  // namespace
}  // namespace drover::inbox
