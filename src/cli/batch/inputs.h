// Inputs are what `drover run --each` runs a command for: pieces of a file or of standard input,
// separated by newlines or NULs, taken as they come. Every byte but the separator is part of a
// piece. At most limits::kInputsAheadBytes are held, so that a producer may be endless. A piece
// that is longer than any argument may be is cut one byte above that: it is refused, and what is
// left out of it would not have been run.
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

  // More of the text; the pieces it completes can be taken.
  void feed(std::string_view bytes);
  void end();  // A last piece without a separator counts.

  std::optional<std::string> take();
  bool has_ended() const { return ended_; }  // Nothing will be added to those that are known.
  bool wants_more() const;
  size_t known() const { return known_; }  // Taken or not.

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
