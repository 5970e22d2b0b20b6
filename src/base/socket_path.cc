#include "base/socket_path.h"

#include <fcntl.h>
#include <sys/un.h>

#include <cerrno>

namespace drover {

Result<SocketPath> SocketPath::of(const std::string& path) {
  constexpr size_t kMax = sizeof(sockaddr_un{}.sun_path) - 1;
  SocketPath out;
  out.short_ = path;
  if (path.size() <= kMax) return out;
  const size_t slash = path.rfind('/');
  const std::string directory = path.substr(0, slash == std::string::npos ? 0 : slash);
  out.directory_ = Fd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!out.directory_) return fail_errno("cannot open " + directory, errno);
  out.short_ = "/proc/self/fd/" + std::to_string(out.directory_.get()) + path.substr(slash);
  if (out.short_.size() <= kMax) return out;
  return fail_invalid("socket", "the path of the socket is too long for the kernel: " + path);
}

}  // namespace drover
