#include "run/waiting.h"

#include <fmt/format.h>

namespace drover::run {

bool is_due(const Record& record, WallMs now) {
  return now >= record.not_before || now < record.queued_at;
}

WaitVerdict judge_waiting(const Record& record, std::span<const Dependency> dependencies,
                          WallMs now) {
  bool all_ended = true;
  for (const Dependency& other : dependencies) {
    if (!other.end) {
      all_ended = false;
    } else if (other.must_complete && *other.end != State::completed) {
      const std::string_view which =
          other.last_attempt.empty() ? other.id.view() : other.last_attempt;
      return {Wait::never,
              fmt::format("its dependency {} did not complete ({})", which, name(*other.end))};
    }
  }
  return {all_ended && is_due(record, now) ? Wait::over : Wait::waiting, {}};
}

}  // namespace drover::run
