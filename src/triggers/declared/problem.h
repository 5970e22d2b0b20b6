// A Problem is a mistake in a file that declares triggers, or a reason why one of its triggers
// cannot exist, with its place in the file. It never contains the value of a variable. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>

namespace drover::triggers {

struct Problem {
  std::string file;
  size_t line = 0;  // From 1 on; 0: the file as a whole.
  size_t column = 0;
  std::string message;

  // "/etc/x.toml:3:8: invalid cron …", as compilers print it.
  std::string text() const;
  boost::json::object as_json() const;
  bool operator==(const Problem&) const = default;
};

}  // namespace drover::triggers
