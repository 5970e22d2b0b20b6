// A StreamFormat encodes a live stream: as server-sent events, which browsers and scripts read, or
// as frames (wire/frames.h), which carry output unencoded.
#pragma once

#include <string>
#include <string_view>

#include "base/output_file.h"
#include "base/result.h"

namespace drover::api {

class StreamFormat {
 public:
  virtual ~StreamFormat() = default;
  virtual void begin(std::string& out) const = 0;
  virtual void alive(std::string& out) const = 0;
  // `data` is one line of JSON. An empty cursor: the client should not resume after this event.
  virtual void event(std::string& out, std::string_view cursor, std::string_view type,
                     std::string_view data) const = 0;
  // Bytes or a gap. `cursor` is after it.
  virtual void piece(std::string& out, std::string_view cursor, const OutputPiece& piece,
                     std::string_view run_id) const = 0;
  // Whether characters must be whole in each piece.
  virtual bool is_text() const = 0;
};

const StreamFormat& server_sent_events();
const StreamFormat& frames();

}  // namespace drover::api
