// The frames of the latest events, as followers of everything get them: put into words once, for
// however many. Filled by whoever asks first. Lives on the daemon's loop.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "api/stream/cursor.h"
#include "api/stream/event_text.h"

namespace drover::api {

class EventFrames {
 public:
  // Holds until the next call.
  const std::string& of(const run::Event& event) {
    Place& place = places_[static_cast<size_t>(event.seq) % places_.size()];
    if (place.seq != event.seq) {
      place.seq = event.seq;
      const std::string cursor = text_of(event.seq);
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
  // Those who keep up ask for what happened within the last gathering (pace.h).
  std::array<Place, 512> places_;
};

}  // namespace drover::api
