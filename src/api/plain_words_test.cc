// Every text that describes the API can be read once: the rules that a machine can check
// (testing/plain_words.h), compared with the lists that the texts come from.
#include "testing/plain_words.h"

#include <boost/json/array.hpp>

#include "api/door_fixture.h"
#include "play/kinds.h"
#include "wire/openapi.h"

namespace drover::api {
namespace {

namespace json = boost::json;

void expect_none(const std::vector<std::string>& violations, const std::string& where) {
  for (const std::string& one : violations) ADD_FAILURE() << where << ": " << one;
}

// Checks every "description" in `value`, at any depth, with `rule`. A property may also be called
// that: then it is an object, and is not checked.
void check_descriptions(const json::value& value, const std::string& where,
                        std::vector<std::string> (*rule)(std::string_view), size_t& checked) {
  if (const json::array* list = value.if_array()) {
    for (const json::value& one : *list) check_descriptions(one, where, rule, checked);
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return;
  for (const auto& [key, one] : *object) {
    const std::string below = where + "." + std::string(key);
    if (key == "description" && one.is_string()) {
      expect_none(rule(std::string_view(one.get_string())), below);
      ++checked;
    }
    check_descriptions(one, below, rule, checked);
  }
}

// An operation's summary says what it does; parameters, answers and tags are labels; shapes are
// described in whole sentences.
TEST(PlainWords, OfTheOpenapiDocument) {
  json::object document = wire::openapi(all_areas());
  for (const wire::Operation* operation : all_operations()) {
    expect_none(testing::summary_violations(operation->help), std::string(operation->name));
  }
  expect_none(
      testing::label_violations(std::string_view(document.at("info").at("summary").as_string())),
      "info");
  size_t sentences = 0;
  check_descriptions(document["components"].at("schemas"), "schemas", &testing::sentence_violations,
                     sentences);
  document["components"].as_object().erase("schemas");
  size_t labels = 0;
  check_descriptions(document, "", &testing::label_violations, labels);
  EXPECT_GT(sentences, 10U);
  EXPECT_GT(labels, 2 * all_operations().size());
}

// Every metric is described by a sentence.
TEST_F(Door, MetricsAreDescribedInPlainWords) {
  const std::string page = ask("GET", "/metrics").body;
  const std::string mark = "# HELP ";
  size_t checked = 0;
  for (size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) {
    const size_t begin = page.find(' ', at + mark.size()) + 1;
    expect_none(testing::sentence_violations(
                    std::string_view(page).substr(begin, page.find('\n', begin) - begin)),
                "metrics");
    ++checked;
  }
  EXPECT_GT(checked, 20U);
}

// The reasons why a kind of run cannot be canceled or retried.
TEST(PlainWords, OfKinds) {
  for (const run::Kind& kind : play::kKinds) {
    expect_none(testing::violations(kind.not_cancellable), std::string(kind.name));
    expect_none(testing::violations(kind.not_retriable), std::string(kind.name));
  }
}

}  // namespace
}  // namespace drover::api
