// Checks a value against a JSON Schema; supports the part of the standard that our descriptions
// use. Stricter in one point: an object must not have fields that its schema does not name, unless
// it says `additionalProperties`. So a description that leaves something out is noticed.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>

namespace drover::testing {

// The first mismatch and its place; nothing if all matches. `document` is where $refs lead.
std::optional<std::string> misfit(const boost::json::value& value, const boost::json::value& schema,
                                  const boost::json::object& document,
                                  const std::string& where = "$");

}  // namespace drover::testing
