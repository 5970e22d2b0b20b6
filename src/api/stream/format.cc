#include "api/stream/format.h"

#include "api/stream/event_text.h"
#include "wire/frames.h"

namespace drover::api {
namespace {

class ServerSentEvents final : public StreamFormat {
  void begin(std::string& out) const override { out += "retry: 1000\n\n"; }
  void alive(std::string& out) const override { out += ":\n\n"; }
  void event(std::string& out, std::string_view cursor, std::string_view type,
             std::string_view data) const override {
    append_frame(out, cursor, type, data);
  }
  void piece(std::string& out, std::string_view cursor, const OutputPiece& piece,
             std::string_view run_id) const override {
    std::string data;
    append_json(data, piece, run_id);
    append_frame(out, cursor, piece.is_gap() ? "run.gap" : "run.output", data);
  }
  bool is_text() const override { return true; }
};

class Frames final : public StreamFormat {
  void begin(std::string& out) const override { alive(out); }
  void alive(std::string& out) const override {
    wire::append_frame(out, wire::FrameKind::alive, 0, {});
  }
  void event(std::string& out, std::string_view cursor, std::string_view type,
             std::string_view data) const override {
    std::string payload(cursor);
    payload.append(" ").append(type).append(" ").append(data);
    wire::append_frame(out, wire::FrameKind::event, 0, payload);
  }
  void piece(std::string& out, std::string_view /*cursor*/, const OutputPiece& piece,
             std::string_view /*run_id*/) const override {
    if (!piece.is_gap()) {
      wire::append_frame(out, wire::FrameKind::output, piece.offset, piece.bytes,
                         static_cast<std::uint8_t>(piece.stream));
      return;
    }
    const std::uint64_t end = piece.end();
    wire::append_frame(out, wire::FrameKind::gap, piece.offset,
                       {reinterpret_cast<const char*>(&end), sizeof end});
  }
  bool is_text() const override { return false; }
};

}  // namespace

const StreamFormat& server_sent_events() {
  static const ServerSentEvents format;
  return format;
}

const StreamFormat& frames() {
  static const Frames format;
  return format;
}

}  // namespace drover::api
