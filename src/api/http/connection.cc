#include "api/http/connection.h"

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <optional>

#include "api/http/request.h"
#include "api/http/server.h"
#include "api/http/target.h"
#include "api/routes.h"
#include "base/crash_point.h"
#include "log/log.h"
#include "run/redact.h"

namespace drover::api {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr size_t kOneWrite = 16 * 1024;  // Up to this size a copy is cheaper than a second call.

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Error refusal_of(const error_code& bad) {
  if (bad == http::error::body_limit) {
    return {ErrorCode::exhausted, "body_too_large",
            "the body of the request is too large: the maximum is " +
                std::to_string(limits::kBodyBytesMax) + " bytes",
            "body"};
  }
  if (bad == http::error::header_limit || bad == http::error::buffer_overflow) {
    return {ErrorCode::exhausted, "header_too_large",
            "the headers of the request are too large: the maximum is " +
                std::to_string(limits::kHeaderBytesMax) + " bytes",
            "headers"};
  }
  return {ErrorCode::invalid, "malformed_request", "invalid HTTP request: " + bad.message(), ""};
}

// Finds headers that a proxy in front of us might understand differently: where a request ends, its
// host, its caller. Empty: there are none.
template <class Message>
std::string ambiguity_in(const Message& message) {
  for (const auto field :
       {http::field::host, http::field::authorization, http::field::origin,
        http::field::content_type, http::field::content_length, http::field::transfer_encoding}) {
    if (message.count(field) > 1)
      return std::string(view(http::to_string(field))) + " is given twice";
  }
  const std::string_view length = view(message[http::field::content_length]);
  if (length.find(',') != std::string_view::npos) return "Content-Length must be one number";
  const std::string_view coding = view(message[http::field::transfer_encoding]);
  const bool is_plain = coding.empty() || boost::beast::iequals(coding, "chunked");
  if (!is_plain) return "unknown Transfer-Encoding: send the body unencoded or chunked";
  if (!coding.empty() && message.version() < 11) return "a chunked body needs HTTP/1.1";
  return {};
}

Error no_memory() {
  return fail_errno("the daemon has no memory for this request", ENOMEM).error();
}

Error too_slow() {
  return {ErrorCode::invalid, "request_timeout", "the request did not arrive in time", ""};
}

// A client may choose its request's id; it must be harmless in a header and in a log line.
bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
}

std::string hex(size_t number) {
  char text[17];
  return {text, static_cast<size_t>(std::snprintf(text, sizeof text, "%zx", number))};
}

}  // namespace

// A request being read: complete, or with the error.
struct Connection::Arrival {
  http::request_parser<http::string_body> parser;
  std::optional<Error> refusal;
  bool whole = false;
};

// Writes a stream to the socket: each write is a chunk, and the headers go out with the first one.
class ChunkSink final : public Sink {
 public:
  ChunkSink(Connection& connection, std::string head, bool chunked)
      : connection_(connection), pending_(std::move(head)), chunked_(chunked) {}

  asio::awaitable<bool> write(std::string bytes) override {
    std::string out = std::exchange(pending_, {});
    if (chunked_) out.append(hex(bytes.size())).append("\r\n");
    if (bytes.size() > kOneWrite) {
      if (!co_await connection_.write(out) || !co_await connection_.write(bytes)) co_return false;
      out.clear();
    } else {
      out += bytes;
    }
    if (chunked_) out += "\r\n";
    co_return co_await connection_.write(out);
  }

  void wait_for_reader() override { connection_.patient_ = true; }

  asio::awaitable<bool> finish() {
    connection_.patient_ = false;
    if (chunked_) pending_ += "0\r\n\r\n";
    co_return co_await connection_.write(pending_) && chunked_;
  }

 private:
  Connection& connection_;
  std::string pending_;
  bool chunked_;
};

asio::awaitable<void> Connection::serve() {
  const auto self = shared_from_this();
  error_code ignored;
  socket_.non_blocking(true, ignored);
  try {
    while (!leaving_ && co_await serve_one()) {
    }
  } catch (const std::exception& thrown) {  // No memory for an answer, say. It fails alone.
    log::error("api: closing a connection: {}", thrown.what());
  }
  socket_.close(ignored);
  server_.let_go(*this);
}

asio::awaitable<bool> Connection::serve_one() {
  Arrival arrival;
  try {
    co_await receive(arrival);
  } catch (const std::bad_alloc&) {
    arrival.refusal = no_memory();
  }
  wait_for_ever();
  if (!arrival.whole && !arrival.refusal) co_return false;
  auto& message = arrival.parser.get();
  if (std::string ambiguity = ambiguity_in(message); arrival.whole && !ambiguity.empty()) {
    arrival.refusal = {ErrorCode::invalid, "malformed_request", std::move(ambiguity), "headers"};
  }
  std::string id(view(message["X-Request-Id"]));
  if (!is_request_id(id)) id = server_.next_request_id();
  if (arrival.refusal) {
    Response response = refuse(*arrival.refusal, id);
    if (co_await send(response, {.request_id = id, .keep_alive = false}, false)) {
      co_await drop_input();
    }
    co_return false;
  }

  Request request{.caller = *this,
                  .door = door_,
                  .id = id,
                  .method = view(message.method_string()),
                  .target = view(message.target()),
                  .content_type = view(message[http::field::content_type]),
                  .accept = view(message[http::field::accept]),
                  .last_event_id = view(message["Last-Event-ID"]),
                  .idempotency_key = {},
                  .range = view(message[http::field::range]),
                  .traceparent = view(message["traceparent"]),
                  .authorization = {},
                  .cookie = view(message[http::field::cookie]),
                  .host = view(message[http::field::host]),
                  .origin = view(message[http::field::origin]),
                  .fetch_site = view(message["Sec-Fetch-Site"]),
                  .body = std::move(message.body()),
                  .grant = {},
                  .subject = {},
                  .query = {}};
  if (const auto key = message.find("Idempotency-Key"); key != message.end()) {
    request.idempotency_key = view(key->value());
  }
  if (const auto token = message.find(http::field::authorization); token != message.end()) {
    request.authorization = view(token->value());
  }
  Response response;
  std::string bug;
  try {
    response = co_await answer(server_.services(), request);
  } catch (const std::bad_alloc&) {
    response = refuse(no_memory(), id);
  } catch (const std::exception& thrown) {
    bug = thrown.what();
  }
  if (!bug.empty()) {
    log::error("{} {} {}: {}", id, request.method, run::redact(path_of(request.target)), bug);
    response = refuse({ErrorCode::corrupt, "internal_error",
                       "internal error; the daemon's log has details under this request id", ""},
                      id);
  }
  if (gone_) co_return false;
  const bool keep_alive = arrival.parser.keep_alive() && !leaving_ && !request.closes_connection;
  const bool chunked = response.stream != nullptr && message.version() >= 11;
  ++server_.services().traffic.answers[response.status];
  crash_point("answer.ready");
  const bool whole =
      co_await send(response, {.request_id = id, .keep_alive = keep_alive, .chunked = chunked},
                    request.method == "HEAD");
  crash_point("answer.sent");
  if (response.afterwards) response.afterwards();
  if (request.closes_connection && whole) co_await drop_input();
  co_return keep_alive&& whole;
}

asio::awaitable<void> Connection::receive(Arrival& arrival) {
  auto& parser = arrival.parser;
  parser.header_limit(limits::kHeaderBytesMax);
  parser.body_limit(limits::kBodyBytesMax);
  parser.eager(true);
  bool begun = false;
  bool continued = false;
  while (true) {
    if (begin_ < end_) {
      error_code bad;
      begin_ += parser.put(asio::buffer(unused()), bad);
      if (bad && bad != http::error::need_more) {
        arrival.refusal = refusal_of(bad);
        co_return;
      }
      if (parser.is_done()) {
        arrival.whole = true;
        co_return;
      }
      if (!begun) wait_at_most(limits::kRequestArriveMs);
      begun = true;
      if (parser.is_header_done()) {
        wait_at_most(limits::kBodyStallMs);
        if (!continued && view(parser.get()[http::field::expect]) == "100-continue") {
          if (!co_await write("HTTP/1.1 100 Continue\r\n\r\n")) co_return;
          wait_at_most(limits::kBodyStallMs);
          continued = true;
        }
      }
    } else if (!begun) {
      wait_at_most(limits::kIdleMs);
    }
    between_ = !begun;
    const bool more = co_await read_more();
    between_ = false;
    if (!more) {
      if (expired_ && begun) arrival.refusal = too_slow();
      co_return;
    }
  }
}

asio::awaitable<bool> Connection::send(Response& response, const Framing& framing, bool head_only) {
  std::string head = head_of(response, framing);
  if (head_only) co_return co_await write(head) && !response.stream;
  if (response.stream) {
    ChunkSink sink(*this, std::move(head), framing.chunked);
    co_await response.stream->run(sink);
    co_return co_await sink.finish();
  }
  if (response.body.size() <= kOneWrite) {
    head += response.body;
    co_return co_await write(head);
  }
  co_return co_await write(head) && co_await write(response.body);
}

}  // namespace drover::api
