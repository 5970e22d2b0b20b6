// DetachKeys recognizes the keys that detach from a run with a terminal: a short sequence, such as
// Ctrl-P Ctrl-Q, however the input is split. Pure.
//
// The beginning of the sequence is held back until the next key decides; after
// limits::kDetachPauseMs the caller sends it on with flush().
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::cli {

inline constexpr std::string_view kDetachKeys = "ctrl-p,ctrl-q";

class DetachKeys {
 public:
  // "ctrl-p,ctrl-q", "ctrl-],d"; empty: no keys detach.
  static Result<DetachKeys> parse(std::string_view text);

  // Returns the part of `bytes` that goes to the run. Bytes after the detach keys are dropped.
  std::string pass(std::string_view bytes);
  bool detached() const { return detached_; }

  bool holds() const { return held_ > 0; }
  std::string flush();  // Returns the held keys: the rest of the sequence did not follow.

 private:
  void take(char typed, std::string& out);

  std::string keys_;
  size_t held_ = 0;  // How many keys of the sequence have been typed.
  bool detached_ = false;
};

}  // namespace drover::cli
