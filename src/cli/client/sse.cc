#include "cli/client/sse.h"

#include <utility>

namespace drover::cli {

void SseParser::feed(std::string_view bytes, std::vector<SseEvent>& events) {
  while (!bytes.empty()) {
    if (after_return_) {
      after_return_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const size_t end = bytes.find_first_of("\r\n");
    if (end == std::string_view::npos) {
      rest_ += bytes;
      return;
    }
    after_return_ = bytes[end] == '\r';
    if (rest_.empty()) {
      line(bytes.substr(0, end), events);
    } else {
      rest_ += bytes.substr(0, end);
      line(rest_, events);
      rest_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
}

void SseParser::line(std::string_view text, std::vector<SseEvent>& events) {
  if (text.empty()) {  // The end of an event; without data it is dropped.
    if (has_data_) {
      if (next_.type.empty()) next_.type = "message";
      events.push_back(std::exchange(next_, {}));
    }
    next_ = {};
    has_data_ = false;
    return;
  }
  const size_t colon = text.find(':');
  const std::string_view field = text.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) next_.data += '\n';
    next_.data += value;
    has_data_ = true;
  } else if (field == "id") {
    next_.id = value;
  } else if (field == "event") {
    next_.type = value;
  }
}

}  // namespace drover::cli
