// Reads the answer that a person types at a question of `drover inbox`. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

namespace drover::cli {

// The body of the answer: a choice, by its number or in its words, or any text if the question has
// no choices. Nothing: the line is neither. An answer closes the question, so a mistyped number
// must not be one.
std::optional<boost::json::object> parse_answer(const boost::json::object& question,
                                                const std::string& line);

// The lines that are answers: "type 1 or 2, yes or no; to answer in your own words: …".
std::string say_answers(const boost::json::object& question);

}  // namespace drover::cli
