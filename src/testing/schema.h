// Holds a value against a JSON Schema: as much of it as our descriptions use. Stricter than the
// standard in one point: an object has no fields that its schema does not name, unless that says
// `additionalProperties`. A description that leaves something out is then found out.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>

namespace drover::testing {

// What does not fit, and where; nothing if all does. `document` is where $refs lead.
std::optional<std::string> misfit(const boost::json::value& value, const boost::json::value& schema,
                                  const boost::json::object& document,
                                  const std::string& where = "$");

}  // namespace drover::testing
