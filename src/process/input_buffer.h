// An InputBuffer is the bounded buffer between control messages and a command's standard input, a
// pipe or a terminal that may be read slowly, or never.
#pragma once

#include <poll.h>

#include <string>
#include <string_view>

#include "base/fd.h"

namespace drover::process {

class InputBuffer {
 public:
  void open(Fd pipe) { pipe_ = std::move(pipe); }
  bool wants_write() const { return pipe_ && (!pending_.empty() || ending_); }
  pollfd poll() const { return {.fd = pipe_.get(), .events = POLLOUT, .revents = 0}; }

  // 0; EPIPE if there is no standard input (any more); EAGAIN if the buffer is full.
  int add(std::string_view bytes);
  int end();
  void write_some();
  // Whether the input taken so far is empty or ends with a newline.
  bool at_line_start() const { return at_line_start_; }
  void close() { pipe_.close(); }

 private:
  Fd pipe_;
  std::string pending_;
  bool ending_ = false;
  bool at_line_start_ = true;
};

}  // namespace drover::process
