// A Glob says which files below a root a trigger watches: "src/**/*.{cc,h}".
//
//   *      any characters within one path part     ?      one character
//   [a-z]  one of these; [!a-z] none of these      {a,b}  either; may be nested
//   **     any number of directories; a whole path part: "**/x", "a/**/b", "a/**"
//   \*     the character itself
//
// A name that begins with a dot is an ordinary name. A glob is relative to its root and cannot
// leave it: absolute globs and "." and ".." are refused. Pure; a match takes bounded time for any
// glob.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "triggers/files/path_pattern.h"

namespace drover::triggers {

class Glob {
 public:
  // `path` is relative, without "." and "..".
  bool matches(std::string_view path) const;
  // Whether a file below `directory` may match; "" is the root. A walk skips the others.
  bool may_match_below(std::string_view directory) const;

 private:
  friend Result<Glob> parse_glob(std::string_view, std::string_view);
  std::vector<PathPattern> alternatives_;
};

// Errors name `param`, and say what to write instead.
Result<Glob> parse_glob(std::string_view text, std::string_view param = "glob");

}  // namespace drover::triggers
