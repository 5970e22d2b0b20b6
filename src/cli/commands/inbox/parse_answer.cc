#include "cli/commands/inbox/parse_answer.h"

#include <boost/json/array.hpp>
#include <vector>

#include "base/number.h"
#include "cli/fields.h"
#include "cli/views/columns.h"

namespace drover::cli {
namespace {

using boost::json::array;
using boost::json::object;

// "1, 2 or 3".
std::string either(const std::vector<std::string>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace

std::optional<object> parse_answer(const object& question, const std::string& line) {
  const array& choices = array_in(question, "choices");
  if (choices.empty()) return object{{"text", line}};
  // A choice that is a number itself counts before the number of another choice.
  for (const boost::json::value& choice : choices) {
    if (choice == boost::json::value(line)) return object{{"choice", line}};
  }
  const auto number = whole_number(line);
  if (!number || *number < 1 || static_cast<size_t>(*number) > choices.size()) return std::nullopt;
  return object{{"choice", choices[static_cast<size_t>(*number) - 1]}};
}

std::string say_answers(const object& question) {
  std::vector<std::string> numbers;
  std::vector<std::string> words;
  for (const boost::json::value& choice : array_in(question, "choices")) {
    numbers.push_back(std::to_string(numbers.size() + 1));
    words.push_back(clean(choice.is_string() ? std::string_view(choice.get_string()) : ""));
  }
  return "type " + either(numbers) + ", " + either(words) +
         "; to answer in your own words: drover answer " + text_in(question, "id") + " --text …";
}

}  // namespace drover::cli
