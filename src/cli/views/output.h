// Output is what a followed run printed, on its way to our own standard output and error:
// byte-exact, in order, and without ever blocking the loop that also has to hear Ctrl-C.
#pragma once

#include <boost/json/object.hpp>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::cli {

// The bytes of a run.output event's data: its text, or its base 64.
Result<std::string> bytes_of(const boost::json::object& chunk);

class Output {
 public:
  void add(int fd, std::string bytes);
  bool empty() const { return pieces_.empty(); }
  // The descriptor that the next piece is for; poll it for output, then flush.
  int fd() const { return pieces_.empty() ? -1 : pieces_.front().fd; }
  // Writes what goes without waiting. `reader_gone`: nobody reads it any more.
  Result<> flush();
  // Drops what is for `fd` now and later: its reader is gone.
  void give_up(int fd);
  bool gave_up(int fd) const { return fd == 1 ? no_out_ : no_err_; }
  // Whether a terminal's cursor stands at the beginning of a line.
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
