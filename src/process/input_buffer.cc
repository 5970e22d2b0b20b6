#include "process/input_buffer.h"

#include <unistd.h>

#include <cerrno>

#include "base/limits.h"

namespace drover::process {

int InputBuffer::add(std::string_view bytes) {
  if (!pipe_ || ending_) return EPIPE;
  if (pending_.size() + bytes.size() > limits::kInputPendingMax) return EAGAIN;
  pending_ += bytes;
  if (!bytes.empty()) at_line_start_ = bytes.back() == '\n' || bytes.back() == '\r';
  write_some();
  return pipe_ ? 0 : EPIPE;
}

int InputBuffer::end() {
  if (!pipe_) return 0;  // Closed already: repeating is harmless.
  ending_ = true;
  write_some();
  return 0;
}

void InputBuffer::write_some() {
  while (pipe_ && !pending_.empty()) {
    const ssize_t n = ::write(pipe_.get(), pending_.data(), pending_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) {  // The command has closed it.
      pipe_.close();
      pending_.clear();
      return;
    }
    pending_.erase(0, static_cast<size_t>(n));
  }
  if (ending_ && pending_.empty()) pipe_.close();
}

}  // namespace drover::process
