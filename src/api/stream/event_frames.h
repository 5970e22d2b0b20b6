// EventFrames caches the frames of the latest events for subscribers of all runs, so that each
// frame is composed once. The first reader of an event fills its entry. Lives on the daemon's loop.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "api/stream/cursor.h"
#include "api/stream/event_text.h"

namespace drover::api {

class EventFrames {
 public:
  // Valid until the next call.
  const std::string& of(const run::Event& event, const store::Epochs& epochs) {
    Entry& entry = entries_[static_cast<size_t>(event.seq) % entries_.size()];
    if (entry.seq != event.seq) {
      entry.seq = event.seq;
      const std::string cursor = text_of(event.seq, epochs);
      std::string data;
      append_json(data, event, cursor);
      entry.frame.clear();
      append_frame(entry.frame, cursor, event.type, data);
    }
    return entry.frame;
  }

 private:
  struct Entry {
    std::int64_t seq = 0;
    std::string frame;
  };
  // Subscribers that keep up read the events of the last interval (pace.h).
  std::array<Entry, 512> entries_;
};

}  // namespace drover::api
