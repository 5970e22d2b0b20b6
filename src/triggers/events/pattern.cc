#include "triggers/events/pattern.h"

#include "triggers/events/event_type.h"

namespace drover::triggers {

Result<EventPattern> EventPattern::parse(std::string_view text, std::string_view param) {
  if (text == "*" || text == ".*") {
    return fail(ErrorCode::invalid, "pattern_too_wide",
                "a trigger cannot be on every event, because its own events are among them; name "
                "at least the first word, such as run.*",
                std::string(param));
  }
  EventPattern out;
  out.is_prefix_ = text.ends_with(".*");
  if (out.is_prefix_) text.remove_suffix(1);
  out.words_ = text;
  if (out.is_prefix_) text.remove_suffix(1);
  if (text.contains('*')) {
    return fail(ErrorCode::invalid, "invalid_pattern",
                "a * can only be the last word of an event pattern, such as run.*",
                std::string(param));
  }
  if (auto ok = check_event_type(text, param); !ok) return std::unexpected(ok.error());
  return out;
}

bool EventPattern::matches(std::string_view type) const {
  if (!is_prefix_) return type == words_;
  return type.size() > words_.size() && type.starts_with(words_);
}

}  // namespace drover::triggers
