// An OutputQueue copies the output of a followed run to our standard output and standard error:
// every byte, in order, and without blocking the loop that also handles Ctrl-C.
#pragma once

#include <boost/json/object.hpp>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::cli {

// The bytes in the data of a run.output event: its text, or its base64.
Result<std::string> bytes_of(const boost::json::object& chunk);

class OutputQueue {
 public:
  void add(int fd, std::string bytes);
  bool empty() const { return pieces_.empty(); }
  // The descriptor of the next piece: poll it for output, then call flush().
  int fd() const { return pieces_.empty() ? -1 : pieces_.front().fd; }
  // Writes as much as possible without blocking. `reader_gone`: the reader has closed it.
  Result<> flush();
  // Drops all pending and future bytes for `fd`: its reader is gone.
  void give_up(int fd);
  bool gave_up(int fd) const { return fd == 1 ? no_out_ : no_err_; }
  // Whether the terminal's cursor is at the start of a line.
  bool at_line_start() const { return at_line_start_; }

 private:
  struct Piece {
    int fd;
    std::string bytes;
    size_t done = 0;
  };
  std::deque<Piece> pieces_;
  bool no_out_ = false;
  bool no_err_ = false;
  bool at_line_start_ = true;
};

}  // namespace drover::cli
