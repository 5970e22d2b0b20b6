#include "process/control.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>

namespace drover::process {

std::string_view control_name(std::string_view directory) {
  // The last 20 characters of a run id: its random part and the last digits of its time.
  constexpr size_t kLength = 20;
  return directory.size() > kLength ? directory.substr(directory.size() - kLength) : directory;
}

Result<Fd> connect_control(const std::string& controls, std::string_view directory) {
  const Fd dir = open_file(controls, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!dir) return fail_errno("cannot open " + controls, errno);
  Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail_errno("cannot create a socket", errno);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name(control_name(directory));
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", dir.get(),
                name.c_str());
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  if (errno == ENOENT || errno == ECONNREFUSED || errno == EAGAIN) return Fd();
  return fail_errno("cannot reach the keeper", errno);
}

}  // namespace drover::process
