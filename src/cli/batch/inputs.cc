#include "cli/batch/inputs.h"

#include "base/limits.h"

namespace drover::cli {

// Keeps one byte more than an argument may have: enough to see that the input is too long.
void Inputs::grow(std::string_view bytes) {
  rest_ += bytes.substr(0, limits::kArgumentBytesMax + 1 - rest_.size());
}

void Inputs::feed(std::string_view bytes) {
  for (size_t end = 0; (end = bytes.find(separator_)) != std::string_view::npos;) {
    grow(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    if (rest_.empty() && separator_ == '\n') continue;
    held_ += rest_.size();
    ++known_;
    pieces_.push_back(std::move(rest_));
    rest_.clear();
  }
  grow(bytes);
}

void Inputs::end() {
  if (!rest_.empty()) feed({&separator_, 1});
  ended_ = true;
}

std::optional<std::string> Inputs::take() {
  if (pieces_.empty()) return std::nullopt;
  std::string piece = std::move(pieces_.front());
  pieces_.pop_front();
  held_ -= piece.size();
  return piece;
}

bool Inputs::wants_more() const {
  // Count the memory of empty pieces, too.
  return !ended_ && held_ + pieces_.size() * sizeof(std::string) < limits::kInputsAheadBytes;
}

}  // namespace drover::cli
