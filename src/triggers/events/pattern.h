// An EventPattern says which events a trigger is on (`trigger add --on`): one event type, or every
// type that begins with given words. `run.completed` matches that type alone; `run.*` matches
// `run.completed` and `run.a.b`, not `run` and not `runs.a`. A pattern of `*` alone is refused: it
// would match the events of its own firings. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::triggers {

class EventPattern {
 public:
  // `param` names the field for the error.
  static Result<EventPattern> parse(std::string_view text, std::string_view param);

  bool matches(std::string_view type) const;
  std::string text() const { return is_prefix_ ? words_ + "*" : words_; }

  bool operator==(const EventPattern&) const = default;

 private:
  EventPattern() = default;
  std::string words_;  // The type; of a prefix, including its last dot.
  bool is_prefix_ = false;
};

}  // namespace drover::triggers
