#include "wire/errors.h"

#include <gtest/gtest.h>

#include <array>

namespace drover::wire {
namespace {

constexpr std::array kCodes{ErrorCode::invalid,   ErrorCode::not_found,   ErrorCode::conflict,
                            ErrorCode::exhausted, ErrorCode::unavailable, ErrorCode::corrupt};

// H5: every code has its own form, and is restored from the envelope's type.
TEST(Errors, EveryCodeSurvivesARoundTrip) {
  for (const ErrorCode code : kCodes) {
    EXPECT_EQ(form(code).code, code);
    EXPECT_EQ(code_of_type(form(code).type), code) << form(code).type;
  }
}

// H5: the client reads the same error from an envelope that the daemon wrote.
TEST(Errors, AnEnvelopeSurvivesARoundTrip) {
  const Error sent{ErrorCode::conflict, "lane_taken", "a \"quoted\"\nmessage", "lane"};
  const Error read = read_envelope(envelope(sent, "req_1"), 409);
  EXPECT_EQ(read.code, sent.code);
  EXPECT_EQ(read.reason, sent.reason);
  EXPECT_EQ(read.message, sent.message);
  EXPECT_EQ(read.param, sent.param);
  EXPECT_EQ(read.details, "");
}

// R8: the details of an error survive as a JSON object; anything else is left out.
TEST(Errors, DetailsSurviveARoundTrip) {
  Error sent{ErrorCode::not_found, "not_found", "was removed", "run_id", R"({"status":"failed"})"};
  EXPECT_EQ(read_envelope(envelope(sent, "req_1"), 404).details, sent.details);
  for (const char* bad : {"{", "7", "[]"}) {
    sent.details = bad;
    EXPECT_EQ(envelope(sent, "").find("details"), std::string::npos) << bad;
  }
}

// An answer without an envelope is reported as such, with its status.
TEST(Errors, ReportAnAnswerWithoutAnEnvelope) {
  for (const char* body : {"", "<html>", "[]", "{}", R"({"error":"no"})"}) {
    const Error read = read_envelope(body, 502);
    EXPECT_EQ(read.reason, "bad_answer") << body;
    EXPECT_NE(read.message.find("502"), std::string::npos);
  }
}

// H5: a reason with an HTTP status of its own gets that status; any other gets the status of its
// code.
TEST(Errors, UseTheMostSpecificStatus) {
  EXPECT_EQ(http_status({ErrorCode::invalid, "unsupported_media_type", "", ""}), 415U);
  EXPECT_EQ(http_status({ErrorCode::invalid, "method_not_allowed", "", ""}), 405U);
  EXPECT_EQ(http_status({ErrorCode::exhausted, "header_too_large", "", ""}), 431U);
  EXPECT_EQ(http_status({ErrorCode::exhausted, "quota_exceeded", "", ""}), 429U);
  EXPECT_EQ(http_status({ErrorCode::exhausted, "body_too_large", "", ""}), 413U);
  EXPECT_EQ(http_status({ErrorCode::invalid, "bad_duration", "", ""}), 400U);
}

}  // namespace
}  // namespace drover::wire
