// A terminal is the pty of a command that was asked to have one: the command has its three
// descriptors on it and it is the terminal of its session; the keeper reads and writes the other
// end, the master.
//
// The keeper keeps the command's end open too, for as long as the command runs: one that closes its
// own descriptors must still find its terminal, and the master must not read as ended. Let go of,
// the master reads to its end (EIO) once nobody else holds it.
#pragma once

#include <string_view>

#include "base/fd.h"
#include "base/journal.h"

namespace drover::process {

class Terminal {
 public:
  // Returns the master, which does not block. Empty, with errno set, if there is none to be had.
  Fd open(const TerminalSize& size);
  bool is_open() const { return static_cast<bool>(peer_); }
  int peer() const { return peer_.get(); }  // The command's end.
  void let_go() { peer_.close(); }

  // The kernel tells the programs in the foreground. False: it has that size.
  bool resize(const TerminalSize& size);

  // What somebody would type to end the input: the end-of-file character, twice within a line that
  // the terminal is still holding back.
  std::string_view end_of_input(bool at_line_start);

 private:
  Fd peer_;
  char end_[2] = {};
};

}  // namespace drover::process
