#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace drover {

std::unexpected<Error> fail_errno(std::string_view what, int error) {
  std::string message(what);
  message += ": ";
  message += std::generic_category().message(error);
  const bool full = error == ENOSPC || error == EDQUOT;
  return fail(ErrorCode::unavailable, full ? "disk_full" : "system_error", std::move(message));
}

}  // namespace drover
