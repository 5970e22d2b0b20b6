// SseParser reads server-sent events from a stream of bytes. Pure: the same bytes give the same
// events, however they are split.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::cli {

struct SseEvent {
  std::string id = {};    // The cursor to resume after; empty: not given.
  std::string type = {};  // "run.output"; "message" if not given.
  std::string data = {};
  int stream = 0;  // 1 or 2: `data` is raw bytes of stdout or stderr. 0: it is text.
  friend bool operator==(const SseEvent&, const SseEvent&) = default;
};

class SseParser {
 public:
  // Appends the events that `bytes` completes. Comments (heartbeats) yield nothing.
  void feed(std::string_view bytes, std::vector<SseEvent>& events);

 private:
  void line(std::string_view text, std::vector<SseEvent>& events);

  std::string rest_;           // An incomplete line.
  bool after_return_ = false;  // The last byte was \r: a following \n belongs to it.
  bool has_data_ = false;
  SseEvent next_;
};

}  // namespace drover::cli
