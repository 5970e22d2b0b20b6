// A Terminal is the pty of a command that was submitted with one. It is the controlling terminal of
// the command's session, and the command's three descriptors; the keeper reads and writes the other
// end, the master.
//
// The keeper keeps the command's end open while the command runs: a program that closes its own
// descriptors can still open its terminal, and the master does not report end of file. After
// close_peer(), the master reports it (EIO) once no other process has the terminal open.
#pragma once

#include <string_view>

#include "base/fd.h"
#include "base/journal.h"

namespace drover::process {

class Terminal {
 public:
  // Returns the master, which does not block. Empty, with errno set, if the system has no pty left.
  Fd open(const TerminalSize& size);
  bool is_open() const { return static_cast<bool>(peer_); }
  int peer() const { return peer_.get(); }  // The command's end.
  void close_peer() { peer_.close(); }

  // The kernel notifies the programs in the foreground. False: it already has that size.
  bool resize(const TerminalSize& size);

  // The characters that a person would type to end the input: the end-of-file character, twice if
  // the terminal is still buffering a line.
  std::string_view end_of_input(bool at_line_start);

 private:
  Fd peer_;
  char end_[2] = {};
};

}  // namespace drover::process
