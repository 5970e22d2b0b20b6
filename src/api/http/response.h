// A Response is a handler's answer: a status with a body or with a stream. The connection writes it
// to the wire.
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

// The destination of a stream. `write` returns when the bytes are on their way: this backpressure
// keeps a slow reader from filling our memory. It returns false if the client is gone.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual asio::awaitable<bool> write(std::string bytes) = 0;
  // From now on, `write` waits for a client that reads nothing as long as its connection lives.
  virtual void wait_for_reader() = 0;
};

// A body that is written over time. It is complete when `run` returns.
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
  std::function<void()> afterwards;    // Called when the answer was written.
  bool has_more = false;  // It is a page of output, and its reader returns for the rest.
};

Response answer_json(unsigned status, const boost::json::object& body);

// The answer to a refused request: the envelope of H5, with the error's HTTP status.
Response refuse(const Error& error, std::string_view request_id);

// The status line and headers, including the empty line.
struct Framing {
  std::string_view request_id;
  bool keep_alive = true;
  bool chunked = false;  // A stream; otherwise Content-Length is sent.
};
std::string head_of(const Response& response, const Framing& framing);

}  // namespace drover::api
