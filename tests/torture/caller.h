// A caller asks a daemon that may die before it answers. An answer is whole, or there was none.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

namespace drover::tests {

struct Question {
  std::string method;
  std::string target;
  boost::json::object body = {};
  std::string key = {};                   // Idempotency key; empty: none.
  std::optional<std::string> bytes = {};  // Instead of a body: for somebody's standard input.
};

struct Answer {
  int status = 0;
  std::string text;          // The body.
  boost::json::object body;  // If it is one.
};

// Nothing: nobody listens, or whoever did has hung up before the answer was complete.
std::optional<Answer> ask_once(const std::string& socket, const Question& question);

}  // namespace drover::tests
