// Inputs are the arguments that `drover run --each` starts runs for: pieces of a file or of
// standard input, separated by newlines or NULs. Every byte but the separator is part of a piece.
// Empty lines are skipped, as xargs does; between NULs, an empty piece is an input.
// At most limits::kInputsAheadBytes are buffered, so that the source may be endless. A piece longer
// than an argument may be is cut one byte above that limit; it is then refused, so the missing
// bytes do not matter.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace drover::cli {

class Inputs {
 public:
  explicit Inputs(char separator) : separator_(separator) {}

  // Adds text and completes pieces.
  void feed(std::string_view bytes);
  void end();  // A last piece without a separator counts.

  std::optional<std::string> take();
  bool has_ended() const { return ended_; }  // No more inputs will be added.
  bool wants_more() const;
  size_t known() const { return known_; }  // Including those already taken.

 private:
  void grow(std::string_view bytes);

  char separator_;
  std::deque<std::string> pieces_;
  size_t held_ = 0;  // Bytes.
  size_t known_ = 0;
  std::string rest_;
  bool ended_ = false;
};

}  // namespace drover::cli
