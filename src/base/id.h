// A RunId is the handle of a run: "run_" and a ULID (48 bits of milliseconds and 80 random bits, in
// Crockford's base 32, lower case). Sorting ids sorts by time of submission.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace drover {

class RunId {
 public:
  static constexpr size_t kSize = 30;
  static constexpr std::string_view kPrefix = "run_";

  RunId() { text_.fill('0'); }
  // `not_found` for any text that is not an id, whatever it looks like (H5).
  static Result<RunId> parse(std::string_view text);

  // The smallest id of that millisecond.
  static RunId earliest(WallMs time);

  std::string_view view() const { return {text_.data(), text_.size()}; }
  std::string str() const { return std::string(view()); }
  WallMs time() const;  // When it was made.
  // The same 128 bits as 32 hex digits: the trace id of a run that was submitted without one.
  std::string trace_id() const;

  friend auto operator<=>(const RunId&, const RunId&) = default;
  friend bool operator==(const RunId&, const RunId&) = default;

 private:
  friend class IdMaker;
  std::array<char, kSize> text_;
};

// Makes ids that never collide and, within one process, only increase. Not thread-safe.
class IdMaker {
 public:
  explicit IdMaker(const Clock& clock) : clock_(clock) {}  // `clock` must outlive it.
  RunId next();

 private:
  const Clock& clock_;
  std::uint64_t last_ms_ = 0;
  std::array<std::uint8_t, 10> random_{};
};

void fill_random(void* bytes, size_t size);  // At most 256.
std::string random_hex(size_t digits);

}  // namespace drover

template <>
struct std::hash<drover::RunId> {
  size_t operator()(const drover::RunId& id) const noexcept {
    return std::hash<std::string_view>{}(id.view());
  }
};
