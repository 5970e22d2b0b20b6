#include "testing/plain_words.h"

#include <gtest/gtest.h>

namespace drover::testing {
namespace {

// A retired word is found in any case, at any place, across line ends; a part of a word is not.
TEST(PlainWords, FindsRetiredWords) {
  for (const char* bad : {"Use a folder.", "Folders stay.", "`x` is no duration", "Runs go on.",
                          "It was cancelled.", "The play is under\n  way.", "It must be told."}) {
    EXPECT_EQ(violations(bad).size(), 1U) << bad;
  }
  for (const char* good :
       {"Use a directory.", "It is not a duration.", "An amendment.", "Cargo one.",
        "It is no longer valid.", "This now works.", "We recommend it.", ""}) {
    EXPECT_TRUE(violations(good).empty()) << good;
  }
}

// A riddle is one only as the subject of a sentence.
TEST(PlainWords, FindsRiddles) {
  for (const char* bad : {"What runs stays.", "Stop it. Who waits stays.",
                          "It ends; what runs stays", "That which runs."}) {
    EXPECT_EQ(violations(bad).size(), 1U) << bad;
  }
  for (const char* good : {"Print what ran.", "Whatever.", "The one who waits.", "a.who"}) {
    EXPECT_TRUE(violations(good).empty()) << good;
  }
}

// A colon may introduce a list, in comments and documents.
TEST(PlainWords, AllowsListsAfterAColon) {
  EXPECT_TRUE(subject_violations("It says: what failed, who called.").empty());
  EXPECT_FALSE(violations("It says: what failed").empty());
  EXPECT_FALSE(subject_violations("What failed is lost.").empty());
}

// "There is no" is plain English.
TEST(PlainWords, AllowsThereIsNo) {
  EXPECT_TRUE(retired_words("There is no run x.").empty());
  EXPECT_TRUE(retired_words("If there is no daemon, it starts one.").empty());
  EXPECT_FALSE(retired_words("Here is no run.").empty());
}

// A session has a kind, unless it is a name of a program.
TEST(PlainWords, NamesTheKindOfASession) {
  for (const char* bad : {"A session ends.", "the sessions of browsers", "Its session, too",
                          "x (session)", "A display session ends."}) {
    EXPECT_EQ(session_violations(bad).size(), 1U) << bad;
  }
  for (const char* good : {"session", "A browser session ends.", "play sessions", "\"session\": 1",
                           "play.sessions", "/session is", "session_lost"}) {
    EXPECT_TRUE(session_violations(good).empty()) << good;
  }
}

// Sentences end with a period; labels and summaries do not, and a summary says what to do.
TEST(PlainWords, ChecksTheForm) {
  EXPECT_TRUE(sentence_violations("Cancel runs.").empty());
  EXPECT_FALSE(sentence_violations("Cancel runs").empty());
  EXPECT_TRUE(label_violations("Time until the token expires").empty());
  EXPECT_FALSE(label_violations("time until the token expires").empty());
  EXPECT_FALSE(label_violations("").empty());
  EXPECT_TRUE(summary_violations("Cancel runs").empty());
  for (const char* bad : {"Cancel runs.", "cancel runs", "Runs are canceled", "The end",
                          "Cancel runs and everything else that this machine has ever started"}) {
    EXPECT_FALSE(summary_violations(bad).empty()) << bad;
  }
}

// Columns are counted in characters, not in bytes.
TEST(PlainWords, MeasuresLines) {
  EXPECT_TRUE(width_violations("RUN…\n1234\n", 4).empty());
  EXPECT_EQ(width_violations("12345\nRUN…x\n1", 4).size(), 2U);
}

}  // namespace
}  // namespace drover::testing
