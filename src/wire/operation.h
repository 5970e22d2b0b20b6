// An Operation is one thing that a client can ask of the daemon: its method and path, what it
// takes, who may ask, and what it answers. Each is a constant with a name (`wire::runs::create`) in
// the list of its area (wire/area.h). The API's routes pair each with its handler, the command line
// names the constant it calls, and /openapi.json describes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace drover::wire {

// any: of any media type.
enum class Body : std::uint8_t { none, json, bytes, any };

// The permission that an operation needs. `read`, `run` and `cancel` are those of `token create
// --can`. `read_all`: to read in every scope, for totals over all runs. `own`: only the owner.
// `anyone`: without authentication.
enum class Permission : std::uint8_t { anyone, read, run, cancel, read_all, own };

struct Parameter {
  std::string_view name;
  std::string_view help;
  std::string_view shape = "Text";  // Of its value (wire/shapes.h).
};

struct Header {
  std::string_view name;
  std::string_view help;
};

struct Answer {
  unsigned status;
  std::string_view media;  // Empty: no body.
  std::string_view shape;
  std::string_view help;
};

struct Operation {
  std::string_view name;  // "runs.create".
  std::string_view method;
  std::string_view path;          // At most one segment is a {…}: the subject.
  std::string_view subject = {};  // A description of the {…}.
  Body body = Body::none;
  Permission can = Permission::own;
  std::span<const Parameter> query = {};
  std::string_view help;
  std::string_view takes = {};  // The shape of a JSON body.
  bool needs_body = false;      // The body is required.
  size_t body_bytes_max = 0;    // 0: the limit of the caller (base/limits.h).
  std::span<const Header> headers = {};
  std::span<const Answer> answers;
  std::span<const Header> answer_headers = {};
  // The subject is the rest of the path, with its slashes and escapes: "github/site".
  bool takes_rest = false;
  // Sending the request twice has the same effect as sending it once, even without an
  // Idempotency-Key. (For GET and PUT that is always so.)
  bool repeatable = false;
};

constexpr bool has_subject(const Operation& operation) {
  return operation.path.find('{') != std::string_view::npos;
}

constexpr bool takes_header(const Operation& operation, std::string_view name) {
  for (const Header& header : operation.headers) {
    if (header.name == name) return true;
  }
  return false;
}

inline constexpr std::string_view kJson = "application/json";

constexpr Answer answer_ok(std::string_view shape, std::string_view help) {
  return {200, kJson, shape, help};
}

inline constexpr Header kIdempotencyKey{
    "Idempotency-Key", "Idempotency key: repeating it with the same body returns the same run"};

}  // namespace drover::wire
