// Scopes are paths: a query for `world` includes `world/chat`. Every store uses these rules, so
// that stores agree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::store {

// The scopes above this one, nearest first: "a/b" and "a" for "a/b/c".
inline std::vector<std::string_view> scopes_above(std::string_view scope) {
  std::vector<std::string_view> above;
  for (size_t slash = scope.rfind('/'); slash != std::string_view::npos && slash != 0;
       slash = scope.rfind('/', slash - 1)) {
    above.push_back(scope.substr(0, slash));
  }
  return above;
}

// The scope of runs that name none. Most events belong to it, so they are found by walking the log
// and have no index.
inline constexpr std::string_view kCommonScope = "default";

// Whether `scope` is `asked` or lies below it; every scope lies below the empty one.
inline bool within_scope(std::string_view scope, std::string_view asked) {
  if (asked.empty() || scope == asked) return true;
  return scope.size() > asked.size() && scope.starts_with(asked) && scope[asked.size()] == '/';
}

// Exactly the scopes below `asked` sort between these two.
inline std::string first_below(std::string_view asked) {
  return std::string(asked) + "/";
}
inline std::string end_below(std::string_view asked) {
  return std::string(asked) + "0";  // The character after '/'.
}

}  // namespace drover::store
