// A Response is what a handler answers: a status and a body, or a body that keeps coming. How it
// gets onto the wire is the connection's business.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace drover::api {

namespace asio = boost::asio;

// Where a stream goes. `write` returns when the bytes are on their way, which is what keeps a slow
// reader from filling our memory; false: there is nobody to write to any more.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual asio::awaitable<bool> write(std::string bytes) = 0;
};

// A body that keeps coming. It is finished when `run` returns.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  virtual asio::awaitable<void> run(Sink& sink) = 0;
};

struct Response {
  unsigned status = 200;
  std::string_view content_type = "application/json";
  std::vector<std::pair<std::string_view, std::string>> headers;
  std::string body;
  std::unique_ptr<BodyStream> stream;  // Instead of a body.
  std::function<void()> afterwards;    // Called when the answer is on the wire.
};

Response answer_json(unsigned status, const boost::json::object& body);

// The envelope of H5. `status` replaces the one that goes with the error's code: HTTP has finer
// words for a few refusals (405, 415) than a caller needs.
Response refuse(const Error& error, std::string_view request_id);

// Status line and headers, up to and with the empty line.
struct Framing {
  std::string_view request_id;
  bool keep_alive = true;
  bool chunked = false;  // Of a stream; otherwise the length is told.
};
std::string head_of(const Response& response, const Framing& framing);

}  // namespace drover::api
