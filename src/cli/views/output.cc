#include "cli/views/output.h"

#include <limits.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "cli/fields.h"

namespace drover::cli {

namespace {

// Writes as much as the file takes without blocking. We must not make it non-blocking: other
// programs may share it.
ssize_t write_at_once(int fd, std::string_view bytes) {
  const iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  return ::pwritev2(fd, &part, 1, -1, RWF_NOWAIT);
}

}  // namespace

Result<std::string> bytes_of(const boost::json::object& chunk) {
  if (chunk.contains("base64")) return unbase64(text_in(chunk, "base64"));
  return text_in(chunk, "text");
}

void OutputQueue::add(int fd, std::string bytes) {
  if (bytes.empty() || gave_up(fd)) return;
  at_line_start_ = bytes.back() == '\n';
  pieces_.push_back({fd, std::move(bytes)});
}

void OutputQueue::give_up(int fd) {
  (fd == 1 ? no_out_ : no_err_) = true;
  std::erase_if(pieces_, [&](const Piece& piece) { return piece.fd == fd; });
}

Result<> OutputQueue::flush() {
  while (!pieces_.empty()) {
    Piece& piece = pieces_.front();
    const std::string_view rest = std::string_view(piece.bytes).substr(piece.done);
    ssize_t wrote = write_at_once(piece.fd, rest);
    if (wrote < 0 && errno == EAGAIN) return {};
    if (wrote < 0 && errno == EOPNOTSUPP) {
      // A terminal, or an older kernel. If it is writable, it takes PIPE_BUF bytes without
      // blocking; more could block.
      pollfd ready{piece.fd, POLLOUT, 0};
      if (::poll(&ready, 1, 0) == 0) return {};
      wrote = ::write(piece.fd, rest.data(), std::min<size_t>(rest.size(), PIPE_BUF));
    }
    if (wrote < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      if (errno == EPIPE || errno == EIO) {
        return fail(ErrorCode::unavailable, "reader_gone", "standard output was closed");
      }
      return fail_errno("cannot write the output", errno);
    }
    piece.done += static_cast<size_t>(wrote);
    if (piece.done == piece.bytes.size()) pieces_.pop_front();
  }
  return {};
}

}  // namespace drover::cli
