// A Result is a value, or an Error that says what the caller can do next. Calls that can fail in
// expected ways return one; it cannot be ignored. A bug in Drover asserts instead.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace drover {

// Named for what the caller can do next; wire/errors.h maps each to HTTP and to an exit code.
enum class ErrorCode {
  invalid,      // Change the request.
  not_found,    // Look elsewhere.
  conflict,     // Something else has it, or was first.
  exhausted,    // A limit was reached: ask for less.
  unavailable,  // Try again later.
  corrupt,      // A person has to look.
};

struct Error {
  ErrorCode code = ErrorCode::unavailable;
  std::string reason;   // Stable and machine-readable: "unknown_field", "database_newer".
  std::string message;  // For a person: what happened and what to do.
  std::string param;    // The request's field that is wrong, if there is one.
  // More about it for programs: a JSON object, or empty. It must contain no secret.
  std::string details = {};
};

template <class T = void>
struct [[nodiscard]] Result : std::expected<T, Error> {
  using std::expected<T, Error>::expected;
};

inline std::unexpected<Error> fail(ErrorCode code, std::string reason, std::string message,
                                   std::string param = {}) {
  return std::unexpected(Error{code, std::move(reason), std::move(message), std::move(param)});
}

inline std::unexpected<Error> fail_invalid(std::string param, std::string message) {
  return fail(ErrorCode::invalid, "invalid_value", std::move(message), std::move(param));
}

// The current errno as an error: "cannot open /x/y: No such file or directory".
std::unexpected<Error> fail_errno(std::string_view what, int error);

}  // namespace drover
