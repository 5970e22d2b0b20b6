#include "cli/views/output.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "cli/fields.h"

namespace drover::cli {

Result<std::string> bytes_of(const boost::json::object& chunk) {
  if (chunk.contains("base64")) return unbase64(text_in(chunk, "base64"));
  return text_in(chunk, "text");
}

void Output::add(int fd, std::string bytes) {
  if (bytes.empty() || gave_up(fd)) return;
  at_line_start_ = bytes.back() == '\n';
  pieces_.push_back({fd, std::move(bytes)});
}

void Output::give_up(int fd) {
  (fd == 1 ? no_out_ : no_err_) = true;
  std::erase_if(pieces_, [&](const Piece& piece) { return piece.fd == fd; });
}

Result<> Output::flush() {
  while (!pieces_.empty()) {
    Piece& piece = pieces_.front();
    // A writable pipe takes PIPE_BUF bytes without blocking; more could block.
    pollfd ready{piece.fd, POLLOUT, 0};
    if (::poll(&ready, 1, 0) == 0) return {};
    const size_t size = std::min<size_t>(piece.bytes.size() - piece.done, PIPE_BUF);
    const ssize_t wrote = ::write(piece.fd, piece.bytes.data() + piece.done, size);
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
