// RawTerminal makes our terminal raw, so that every key goes to the run, and restores it.
#pragma once

#include "base/journal.h"

namespace drover::cli {

// Of the terminal that we write to or read from, within what a run's may have; a usual size if
// there is none.
TerminalSize size_of_terminal();

// Raw for as long as it lives: no echo, no lines, no signals from keys. Given back as it was, also
// when a signal ends us that nobody handles. One at a time.
class RawTerminal {
 public:
  RawTerminal();  // Of standard input, if that is a terminal.
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  void give_back();  // Until taken again: while we are stopped, say.
  void take();

 private:
  bool is_ours_ = false;
};

}  // namespace drover::cli
