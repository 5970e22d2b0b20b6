// FrameParser reads frames (wire/frames.h) from a stream of bytes, as the same events that a stream
// of server-sent events has. Pure: the same bytes give the same events, however they are split.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/client/sse.h"

namespace drover::cli {

class FrameParser {
 public:
  // Resumes after `last_id`, a cursor; empty: at the beginning.
  explicit FrameParser(std::string_view last_id);

  // Appends the events that `bytes` completes. False: these are no frames.
  bool feed(std::string_view bytes, std::vector<SseEvent>& events);

 private:
  void take(std::string_view frame, std::vector<SseEvent>& events);

  std::string rest_;  // An incomplete frame.
  std::string seq_;   // Of the last event, for the cursors of output.
};

}  // namespace drover::cli
