// Maps an Error to its representation: HTTP status, the type in the envelope, and the exit code of
// the command line (H5, S1).
//
//   {"error":{"code":"not_found","message":"…","type":"not_found_error","param":"run_id",
//             "details":{…},"request_id":"…"}}
//
// `details` is set for few errors: that of a removed run contains the status that is kept of it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::wire {

// Exit codes of the command line besides the command's own (S1).
namespace exit_code {
inline constexpr int kProblemFound = 1;  // `doctor`, `stop --kill`, `droverd --verify`.
inline constexpr int kUsage = 2;
inline constexpr int kNotFound = 5;
inline constexpr int kConflict = 6;
inline constexpr int kNoDaemon = 7;
inline constexpr int kSomeFailed = 123;  // Of many runs, as in xargs.
inline constexpr int kTimedOut = 124;
inline constexpr int kCouldNotRun = 125;
inline constexpr int kNotExecutable = 126;
inline constexpr int kProgramNotFound = 127;
inline constexpr int kCanceled = 130;
}  // namespace exit_code

struct ErrorForm {
  ErrorCode code;
  unsigned http_status;
  std::string_view type;
  int exit_code;
};

const ErrorForm& form(ErrorCode code);
// More specific than the form's status if HTTP has one for the reason.
unsigned http_status(const Error& error);
// The reverse, for the client: the ErrorCode of an envelope's type.
ErrorCode code_of_type(std::string_view type);

std::string envelope(const Error& error, std::string_view request_id);
// Reads an envelope; any other body (a proxy's page, say) becomes an `unavailable` error.
Error read_envelope(std::string_view body, unsigned http_status);

}  // namespace drover::wire
