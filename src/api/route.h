// A Route pairs an operation with its handler, and with the check that a caller other than the
// owner can see the subject in its path. The routes of an area are a RouteGroup; the server gets
// all groups (core_routes.h). A group is checked at compile time: every operation must have a
// handler, and every subject a check.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <span>

#include "base/limits.h"
#include "base/result.h"
#include "wire/area.h"

namespace drover::api {

namespace asio = boost::asio;

struct Services;
struct Request;
struct Response;

using Handler = asio::awaitable<Result<Response>> (*)(Services& services, Request& request);

// `not_found` unless the caller can see the request's subject. It may replace the subject, for
// example a prefix by the complete id.
using SubjectCheck = asio::awaitable<Result<>> (*)(Services& services, Request& request);

// Refuses a stranger's request by its head, before its body is read. For operations that are open
// to anyone and take a large body.
using HeadCheck = Result<> (*)(Services& services, const Request& request);

struct Route {
  const wire::Operation* operation;
  Handler handler;
  SubjectCheck check_subject = nullptr;
  HeadCheck check_head = nullptr;
};

struct RouteGroup {
  const wire::Area* area;
  std::span<const Route> routes;
};

namespace promise {

constexpr bool every_operation_has_one_handler(const RouteGroup& group) {
  for (const wire::Operation* operation : group.area->operations) {
    int handlers = 0;
    for (const Route& route : group.routes) handlers += route.operation == operation ? 1 : 0;
    if (handlers != 1) return false;
  }
  return group.routes.size() == group.area->operations.size();
}
// Only operations of the owner need no check: the owner sees everything.
constexpr bool every_subject_is_checked(const RouteGroup& group) {
  for (const Route& route : group.routes) {
    const wire::Operation& operation = *route.operation;
    if (operation.can == wire::Permission::own) continue;
    if (wire::has_subject(operation) != (route.check_subject != nullptr)) return false;
  }
  return true;
}

// A stranger sends more than a few fields only to an operation that has seen its headers.
constexpr bool every_large_body_is_checked(const RouteGroup& group) {
  for (const Route& route : group.routes) {
    const wire::Operation& operation = *route.operation;
    if (operation.can != wire::Permission::anyone) continue;
    if (operation.body_bytes_max > limits::kStrangerBodyBytesMax && route.check_head == nullptr) {
      return false;
    }
  }
  return true;
}

}  // namespace promise

constexpr bool is_whole(const RouteGroup& group) {
  return promise::every_operation_has_one_handler(group) &&
         promise::every_subject_is_checked(group) && promise::every_large_body_is_checked(group);
}

}  // namespace drover::api
