#include "api/http/response.h"

#include <boost/json/serialize.hpp>

#include "base/plain_numbers.h"
#include "run/redact.h"
#include "wire/errors.h"

namespace drover::api {
namespace {

std::string_view phrase(unsigned status) {
  switch (status) {
    case 200:
      return "200 OK";
    case 201:
      return "201 Created";
    case 202:
      return "202 Accepted";
    case 206:
      return "206 Partial Content";
    case 204:
      return "204 No Content";
    case 303:
      return "303 See Other";
    case 400:
      return "400 Bad Request";
    case 401:
      return "401 Unauthorized";
    case 403:
      return "403 Forbidden";
    case 404:
      return "404 Not Found";
    case 405:
      return "405 Method Not Allowed";
    case 408:
      return "408 Request Timeout";
    case 409:
      return "409 Conflict";
    case 413:
      return "413 Content Too Large";
    case 415:
      return "415 Unsupported Media Type";
    case 416:
      return "416 Range Not Satisfiable";
    case 429:
      return "429 Too Many Requests";
    case 431:
      return "431 Request Header Fields Too Large";
    case 503:
      return "503 Service Unavailable";
    default:
      return "500 Internal Server Error";
  }
}

void add(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

Response answer_json(unsigned status, const boost::json::object& body) {
  Response response;
  response.status = status;
  response.body = plain_numbers(boost::json::serialize(body));
  return response;
}

Response refuse(const Error& error, std::string_view request_id) {
  Response response;
  response.status = wire::http_status(error);
  // The message may quote the request, and the request may contain a key by mistake.
  Error shown = error;
  shown.message = run::redact(error.message);
  shown.param = run::redact(error.param);
  response.body = wire::envelope(shown, request_id);
  if (response.status == 401) {
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"drover\"");
  }
  return response;
}

std::string head_of(const Response& response, const Framing& framing) {
  std::string head;
  head.reserve(256 + response.body.size());  // Small bodies are sent in the same write.
  head.append("HTTP/1.1 ").append(phrase(response.status)).append("\r\n");
  if (response.status != 204) add(head, "Content-Type", response.content_type);
  add(head, "X-Request-Id", framing.request_id);
  // A browser must not render a run's output as a page.
  add(head, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) add(head, name, value);
  if (framing.chunked) {
    add(head, "Transfer-Encoding", "chunked");
  } else if (!response.stream && response.status != 204) {
    add(head, "Content-Length", std::to_string(response.body.size()));
  }
  if (!framing.keep_alive) add(head, "Connection", "close");
  head.append("\r\n");
  return head;
}

}  // namespace drover::api
