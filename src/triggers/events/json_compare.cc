#include "triggers/events/json_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace drover::triggers {
namespace {

namespace json = boost::json;

std::strong_ordering reversed(std::strong_ordering order) {
  return 0 <=> order;
}

// Orders an integer and a number with a fraction. The whole part of a double within the range of
// Integer converts to it without loss.
template <class Integer>
std::strong_ordering order_mixed(Integer a, double b) {
  // The first double above the range: 2^63 or 2^64. The lowest integer is a double.
  const double above = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  if (b >= above) return std::strong_ordering::less;
  if (b < static_cast<double>(std::numeric_limits<Integer>::min())) {
    return std::strong_ordering::greater;
  }
  const double whole = std::floor(b);
  const auto order = a <=> static_cast<Integer>(whole);
  if (order != std::strong_ordering::equal || b == whole) return order;
  return std::strong_ordering::less;
}

template <class Integer>
std::strong_ordering order_integer(Integer a, const json::value& b) {
  if (const auto* i = b.if_int64()) {
    return std::cmp_less(a, *i)    ? std::strong_ordering::less
           : std::cmp_equal(a, *i) ? std::strong_ordering::equal
                                   : std::strong_ordering::greater;
  }
  if (const auto* u = b.if_uint64()) {
    return std::cmp_less(a, *u)    ? std::strong_ordering::less
           : std::cmp_equal(a, *u) ? std::strong_ordering::equal
                                   : std::strong_ordering::greater;
  }
  return order_mixed(a, b.get_double());
}

// JSON has no NaN, so every two numbers have an order.
std::strong_ordering order_numbers(const json::value& a, const json::value& b) {
  if (const auto* i = a.if_int64()) return order_integer(*i, b);
  if (const auto* u = a.if_uint64()) return order_integer(*u, b);
  if (!b.is_double()) return reversed(order_numbers(b, a));
  const double x = a.get_double();
  const double y = b.get_double();
  return x < y    ? std::strong_ordering::less
         : x == y ? std::strong_ordering::equal
                  : std::strong_ordering::greater;
}

bool is_equal_array(const json::array& a, const json::array& b) {
  return std::ranges::equal(a, b, is_equal);
}

bool is_equal_object(const json::object& a, const json::object& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const json::key_value_pair& member) {
           const json::value* other = b.if_contains(member.key());
           return other != nullptr && is_equal(member.value(), *other);
         });
}

}  // namespace

bool is_equal(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return order_numbers(a, b) == std::strong_ordering::equal;
  if (a.kind() != b.kind()) return false;
  if (a.is_array()) return is_equal_array(a.get_array(), b.get_array());
  if (a.is_object()) return is_equal_object(a.get_object(), b.get_object());
  return a == b;
}

std::optional<std::strong_ordering> order(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return order_numbers(a, b);
  if (!a.is_string() || !b.is_string()) return std::nullopt;
  return std::string_view(a.get_string()) <=> std::string_view(b.get_string());
}

}  // namespace drover::triggers
