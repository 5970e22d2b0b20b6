#include "cli/views/gap_seam.h"

#include <algorithm>
#include <utility>

namespace drover::cli {

Result<> GapSeam::print(int stream, std::string_view bytes, bool was_held) {
  if (bytes.empty()) return {};
  within_line_[static_cast<size_t>(stream)] = bytes.back() != '\n';
  return print_(stream, bytes, was_held);
}

Result<> GapSeam::print_held() {
  return print(held_stream_, std::exchange(held_, {}), true);
}

bool GapSeam::passes_whole(int stream, std::string_view bytes) {
  if (bytes.empty() || holds_ || missing_.not_kept > 0) return false;
  within_line_[static_cast<size_t>(stream)] = bytes.back() != '\n';
  return true;
}

Result<> GapSeam::pass(int stream, std::string_view bytes) {
  bytes = after_gap(bytes);
  return holds_ ? print_whole_lines(stream, bytes) : print(stream, bytes);
}

Result<> GapSeam::print_whole_lines(int stream, std::string_view bytes) {
  const size_t newline = bytes.rfind('\n');
  const size_t whole = newline == std::string_view::npos ? 0 : newline + 1;
  const bool within = within_line_[static_cast<size_t>(stream)];
  const size_t rest = bytes.size() - whole + (whole == 0 ? held_.size() : 0);
  const bool waits = rest <= kPartialLineMax && (whole > 0 || !within);
  if (whole > 0 || !waits) {
    if (auto ok = print_held(); !ok) return ok;
  }
  held_stream_ = stream;
  if (waits) held_ += bytes.substr(whole);
  return print(stream, waits ? bytes.substr(0, whole) : bytes);
}

Result<> GapSeam::gap(std::uint64_t bytes) {
  missing_.not_kept += bytes;
  missing_.left_out += std::exchange(held_, {}).size();
  for (size_t stream = 1; stream < within_line_.size(); ++stream) {
    if (!std::exchange(within_line_[stream], false)) continue;
    if (auto ok = print_(static_cast<int>(stream), "\n", false); !ok) return ok;
  }
  return {};
}

// Leaves out the rest of a line that begins in the gap.
std::string_view GapSeam::after_gap(std::string_view bytes) {
  if (missing_.not_kept == 0 || bytes.empty()) return bytes;
  const size_t most =
      cut_ == CutLines::left_out ? kPartialLineMax - std::min(kPartialLineMax, skipped_) : 0;
  const size_t newline = bytes.substr(0, most).find('\n');
  if (newline == std::string_view::npos && bytes.size() < most) {
    skipped_ += bytes.size();
    missing_.left_out += bytes.size();
    return {};
  }
  const size_t rest = newline == std::string_view::npos ? 0 : newline + 1;
  missing_.left_out += rest;
  say_left_out();
  return bytes.substr(rest);
}

void GapSeam::say_left_out() {
  skipped_ = 0;
  const MissingBytes missing = std::exchange(missing_, {});
  if (missing.not_kept > 0) say_(missing);
}

Result<> GapSeam::flush() {
  holds_ = false;
  return print_held();
}

Result<> GapSeam::finish() {
  say_left_out();
  return flush();
}

}  // namespace drover::cli
