// An Arrival is a request while it is read from a connection: first its head, by which the caller
// is authenticated, then its body. It refuses a head that a proxy in front of us might understand
// differently.
//
// Lives on the daemon's loop, until the answer is written: the Request's views point into it.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/connection.h"
#include "base/limits.h"

namespace drover::api {

inline std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

struct Arrival {
  boost::beast::http::request_parser<boost::beast::http::string_body> parser;
  std::optional<Error> refusal;
  bool begun = false;   // Its first byte is here.
  bool folded = false;  // A header continues on the next line.
  char last = 0;        // The last byte of the head so far.
  Connection::Time body_by = Connection::Time::max();
  size_t body_bytes_max = limits::kBodyBytesMax;

  // The parser joins a folded header, such as one that continues with "chunked". A proxy in front
  // of us may see two headers, or none.
  void look_for_folds(std::string_view bytes);
  // Sets `refusal` if the complete head is ambiguous: where the request ends, its host, its caller.
  void check_head();
  // The request without its body.
  Request request_for(RequestClient& client, const DoorSign& door, std::string_view id) const;
};

}  // namespace drover::api
