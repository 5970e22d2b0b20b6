// A caller sends requests to a daemon that may die before it answers. It returns a complete answer
// or none.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

namespace drover::tests {

struct Request {
  std::string method;
  std::string target;
  boost::json::object body = {};
  std::string key = {};                   // Idempotency key; empty: none.
  std::optional<std::string> bytes = {};  // Instead of a body: for a run's standard input.
  std::string token = {};                 // Empty: the owner, by the socket.
};

struct DaemonAnswer {
  int status = 0;
  std::string text;          // The body.
  boost::json::object body;  // If the body is a JSON object.
};

// Empty: nobody listens, or the connection was closed before the answer was complete.
std::optional<DaemonAnswer> ask_once(const std::string& socket, const Request& request);

}  // namespace drover::tests
