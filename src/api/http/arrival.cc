// Reading a request from a connection.
#include "api/http/arrival.h"

#include <algorithm>

#include "api/http/server.h"

namespace drover::api {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::chrono::milliseconds kBodyStall{limits::kBodyStallMs};

Error refusal_of(const error_code& bad, size_t body_bytes_max) {
  if (bad == http::error::body_limit) {
    return {ErrorCode::exhausted, "body_too_large",
            "the body of the request is too large: the maximum is " +
                std::to_string(body_bytes_max) + " bytes",
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

template <class Message>
std::vector<std::string_view> values_of(const Message& message, std::string_view name) {
  std::vector<std::string_view> out;
  const auto [first, last] =
      message.equal_range(boost::beast::string_view(name.data(), name.size()));
  for (auto field = first; field != last; ++field) out.push_back(view(field->value()));
  return out;
}

Error too_slow() {
  return {ErrorCode::invalid, "request_timeout", "the request did not arrive in time", ""};
}

}  // namespace

void Arrival::look_for_folds(std::string_view bytes) {
  for (const char c : bytes) {
    folded |= last == '\n' && (c == ' ' || c == '\t');
    last = c;
  }
}

void Arrival::check_head() {
  std::string ambiguity =
      folded ? "a header continues on the next line; send it on one" : ambiguity_in(parser.get());
  if (ambiguity.empty()) return;
  refusal = {ErrorCode::invalid, "malformed_request", std::move(ambiguity), "headers"};
}

Request Arrival::request_for(RequestClient& client, const DoorSign& door,
                             std::string_view id) const {
  const auto& message = parser.get();
  Request request{.client = client,
                  .door = door,
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
                  .page_key = view(message["Drover-Page-Key"]),
                  .headers = [&message](std::string_view name) { return values_of(message, name); },
                  .body = {},
                  .grant = {},
                  .subject = {},
                  .query = {}};
  if (const auto key = message.find("Idempotency-Key"); key != message.end()) {
    request.idempotency_key = view(key->value());
  }
  if (const auto token = message.find(http::field::authorization); token != message.end()) {
    request.authorization = view(token->value());
  }
  return request;
}

asio::awaitable<void> Connection::receive_head(Arrival& arrival) {
  arrival.parser.header_limit(limits::kHeaderBytesMax);
  arrival.parser.body_limit(limits::kBodyBytesMax);
  if (!co_await feed(arrival, false)) co_return;
  arrival.check_head();
}

asio::awaitable<void> Connection::receive_body(Arrival& arrival, size_t bytes_max) {
  auto& parser = arrival.parser;
  if (parser.is_done()) co_return;
  if (parser.content_length().value_or(0) > bytes_max) {
    arrival.refusal = refusal_of(http::error::body_limit, bytes_max);
    co_return;
  }
  parser.body_limit(bytes_max);  // For a chunked body, whose length is not known yet.
  parser.eager(true);
  arrival.body_by =
      Time::clock::now() + std::chrono::milliseconds(server_.services().body_arrive_ms);
  arrival.body_bytes_max = bytes_max;
  if (begin_ == end_ && view(parser.get()[http::field::expect]) == "100-continue") {
    if (!co_await write("HTTP/1.1 100 Continue\r\n\r\n")) co_return;
  }
  co_await feed(arrival, true);
}

asio::awaitable<bool> Connection::feed(Arrival& arrival, bool whole) {
  auto& parser = arrival.parser;
  while (true) {
    if (begin_ < end_) {
      error_code bad;
      const std::string_view now = unused();
      const size_t used = parser.put(asio::buffer(now), bad);
      if (!whole) arrival.look_for_folds(now.substr(0, used));
      begin_ += used;
      if (bad && bad != http::error::need_more) {
        arrival.refusal = refusal_of(bad, arrival.body_bytes_max);
        co_return false;
      }
      if (whole ? parser.is_done() : parser.is_header_done()) co_return true;
      if (!whole && !arrival.begun) wait_at_most(limits::kRequestArriveMs);
      arrival.begun = true;
    } else if (!arrival.begun) {
      wait_at_most(limits::kIdleMs);
    }
    if (whole) {
      wait_until(std::min(arrival.body_by, Time::clock::now() + kBodyStall));
    }
    between_ = !arrival.begun;
    const bool more = co_await read_more();
    between_ = false;
    if (!more) {
      if (expired_ && arrival.begun) arrival.refusal = too_slow();
      co_return false;
    }
  }
}

}  // namespace drover::api
