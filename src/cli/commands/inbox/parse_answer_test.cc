#include "cli/commands/inbox/parse_answer.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>

namespace drover::cli {
namespace {

using boost::json::array;
using boost::json::object;

const object kDeploy{{"id", "question_1"}, {"choices", array{"yes", "no"}}};

// Only a choice or its number answers a question with choices; any other line, such as 9, is
// refused with a message that lists them.
TEST(ParseAnswer, OnlyAChoiceAnswersAQuestionWithChoices) {
  EXPECT_EQ(parse_answer(kDeploy, "2"), (object{{"choice", "no"}}));
  EXPECT_EQ(parse_answer(kDeploy, "yes"), (object{{"choice", "yes"}}));
  for (const char* line : {"9", "0", "-1", "Yes please", "n"}) {
    EXPECT_EQ(parse_answer(kDeploy, line), std::nullopt) << line;
  }
  EXPECT_EQ(say_answers(kDeploy),
            "type 1 or 2, yes or no; to answer in your own words: drover answer question_1 --text "
            "…");
}

// A choice that is a number means itself, and not the choice with that number.
TEST(ParseAnswer, AChoiceCountsBeforeANumber) {
  const object question{{"choices", array{"3", "2", "1"}}};
  EXPECT_EQ(parse_answer(question, "3"), (object{{"choice", "3"}}));
  EXPECT_EQ(parse_answer({{"choices", array{"a", "5"}}}, "2"), (object{{"choice", "5"}}));
}

// A question without choices takes any text.
TEST(ParseAnswer, AnyTextAnswersAQuestionWithoutChoices) {
  EXPECT_EQ(parse_answer({{"id", "question_1"}}, "9"), (object{{"text", "9"}}));
}

}  // namespace
}  // namespace drover::cli
