#include "api/stream/event_text.h"

#include "base/text.h"

namespace drover::api {
namespace {

void quote(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  size_t plain = 0;  // Sequences of ordinary characters are copied whole.
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text.substr(plain, i - plain));
    plain = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += "\\u00";
        out += kHex[c >> 4];
        out += kHex[c & 15];
    }
  }
  out.append(text.substr(plain));
  out += '"';
}

}  // namespace

void append_json(std::string& out, const run::Event& event, std::string_view cursor) {
  out.append("{\"cursor\":\"").append(cursor);
  out.append("\",\"seq\":").append(std::to_string(event.seq));
  out.append(",\"subject\":");
  quote(out, event.subject());
  if (event.is_of_run()) out.append(",\"run_id\":\"").append(event.run_id.view()).append("\"");
  out.append(",\"run_seq\":").append(std::to_string(event.run_seq)).append(",\"type\":");
  quote(out, event.type);
  out.append(",\"time\":\"").append(rfc3339(event.time)).append("\",\"trace_id\":");
  quote(out, event.trace_id);
  out.append(",\"scope\":");
  quote(out, event.scope);
  out.append(",\"data\":").append(event.data.empty() ? "{}" : event.data).append("}");
}

void append_json(std::string& out, const OutputPiece& piece, std::string_view run_id) {
  out += '{';
  if (!run_id.empty()) out.append("\"run_id\":\"").append(run_id).append("\",");
  if (piece.is_gap()) {
    out.append("\"gap\":{\"from\":").append(std::to_string(piece.offset));
    out.append(",\"to\":").append(std::to_string(piece.end())).append("}}");
    return;
  }
  out.append("\"stream\":\"").append(piece.stream == Stream::err ? "stderr" : "stdout");
  out.append("\",\"offset\":").append(std::to_string(piece.offset));
  out.append(",\"time\":\"").append(rfc3339(piece.time));
  if (is_utf8(piece.bytes)) {
    out.append("\",\"text\":");
    quote(out, piece.bytes);
  } else {
    out.append("\",\"base64\":\"").append(base64(piece.bytes)).append("\"");
  }
  out += '}';
}

void append_frame(std::string& out, std::string_view cursor, std::string_view type,
                  std::string_view data) {
  if (!cursor.empty()) out.append("id: ").append(cursor).append("\n");
  out.append("event: ").append(type);
  out.append("\ndata: ").append(data).append("\n\n");
}

}  // namespace drover::api
