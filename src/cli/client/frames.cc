#include "cli/client/frames.h"

#include <algorithm>
#include <cstring>

#include "wire/frames.h"

namespace drover::cli {
namespace {

using wire::FrameHeader;
using wire::FrameKind;

constexpr size_t kFrameMax = 64 << 20;  // A longer one is not from our daemon.

FrameHeader header_of(std::string_view bytes) {
  FrameHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

// The size of the first frame; as long as its header is incomplete, that of a header.
size_t bytes_of_frame(std::string_view bytes) {
  return bytes.size() < sizeof(FrameHeader)
             ? sizeof(FrameHeader)
             : sizeof(FrameHeader) + size_t{header_of(bytes).payload_bytes};
}

std::string_view word(std::string_view& text) {
  const std::string_view first = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), first.size() + 1));
  return first;
}

}  // namespace

FrameParser::FrameParser(std::string_view last_id)
    : seq_(last_id.empty() ? "0" : last_id.substr(0, last_id.find('.'))) {}

bool FrameParser::feed(std::string_view bytes, std::vector<SseEvent>& events) {
  while (!rest_.empty() && !bytes.empty()) {  // Complete the unfinished frame.
    const size_t want = bytes_of_frame(rest_);
    if (want > kFrameMax) return false;
    const size_t more = std::min(bytes.size(), want - rest_.size());
    rest_ += bytes.substr(0, more);
    bytes.remove_prefix(more);
    if (rest_.size() < bytes_of_frame(rest_)) continue;
    take(rest_, events);
    rest_.clear();
  }
  while (!bytes.empty()) {
    const size_t want = bytes_of_frame(bytes);
    if (want > kFrameMax) return false;
    if (bytes.size() < want) {
      rest_ = bytes;
      return true;
    }
    take(bytes.substr(0, want), events);
    bytes.remove_prefix(want);
  }
  return true;
}

void FrameParser::take(std::string_view frame, std::vector<SseEvent>& events) {
  const FrameHeader header = header_of(frame);
  std::string_view payload = frame.substr(sizeof header);
  switch (header.kind) {
    case FrameKind::event: {
      SseEvent event{.id = std::string(word(payload)), .type = std::string(word(payload))};
      event.data = payload;
      if (!event.id.empty()) seq_ = event.id.substr(0, event.id.find('.'));
      events.push_back(std::move(event));
      return;
    }
    case FrameKind::output:
      events.push_back({.id = seq_ + "." + std::to_string(header.offset + payload.size()),
                        .type = "run.output",
                        .data = std::string(payload),
                        .stream = header.stream == 2 ? 2 : 1});
      return;
    case FrameKind::gap: {
      std::uint64_t end = 0;
      if (payload.size() != sizeof end) return;
      std::memcpy(&end, payload.data(), sizeof end);
      events.push_back({.id = seq_ + "." + std::to_string(end),
                        .type = "run.gap",
                        .data = "{\"gap\":{\"from\":" + std::to_string(header.offset) +
                                ",\"to\":" + std::to_string(end) + "}}"});
      return;
    }
    case FrameKind::alive:
      return;
  }
}

}  // namespace drover::cli
