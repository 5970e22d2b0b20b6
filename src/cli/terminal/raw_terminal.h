// RawTerminal makes our terminal raw, so that every key goes to the run, and restores it.
#pragma once

#include "base/journal.h"

namespace drover::cli {

// The size of the terminal that we write to or read from, limited to valid sizes for a run; a
// default size without a terminal.
TerminalSize size_of_terminal();

// Keeps the terminal raw during its lifetime: no echo, no line editing, no signals from keys. Also
// restores it when an unhandled signal kills us. Only one at a time.
class RawTerminal {
 public:
  RawTerminal();  // Of standard input, if that is a terminal.
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  void give_back();  // Until take(), for example while we are stopped.
  void take();

 private:
  bool is_ours_ = false;
};

}  // namespace drover::cli
