// The routes are made from the one list of operations (wire/operations.h): an operation without a
// handler does not compile, and a handler without an operation cannot be reached. Whatever is
// wrong with a request before its handler is asked is answered here, in the one envelope (H5).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <string_view>

#include "api/backing.h"
#include "api/request.h"
#include "api/response.h"
#include "wire/operations.h"

namespace drover::api {

using Handler = asio::awaitable<Result<Response>> (*)(Backing& backing, Request& request);

struct Match {
  const wire::Operation* operation = nullptr;  // Null: nothing listens there for this method.
  std::string allow;  // The methods that path knows; empty: there is no such path.
  std::string subject;
};
Match match(std::string_view method, std::string_view path);

// Always an answer; never throws for anything a client can send.
asio::awaitable<Response> answer(Backing& backing, Request& request);

}  // namespace drover::api
