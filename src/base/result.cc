#include "base/result.h"

#include <array>
#include <cerrno>
#include <system_error>

namespace drover {
namespace {

// Advice for a person about an errno, where there is any.
struct Advice {
  int error;
  const char* reason;
  const char* text;
};
constexpr auto kAdvice = std::to_array<Advice>({
    {ENOSPC, "disk_full", "; free some space and try again"},
    {EDQUOT, "disk_full", "; free some space and try again"},
    {EROFS, "read_only", "; make it writable, or set DROVER_HOME to a directory that is"},
    {EACCES, "permission_denied", "; check its owner, or set DROVER_HOME to a directory of yours"},
    {EMFILE, "no_descriptors", "; close some connections, or raise the limit with ulimit -n"},
    {ENFILE, "no_descriptors", "; too many files are open on this machine: try again later"},
    {ENOMEM, "out_of_memory", "; free some memory and try again"},
});

}  // namespace

std::unexpected<Error> fail_errno(std::string_view what, int error) {
  std::string message(what);
  message += ": ";
  message += std::generic_category().message(error);
  for (const Advice& advice : kAdvice) {
    if (advice.error != error) continue;
    return fail(ErrorCode::unavailable, advice.reason, message + advice.text);
  }
  return fail(ErrorCode::unavailable, "system_error", std::move(message));
}

}  // namespace drover
