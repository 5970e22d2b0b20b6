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
    Place& place = places_[static_cast<size_t>(event.seq) % places_.size()];
    if (place.seq != event.seq) {
      place.seq = event.seq;
      const std::string cursor = text_of(event.seq, epochs);
      std::string data;
      append_json(data, event, cursor);
      place.frame.clear();
      append_frame(place.frame, cursor, event.type, data);
    }
    return place.frame;
  }

 private:
  struct Place {
    std::int64_t seq = 0;
    std::string frame;
  };
  // Subscribers that keep up read the events of the last interval (pace.h).
  std::array<Place, 512> places_;
};

}  // namespace drover::api
