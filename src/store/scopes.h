// Scopes are paths: a question about `world` is also about `world/chat`. These few rules are shared
// by every store, so that they cannot disagree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::store {

// "a/b/c" lies below "a/b" and "a"; those are what this returns, nearest first.
inline std::vector<std::string_view> scopes_above(std::string_view scope) {
  std::vector<std::string_view> above;
  for (size_t slash = scope.rfind('/'); slash != std::string_view::npos && slash != 0;
       slash = scope.rfind('/', slash - 1)) {
    above.push_back(scope.substr(0, slash));
  }
  return above;
}

// The scope of whoever names none. Most of what is logged is of it, so its events are found by
// walking the log, and pay for no index.
inline constexpr std::string_view kCommonScope = "default";

// Whether `scope` is `asked` or lies below it; everything lies below the empty one.
inline bool within_scope(std::string_view scope, std::string_view asked) {
  if (asked.empty() || scope == asked) return true;
  return scope.size() > asked.size() && scope.starts_with(asked) && scope[asked.size()] == '/';
}

// All that lies below `asked`, and nothing else, sorts between these two.
inline std::string first_below(std::string_view asked) {
  return std::string(asked) + "/";
}
inline std::string end_below(std::string_view asked) {
  return std::string(asked) + "0";  // The character after '/'.
}

}  // namespace drover::store
