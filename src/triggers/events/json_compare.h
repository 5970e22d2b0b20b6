// Compares JSON values as people read them: 1 and 1.0 are equal, and so are objects with the same
// members in another order. Numbers are compared by their exact value, whatever C++ type they have:
// 9007199254740993 is greater than 9007199254740992.0, although the nearest double of both is the
// same. Values of different kinds are never equal. Pure.
//
// Recurses into arrays and objects: only for values that were read with a limit on nesting.
#pragma once

#include <boost/json/value.hpp>
#include <compare>
#include <optional>

namespace drover::triggers {

bool is_equal(const boost::json::value& a, const boost::json::value& b);

// Numbers by value; text by its bytes, which orders UTF-8 by code points and orders times of the
// form 2026-11-15T09:58:25.123Z by time. Not set for anything else.
std::optional<std::strong_ordering> order(const boost::json::value& a, const boost::json::value& b);

}  // namespace drover::triggers
